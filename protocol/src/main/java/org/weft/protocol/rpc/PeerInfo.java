package org.weft.protocol.rpc;

import java.util.Optional;
import org.weft.protocol.id.ClusterId;

/** The process on the other side of a connection, as it says itself. */
public record PeerInfo(
    Endpoint address, String name, Optional<ClusterId> clusterId, long incarnation, int version) {}
