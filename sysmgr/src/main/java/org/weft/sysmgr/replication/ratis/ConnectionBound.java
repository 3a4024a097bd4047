package org.weft.sysmgr.replication.ratis;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ratis.thirdparty.io.grpc.netty.GrpcHttp2ConnectionHandler;
import org.apache.ratis.thirdparty.io.grpc.netty.InternalProtocolNegotiator;
import org.apache.ratis.thirdparty.io.grpc.netty.InternalProtocolNegotiators;
import org.apache.ratis.thirdparty.io.netty.channel.ChannelHandler;
import org.apache.ratis.thirdparty.io.netty.channel.ChannelHandlerContext;
import org.apache.ratis.thirdparty.io.netty.channel.ChannelInboundHandlerAdapter;
import org.apache.ratis.thirdparty.io.netty.util.AsciiString;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends connections of a gRPC server without TLS beyond a number, as soon as they are made. Filters
 * of gRPC see a connection only once it has spoken. Thread-safe.
 */
final class ConnectionBound implements InternalProtocolNegotiator.ProtocolNegotiator {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionBound.class);

  private final InternalProtocolNegotiator.ProtocolNegotiator plaintext =
      InternalProtocolNegotiators.serverPlaintext();

  private final int most;
  private final AtomicInteger open = new AtomicInteger();

  ConnectionBound(int most) {
    this.most = most;
  }

  @Override
  public AsciiString scheme() {
    return plaintext.scheme();
  }

  @Override
  public ChannelHandler newHandler(GrpcHttp2ConnectionHandler grpc) {
    return new Doorkeeper(plaintext.newHandler(grpc));
  }

  @Override
  public void close() {
    plaintext.close();
  }

  /** Counts one connection, and makes way for what speaks on it. */
  private final class Doorkeeper extends ChannelInboundHandlerAdapter {
    private final ChannelHandler next;

    private Doorkeeper(ChannelHandler next) {
      this.next = next;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
      var unusedListening =
          ctx.channel().closeFuture().addListener(closed -> open.decrementAndGet());
      boolean room = open.incrementAndGet() <= most;
      ctx.pipeline().replace(this, null, next);
      if (!room) {
        LOG.debug("ended {}: {} connections are open already", ctx.channel(), most);
        var unusedClosing = ctx.channel().close();
      }
    }
  }
}
