package org.weft.nfs.oncrpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.seam.Scheduler;

/**
 * Calls programs of another server on one connection: its portmapper, its status monitor, a
 * client's lock manager. A call without a reply in time fails. Calls are not repeated. Thread-safe.
 */
public final class OncRpcClient implements AutoCloseable {
  private static final int LAST_FRAGMENT = 1 << 31;

  /** More calls without a reply are refused. */
  private static final int MAX_CALLS = 1_024;

  /** What reads a result; payloads that it reads are its caller's. */
  @FunctionalInterface
  public interface ResultReader<T> {
    T read(XdrReader in) throws MalformedXdrException;
  }

  /** A call that waits for its reply. */
  private record Waiting<T>(
      ResultReader<T> reader, CompletableFuture<T> result, Scheduler.Timer timer) {}

  private final InetSocketAddress remote;
  private final int mostRecordBytes;
  private final int timeoutMillis;
  private final ServerWiring wiring;
  private final Executor executor;

  /** Only on the event loop, as everything below. */
  private final Map<Integer, Waiting<?>> waiting = new HashMap<>();

  private int nextXid;
  private volatile Channel channel;

  OncRpcClient(
      InetSocketAddress remote,
      int mostRecordBytes,
      int timeoutMillis,
      ServerWiring wiring,
      int firstXid,
      Executor executor) {
    this.remote = remote;
    this.mostRecordBytes = mostRecordBytes;
    this.timeoutMillis = timeoutMillis;
    this.wiring = wiring;
    this.nextXid = firstXid;
    this.executor = executor;
  }

  void fill(Channel connecting) {
    channel = connecting;
    RecordDecoder decoder = new RecordDecoder(new Replies(), mostRecordBytes, wiring.ticker());
    connecting.config().setRecvByteBufAllocator(decoder.allocator());
    connecting.pipeline().addLast("records", decoder).addLast("replies", new End());
  }

  /** What to call. */
  public record Target(int program, int version, int procedure) {}

  /**
   * A call with its arguments.
   *
   * @param arguments writes them; may run on an event loop
   */
  public record Call<T>(
      Target target,
      RpcCredential credential,
      Consumer<XdrWriter> arguments,
      ResultReader<T> results) {}

  /** As the other one. */
  public <T> CompletionStage<T> call(Call<T> call) {
    return call(call.target(), call.credential(), call.arguments(), call.results());
  }

  /**
   * Calls a procedure.
   *
   * @param arguments writes them; runs on an event loop
   * @return fails with {@link RpcFailedException} if the call is refused, not answered in time, or
   *     the connection ends; completes on the executor
   */
  public <T> CompletionStage<T> call(
      Target target,
      RpcCredential credential,
      Consumer<XdrWriter> arguments,
      ResultReader<T> results) {
    CompletableFuture<T> result = new CompletableFuture<>();
    try {
      channel.eventLoop().execute(() -> send(target, credential, arguments, results, result));
    } catch (RejectedExecutionException e) {
      result.completeExceptionally(new RpcFailedException("the transport is closed", e));
    }
    return result;
  }

  private <T> void send(
      Target target,
      RpcCredential credential,
      Consumer<XdrWriter> arguments,
      ResultReader<T> results,
      CompletableFuture<T> result) {
    if (waiting.size() >= MAX_CALLS) {
      fail(result, new RpcFailedException(MAX_CALLS + " calls to " + remote + " wait already"));
      return;
    }
    int xid = nextXid++;
    Optional<ChannelFuture> written = write(xid, target, credential, arguments, result);
    if (written.isPresent()) {
      Scheduler.Timer timer =
          wiring
              .scheduler()
              .schedule(
                  TimeUnit.MILLISECONDS.toNanos(timeoutMillis),
                  channel.eventLoop(),
                  () -> late(xid));
      waiting.put(xid, new Waiting<>(results, result, timer));
      channel.flush();
    }
  }

  /**
   * Sends a call whose reply, if one comes, is of no interest. Not bounded here: the caller must
   * not send without end.
   *
   * @param arguments writes them; runs on an event loop
   * @return completes on the executor when the connection has taken the call. It fails with {@link
   *     RpcFailedException} if the connection ends before. It also fails if the connection takes
   *     nothing for the time of a call, which then is closed
   */
  public CompletionStage<Void> send(
      Target target, RpcCredential credential, Consumer<XdrWriter> arguments) {
    CompletableFuture<Void> result = new CompletableFuture<>();
    try {
      channel.eventLoop().execute(() -> send(target, credential, arguments, result));
    } catch (RejectedExecutionException e) {
      result.completeExceptionally(new RpcFailedException("the transport is closed", e));
    }
    return result;
  }

  private void send(
      Target target,
      RpcCredential credential,
      Consumer<XdrWriter> arguments,
      CompletableFuture<Void> result) {
    Optional<ChannelFuture> written = write(nextXid++, target, credential, arguments, result);
    if (written.isPresent()) {
      Scheduler.Timer timer =
          wiring
              .scheduler()
              .schedule(
                  TimeUnit.MILLISECONDS.toNanos(timeoutMillis), channel.eventLoop(), this::close);
      written
          .get()
          .addListener(
              done -> {
                timer.cancel();
                if (done.isSuccess()) {
                  executor.execute(() -> result.complete(null));
                } else {
                  fail(
                      result,
                      new RpcFailedException(
                          "the connection to " + remote + " has ended", done.cause()));
                }
              });
      channel.flush();
    }
  }

  /** Whether it has not ended, as far as is known. */
  public boolean isOpen() {
    return channel.isActive();
  }

  /** Begins to write a call; empty if it cannot be written, which its result fails with. */
  private Optional<ChannelFuture> write(
      int xid,
      Target target,
      RpcCredential credential,
      Consumer<XdrWriter> arguments,
      CompletableFuture<?> result) {
    if (!channel.isActive()) {
      fail(result, new RpcFailedException("the connection to " + remote + " has ended"));
      return Optional.empty();
    }
    XdrWriter out = new XdrWriter(channel.alloc()).int32(0);
    try {
      CallHeader.write(
          out, xid, target.program(), target.version(), target.procedure(), credential);
      arguments.accept(out);
    } catch (RuntimeException e) {
      out.discard();
      fail(result, e);
      return Optional.empty();
    }
    out.setInt32(0, LAST_FRAGMENT | (out.lengthBytes() - Integer.BYTES));
    ChannelFuture written = null;
    for (ByteBuf part : out.parts()) {
      written = channel.write(part);
    }
    return Optional.of(written.addListener(done -> out.payloads().forEach(Payload::release)));
  }

  private void late(int xid) {
    Waiting<?> call = waiting.remove(xid);
    if (call != null) {
      fail(
          call.result(),
          new RpcFailedException(remote + " did not reply within " + timeoutMillis + " ms"));
    }
  }

  private void fail(CompletableFuture<?> result, Throwable failure) {
    executor.execute(() -> result.completeExceptionally(failure));
  }

  private <T> void complete(Waiting<T> call, XdrReader in) {
    call.timer().cancel();
    try {
      ReplyHeader.readSuccess(in);
      T value = call.reader().read(in);
      executor.execute(() -> call.result().complete(value));
    } catch (MalformedXdrException | RpcFailedException e) {
      fail(call.result(), e);
    }
  }

  /** Ends the connection; calls without a reply fail. */
  @Override
  public void close() {
    var unused = channel.close();
  }

  private final class Replies implements RecordSink {
    @Override
    public boolean take(int bytes, boolean first) {
      wiring.memory().take(bytes);
      return true;
    }

    @Override
    public void give(int bytes) {
      wiring.memory().give(bytes);
    }

    @Override
    public void malformed(String why) {
      close();
    }

    @Override
    public void arrived(ByteBuf bytes) {
      int length = bytes.readableBytes();
      ArrivedRecord record = new ArrivedRecord(bytes, () -> give(length));
      try {
        XdrReader in = new XdrReader(record);
        Waiting<?> call = waiting.remove(in.int32());
        if (call != null) {
          complete(call, in);
        }
      } catch (MalformedXdrException e) {
        close();
      } finally {
        record.release();
      }
    }
  }

  private final class End extends ChannelInboundHandlerAdapter {
    @Override
    public void channelInactive(ChannelHandlerContext context) {
      waiting
          .values()
          .forEach(
              call -> {
                call.timer().cancel();
                fail(
                    call.result(),
                    new RpcFailedException("the connection to " + remote + " has ended"));
              });
      waiting.clear();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      close();
    }
  }
}
