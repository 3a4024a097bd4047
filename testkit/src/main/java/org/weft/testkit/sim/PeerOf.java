package org.weft.testkit.sim;

import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.PeerInfo;

/** What the two ends of a connection say of themselves. */
final class PeerOf {
  private static final Endpoint CALLER_ADDRESS = new Endpoint("client", 0);

  private PeerOf() {}

  static PeerInfo listener(Endpoint address, ListenOptions options) {
    return new PeerInfo(
        address, options.server().get(), options.clusterId().get(), options.incarnation(), 1);
  }

  static PeerInfo caller(ConnectOptions options) {
    return new PeerInfo(CALLER_ADDRESS, options.caller(), options.clusterId(), 0, 1);
  }
}
