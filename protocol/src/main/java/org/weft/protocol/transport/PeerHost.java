package org.weft.protocol.transport;

import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Names where a connection comes from. Connections of one peer are counted together by it. */
final class PeerHost {
  private PeerHost() {}

  /** A host's address, or the user of a process on this machine. */
  static String of(Channel channel) {
    if (channel.remoteAddress() instanceof InetSocketAddress address) {
      return address.getAddress().getHostAddress();
    }
    if (channel instanceof EpollDomainSocketChannel local) {
      try {
        return "user " + local.peerCredentials().uid() + " of this machine";
      } catch (IOException e) {
        return "a process that has ended";
      }
    }
    return "this machine";
  }
}
