package org.weft.nfs.oncrpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An address where programs are served by datagrams (RFC 5531 over UDP): a call in each, and its
 * reply in one. For small programs whose replies are no longer than calls, since anyone may state
 * another's address. A malformed, oversized or surplus call is dropped without an answer, since
 * callers repeat. Thread-safe.
 */
public final class DatagramListener {
  private static final Logger LOG = LoggerFactory.getLogger(DatagramListener.class);

  /** Size of a call, and of a reply. */
  static final int MAX_BYTES = 4_096;

  /** Calls that are not answered yet. */
  static final int MAX_CALLS = 64;

  private final ServerWiring wiring;
  private final Programs programs;
  private volatile Channel socket;

  /** Only on the event loop. */
  private int underWay;

  /** Only on the event loop. */
  private final CallMarker marker = new CallMarker();

  DatagramListener(ServerWiring wiring, Programs programs) {
    this.wiring = wiring;
    this.programs = programs;
  }

  void bound(Channel channel) {
    socket = channel;
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) socket.localAddress();
  }

  /** Takes no more calls; what is under way stays without an answer. */
  public CompletionStage<Void> stop() {
    CompletableFuture<Void> stopped = new CompletableFuture<>();
    socket.close().addListener(done -> stopped.complete(null));
    return stopped;
  }

  ChannelHandler handler() {
    return new Calls();
  }

  private final class Calls extends SimpleChannelInboundHandler<DatagramPacket> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
      ByteBuf bytes = packet.content();
      if (bytes.readableBytes() > MAX_BYTES || underWay >= MAX_CALLS) {
        wiring.counters().wasMalformed();
        return;
      }
      ArrivedRecord record = new ArrivedRecord(bytes.retain(), () -> {});
      try {
        wiring.counters().called();
        XdrReader in = new XdrReader(record);
        CallHeader.Read read =
            CallHeader.read(
                record, in, packet.sender(), (InetSocketAddress) context.channel().localAddress());
        if (read instanceof CallHeader.Call call) {
          carryOut(context.channel(), call, in);
        } else if (read instanceof CallHeader.Refused refused) {
          refuse(context.channel(), packet.sender(), refused.xid(), refused.why());
        }
      } catch (MalformedXdrException e) {
        LOG.debug("{}: a datagram that is no call: {}", packet.sender(), e.getMessage());
        wiring.counters().wasMalformed();
      } finally {
        record.release();
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      // The socket goes on: the network reported a reply that did not arrive.
      LOG.debug("{}: a datagram failed", context.channel(), cause);
    }
  }

  private void carryOut(Channel channel, CallHeader.Call read, XdrReader in) {
    RpcCall call = read.call();
    Optional<RpcRefusal> refusal = programs.refusal(call);
    if (refusal.isPresent()) {
      refuse(channel, call.client(), call.xid(), refusal.get());
      wiring.observer().answered(call, 0, true);
      return;
    }
    RpcProcedure procedure = programs.procedure(call);
    RpcTask task;
    try {
      task = procedure.read(in);
    } catch (MalformedXdrException e) {
      LOG.debug("{}: arguments of {} cannot be read: {}", call.client(), call, e.getMessage());
      refuse(channel, call.client(), call.xid(), new RpcRefusal.GarbageArguments());
      wiring.observer().answered(call, 0, true);
      return;
    }
    underWay++;
    long arrivedNanos = wiring.ticker().nowNanos();
    var unused =
        run(call.marked(marker.mark(read, in)), procedure, task)
            .whenComplete(
                (reply, failure) ->
                    onLoop(
                        channel,
                        () -> {
                          underWay--;
                          wiring
                              .observer()
                              .answered(
                                  call, wiring.ticker().nowNanos() - arrivedNanos, failure != null);
                          answer(channel, call, reply, failure);
                        }));
  }

  /** Datagrams are repeated oftener than calls on connections: one that is under way is joined. */
  private CompletionStage<OncReply> run(RpcCall call, RpcProcedure procedure, RpcTask task) {
    boolean keep = procedure.repeats() == Repeats.ANSWERED_AS_THE_FIRST;
    return wiring
        .duplicates()
        .once(DuplicateCache.Key.of(call), keep, () -> task.run(call), task::drop);
  }

  private void answer(Channel channel, RpcCall call, OncReply reply, Throwable failure) {
    if (failure != null) {
      LOG.error("{}: {} failed", call.client(), call, failure);
      refuse(channel, call.client(), call.xid(), new RpcRefusal.SystemError());
      return;
    }
    send(
        channel,
        call.client(),
        XdrWriter.bytes(
            out -> {
              ReplyHeader.writeSuccess(out, call.xid());
              reply.write(out);
            }));
  }

  private static void refuse(Channel channel, InetSocketAddress client, int xid, RpcRefusal why) {
    send(channel, client, XdrWriter.bytes(out -> ReplyHeader.write(out, xid, why)));
  }

  private static void send(Channel channel, InetSocketAddress client, byte[] bytes) {
    if (bytes.length > MAX_BYTES) {
      throw new IllegalStateException("a reply of " + bytes.length + " bytes is no datagram");
    }
    var unused = channel.writeAndFlush(new DatagramPacket(Unpooled.wrappedBuffer(bytes), client));
  }

  private static void onLoop(Channel channel, Runnable task) {
    try {
      channel.eventLoop().execute(task);
    } catch (RejectedExecutionException e) {
      LOG.debug("answered after the transport was closed", e);
    }
  }
}
