package org.weft.nfs.oncrpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.weft.protocol.seam.Scheduler;

/**
 * One call by datagrams. It is sent once a second with the same number until a reply comes or its
 * time is over. Confined to its event loop. Sharable, since it may be bound again to another free
 * port.
 */
@ChannelHandler.Sharable
final class DatagramCall<T> extends SimpleChannelInboundHandler<DatagramPacket> {
  private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final InetSocketAddress remote;
  private final int xid;
  private final byte[] bytes;
  private final OncRpcClient.ResultReader<T> results;
  private final long timeoutNanos;
  private final Scheduler scheduler;
  private final Executor executor;
  private final CompletableFuture<T> result = new CompletableFuture<>();
  private Scheduler.Timer again = () -> {};

  /**
   * @param executor where the result is delivered
   */
  DatagramCall(
      InetSocketAddress remote,
      int xid,
      OncRpcClient.Call<T> call,
      int timeoutMillis,
      Scheduler scheduler,
      Executor executor) {
    this.remote = remote;
    this.xid = xid;
    this.bytes = XdrWriter.bytes(out -> write(out, xid, call));
    this.results = call.results();
    this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    this.scheduler = scheduler;
    this.executor = executor;
  }

  private static void write(XdrWriter out, int xid, OncRpcClient.Call<?> call) {
    CallHeader.write(
        out,
        xid,
        call.target().program(),
        call.target().version(),
        call.target().procedure(),
        call.credential());
    Consumer<XdrWriter> arguments = call.arguments();
    arguments.accept(out);
  }

  CompletionStage<T> result() {
    return result;
  }

  void start(Channel channel) {
    Scheduler.Timer end =
        scheduler.schedule(
            timeoutNanos,
            channel.eventLoop(),
            () ->
                fail(
                    channel,
                    new RpcFailedException(
                        remote
                            + " did not reply within "
                            + TimeUnit.NANOSECONDS.toMillis(timeoutNanos)
                            + " ms")));
    channel
        .closeFuture()
        .addListener(
            done -> {
              end.cancel();
              again.cancel();
            });
    channel.eventLoop().execute(() -> send(channel));
  }

  void fail(Channel channel, RpcFailedException failure) {
    executor.execute(() -> result.completeExceptionally(failure));
    var unused = channel.close();
  }

  private void send(Channel channel) {
    if (!channel.isOpen()) {
      return;
    }
    var unused = channel.writeAndFlush(new DatagramPacket(Unpooled.wrappedBuffer(bytes), remote));
    again = scheduler.schedule(AGAIN_NANOS, channel.eventLoop(), () -> send(channel));
  }

  /** The reply may come from another address of the host than was called. */
  @Override
  protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
    ByteBuf content = packet.content();
    ArrivedRecord record = new ArrivedRecord(content.retain(), () -> {});
    try {
      XdrReader in = new XdrReader(record);
      if (in.int32() != xid || packet.sender().getPort() != remote.getPort()) {
        return;
      }
      ReplyHeader.readSuccess(in);
      T value = results.read(in);
      executor.execute(() -> result.complete(value));
      var unused = context.close();
    } catch (MalformedXdrException e) {
      fail(
          context.channel(),
          new RpcFailedException(remote + " sent what is no reply: " + e.getMessage(), e));
    } catch (RpcFailedException e) {
      fail(context.channel(), e);
    } finally {
      record.release();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    fail(
        context.channel(),
        new RpcFailedException("cannot call " + remote + ": " + cause.getMessage(), cause));
  }
}
