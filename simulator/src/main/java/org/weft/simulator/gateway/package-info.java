/** Hosts that lock and write files through NFS gateways, in a simulated world. */
package org.weft.simulator.gateway;
