package org.weft.nfs.locks;

import java.net.InetAddress;

/**
 * A client's lock manager, as a gateway calls it.
 *
 * @param server the gateway's address that the client mounted: calls leave from it
 */
public record LockPeer(InetAddress server, InetAddress client) {}
