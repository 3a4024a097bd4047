package org.weft.nfs.oncrpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.seam.Scheduler;

/**
 * A connection whose calls are answered here, in any order. It holds bounded numbers of calls and
 * of bytes: while they are reached it is not read. Everything but the completion of a call happens
 * on its event loop.
 */
final class CallConnection extends ChannelInboundHandlerAdapter implements RecordSink {
  private static final Logger LOG = LoggerFactory.getLogger(CallConnection.class);

  private static final int LAST_FRAGMENT = 1 << 31;

  /** A call so small is taken from a connection that has none, even if all memory is in use. */
  private static final int SMALL_CALL_BYTES = 16 << 10;

  /**
   * What a reply may take where all memory is in use: RFC 1813 lets READ, READDIR and READDIRPLUS
   * bring less than was asked for. A connection holds two of them at most beyond the memory.
   */
  static final int SHORT_REPLY_BYTES = 16 << 10;

  /** More than a round of an event loop takes. */
  private static final long SETTLE_MILLIS = 20;

  /** How often in the time of patience it is looked whether something moves. */
  private static final int LOOKS = 4;

  private final Channel channel;
  private final InetSocketAddress client;
  private final InetSocketAddress server;
  private final Programs programs;
  private final ServerWiring wiring;
  private final RecordDecoder decoder;
  private final RpcMemory.Waiter waiter;
  private final CallMarker marker = new CallMarker();
  private int callsUnderWay;
  private long bytesUnderWay;
  private long repliesLeaving;
  private long leftNanos;
  private boolean flushing;
  private boolean stopping;
  private Scheduler.Timer timer;

  /** Calls that come now have waited through none of so many stalls of this process. */
  private long settledStalls;

  CallConnection(
      Channel channel, InetSocketAddress client, Programs programs, ServerWiring wiring) {
    this.channel = channel;
    this.client = client;
    this.server = (InetSocketAddress) channel.localAddress();
    this.programs = programs;
    this.wiring = wiring;
    this.decoder = new RecordDecoder(this, wiring.options().mostRecordBytes(), wiring.ticker());
    this.waiter = new RpcMemory.Waiter(this::resumeSoon);
    this.settledStalls = wiring.guard().stallsBeforeNew();
  }

  RecordDecoder decoder() {
    return decoder;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    arm();
    context.fireChannelActive();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (timer != null) {
      timer.cancel();
    }
    wiring.memory().forget(waiter);
    context.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    LOG.debug("{}: the connection failed", client, cause);
    close();
  }

  // Records.

  @Override
  public boolean take(int bytes, boolean first) {
    OncRpcOptions options = wiring.options();
    if (first
        && (stopping
            || callsUnderWay >= options.mostCallsUnderWay()
            || bytesUnderWay >= options.mostBytesUnderWay())) {
      return false;
    }
    if (wiring.memory().takeIfLeft(bytes)) {
      return true;
    }
    if (first && callsUnderWay == 0 && bytes <= SMALL_CALL_BYTES) {
      wiring.memory().take(bytes);
      return true;
    }
    wiring.memory().whenRoom(waiter, bytes);
    return false;
  }

  @Override
  public void give(int bytes) {
    wiring.memory().give(bytes);
  }

  @Override
  public void malformed(String why) {
    LOG.info("{}: closed, it sent {}", client, why);
    wiring.counters().wasMalformed();
    close();
  }

  @Override
  public void arrived(ByteBuf bytes) {
    int length = bytes.readableBytes();
    ArrivedRecord record = new ArrivedRecord(bytes, () -> wiring.memory().give(length));
    try {
      if (wiring.guard().stalls() != settledStalls) {
        refuseLate();
        return;
      }
      wiring.counters().called();
      XdrReader in = new XdrReader(record);
      CallHeader.Read read = CallHeader.read(record, in, client, server);
      if (read instanceof CallHeader.Call call) {
        carryOut(call, in, length);
      } else if (read instanceof CallHeader.Refused refused) {
        refuse(refused.xid(), refused.why(), begin(length));
      }
    } catch (MalformedXdrException e) {
      malformed("what is no call: " + e.getMessage());
    } finally {
      record.release();
    }
  }

  /**
   * The client repeats what it has no reply to, here or at another gateway. If it has gone on
   * there, this call must not be carried out any more (P 6.5c.6.23).
   */
  private void refuseLate() {
    if (channel.isOpen()) {
      LOG.info("{}: closed, a call waited while this process stood still", client);
      wiring.counters().wasLate();
      close();
    }
  }

  /** Soon calls that come now have not waited through what stalls there were; from any thread. */
  void settleSoon() {
    execute(() -> settleAfterARead(wiring.guard().stalls()), () -> {});
  }

  /**
   * Tasks with a time run in a later round of the event loop, so that the socket was read between.
   */
  private void settleAfterARead(long stalls) {
    var unused =
        channel.eventLoop().schedule(() -> settle(stalls), SETTLE_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void settle(long stalls) {
    if (!channel.isOpen()) {
      return;
    }
    if (decoder.isAtRest()) {
      settledStalls = Math.max(settledStalls, stalls);
    } else if (settledStalls < stalls) {
      settleAfterARead(stalls);
    }
  }

  /** Counts a call in; the result is what is to be counted out. */
  private long begin(long bytes) {
    callsUnderWay++;
    bytesUnderWay += bytes;
    return bytes;
  }

  // Calls.

  private void carryOut(CallHeader.Call read, XdrReader in, int recordBytes) {
    RpcCall call = read.call();
    Optional<RpcRefusal> refusal = programs.refusal(call);
    if (refusal.isPresent()) {
      refuse(call.xid(), refusal.get(), begin(recordBytes));
      wiring.observer().answered(call, 0, true);
      return;
    }
    RpcProcedure procedure = programs.procedure(call);
    RpcTask asked;
    try {
      asked = procedure.read(in);
    } catch (MalformedXdrException e) {
      LOG.debug("{}: arguments of {} cannot be read: {}", client, call, e.getMessage());
      refuse(call.xid(), new RpcRefusal.GarbageArguments(), begin(recordBytes));
      wiring.observer().answered(call, 0, true);
      return;
    }
    long arrivedNanos = wiring.ticker().nowNanos();
    RpcTask task = takeReply(asked);
    int replyBytes = task.mostReplyBytes();
    long weight = begin((long) recordBytes + replyBytes);
    var unused =
        run(read, in, procedure, task)
            .whenComplete(
                (reply, failure) ->
                    onLoop(
                        () -> {
                          wiring
                              .observer()
                              .answered(
                                  call, wiring.ticker().nowNanos() - arrivedNanos, failure != null);
                          answer(call, reply, failure, weight, replyBytes);
                        },
                        () -> drop(reply, replyBytes)));
  }

  /** Takes memory for the reply; where none is left, a short reply is all that the client gets. */
  private RpcTask takeReply(RpcTask asked) {
    if (wiring.memory().takeIfLeft(asked.mostReplyBytes())) {
      return asked;
    }
    RpcTask within = asked.within(SHORT_REPLY_BYTES);
    wiring.memory().take(within.mostReplyBytes());
    return within;
  }

  private CompletionStage<OncReply> run(
      CallHeader.Call read, XdrReader in, RpcProcedure procedure, RpcTask task) {
    if (procedure.repeats() == Repeats.CARRIED_OUT) {
      return run(read.call(), task);
    }
    RpcCall call = read.call().marked(marker.mark(read, in));
    boolean keep = procedure.repeats() == Repeats.ANSWERED_AS_THE_FIRST;
    return wiring
        .duplicates()
        .once(DuplicateCache.Key.of(call), keep, () -> run(call, task), task::drop);
  }

  private static CompletionStage<OncReply> run(RpcCall call, RpcTask task) {
    try {
      return task.run(call);
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void answer(
      RpcCall call, OncReply reply, Throwable failure, long weight, int replyBytes) {
    Runnable left = () -> wiring.memory().give(replyBytes);
    if (failure != null) {
      LOG.error("{}: {} failed", client, call, failure);
      failed(call, failure, weight, left);
      return;
    }
    if (!channel.isActive()) {
      drop(reply, replyBytes);
      answered(weight);
      return;
    }
    XdrWriter out;
    try {
      out =
          record(
              into -> {
                ReplyHeader.writeSuccess(into, call.xid());
                reply.write(into);
              });
    } catch (RuntimeException | Error e) {
      // Its bytes may not have reached the record; said twice it changes nothing.
      reply.drop();
      LOG.error("{}: the reply to {} cannot be written", client, call, e);
      failed(call, e, weight, left);
      return;
    }
    send(out, weight, left);
  }

  /** Where memory ran out, the client asks again by another connection, and no program fails. */
  private void failed(RpcCall call, Throwable failure, long weight, Runnable left) {
    if (failure instanceof VirtualMachineError
        || failure.getCause() instanceof VirtualMachineError) {
      abandon(weight, left);
    } else {
      refuse(call.xid(), new RpcRefusal.SystemError(), weight, left);
    }
  }

  /** A call without a reply ends its connection. */
  private void abandon(long weight, Runnable left) {
    left.run();
    close();
    answered(weight);
  }

  private void drop(OncReply reply, int replyBytes) {
    if (reply != null) {
      reply.drop();
    }
    wiring.memory().give(replyBytes);
  }

  private void refuse(int xid, RpcRefusal why, long weight) {
    refuse(xid, why, weight, () -> {});
  }

  private void refuse(int xid, RpcRefusal why, long weight, Runnable left) {
    XdrWriter out;
    try {
      out = record(into -> ReplyHeader.write(into, xid, why));
    } catch (RuntimeException | Error e) {
      LOG.error("{}: closed, a reply cannot be written", client, e);
      abandon(weight, left);
      return;
    }
    send(out, weight, left);
  }

  // Replies.

  /** A record with what is written into it; what that throws leaves nothing behind. */
  private XdrWriter record(Consumer<XdrWriter> writing) {
    XdrWriter out = new XdrWriter(channel.alloc());
    try {
      writing.accept(out.int32(0));
    } catch (RuntimeException | Error e) {
      out.discard();
      throw e;
    }
    return out;
  }

  private void send(XdrWriter out, long weight, Runnable left) {
    out.setInt32(0, LAST_FRAGMENT | (out.lengthBytes() - Integer.BYTES));
    List<ByteBuf> parts = out.parts();
    List<Payload> payloads = out.payloads();
    if (repliesLeaving++ == 0) {
      leftNanos = wiring.ticker().nowNanos();
    }
    ChannelFuture written = null;
    for (ByteBuf part : parts) {
      written = channel.write(part);
    }
    written.addListener(
        done -> {
          payloads.forEach(Payload::release);
          left.run();
          repliesLeaving--;
          leftNanos = wiring.ticker().nowNanos();
          if (!done.isSuccess()) {
            close();
          }
          answered(weight);
        });
    flushSoon();
  }

  /** Replies that are made in one round of the event loop leave together. */
  private void flushSoon() {
    if (!flushing) {
      flushing = true;
      channel
          .eventLoop()
          .execute(
              () -> {
                flushing = false;
                channel.flush();
              });
    }
  }

  private void answered(long weight) {
    callsUnderWay--;
    bytesUnderWay -= weight;
    if (stopping && callsUnderWay == 0) {
      close();
    } else {
      decoder.resume();
    }
  }

  // Its end.

  /** {@link #stop} on the event loop; from any thread. */
  void stopSoon() {
    onLoop(this::stop, () -> {});
  }

  /** Takes no more calls, and closes once those under way are answered. */
  void stop() {
    stopping = true;
    channel.config().setAutoRead(false);
    if (callsUnderWay == 0) {
      close();
    }
  }

  private void close() {
    var unused = channel.close();
  }

  private void arm() {
    long nanos = TimeUnit.MILLISECONDS.toNanos(wiring.options().stallMillis()) / LOOKS;
    timer = wiring.scheduler().schedule(nanos, channel.eventLoop(), this::look);
  }

  private void look() {
    if (!channel.isOpen()) {
      return;
    }
    long patienceNanos = TimeUnit.MILLISECONDS.toNanos(wiring.options().stallMillis());
    long now = wiring.ticker().nowNanos();
    boolean halfHeard = decoder.partialNanos(now) > patienceNanos;
    boolean deaf = repliesLeaving > 0 && now - leftNanos > patienceNanos;
    if (halfHeard || deaf) {
      LOG.info("{}: closed, {}", client, deaf ? "it takes no reply" : "a call does not arrive");
      wiring.counters().hasStalled();
      close();
      return;
    }
    arm();
  }

  /** There may be memory. Never at once: one that resumes may wake the next. */
  private void resumeSoon() {
    execute(decoder::resume, () -> {});
  }

  private void onLoop(Runnable task, Runnable loopIsGone) {
    if (channel.eventLoop().inEventLoop()) {
      task.run();
    } else {
      execute(task, loopIsGone);
    }
  }

  private void execute(Runnable task, Runnable loopIsGone) {
    try {
      channel.eventLoop().execute(task);
    } catch (RejectedExecutionException e) {
      LOG.debug("{}: answered after the transport was closed", client, e);
      loopIsGone.run();
    }
  }
}
