package org.weft.protocol.transport;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.Optional;

/**
 * The event loops and the kinds of sockets that go with them.
 *
 * @param local sockets that do not leave the machine, where the platform has them
 */
record EventLoops(
    EventLoopGroup group,
    Class<? extends SocketChannel> socket,
    Class<? extends ServerChannel> serverSocket,
    Optional<Local> local) {
  /** Kinds of sockets between processes of one machine, and the loops as they take them in turn. */
  record Local(
      Class<? extends Channel> socket,
      Class<? extends ServerChannel> serverSocket,
      EventLoopGroup loops) {}

  static EventLoops start(TransportOptions options) {
    boolean epoll = options.nativeSockets() && Epoll.isAvailable();
    IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    EventLoopGroup group =
        new MultiThreadIoEventLoopGroup(
            options.eventLoopThreads(), new DefaultThreadFactory("weft-wire", true), io);
    return epoll
        ? new EventLoops(
            group,
            EpollSocketChannel.class,
            EpollServerSocketChannel.class,
            Optional.of(
                new Local(
                    EpollDomainSocketChannel.class,
                    EpollServerDomainSocketChannel.class,
                    new LoopRound(group))))
        : new EventLoops(
            group, NioSocketChannel.class, NioServerSocketChannel.class, Optional.empty());
  }
}
