/** Gateways on a real cluster in this process, and one in a process of its own. */
package org.weft.nfs.cluster;
