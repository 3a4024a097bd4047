/** Hosts that lock and write files by way of NFS gateways, in a simulated world. */
package org.weft.simulator.gateway;
