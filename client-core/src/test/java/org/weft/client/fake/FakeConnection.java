package org.weft.client.fake;

import com.google.protobuf.MessageLite;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.PeerInfo;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;

/** A connection to a {@link FakePeer}: bodies cross as bytes, with a latency. */
final class FakeConnection implements RpcConnection {
  private final VirtualTime time;
  private final Endpoint remote;
  private final FakePeer peer;
  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private final List<CompletableFuture<RpcReply>> underWay = new ArrayList<>();

  FakeConnection(VirtualTime time, Endpoint remote, FakePeer peer) {
    this.time = time;
    this.remote = remote;
    this.peer = peer;
  }

  @Override
  public PeerInfo peer() {
    return new PeerInfo(remote, "fake", Optional.of(peer.clusterId()), 0, 1);
  }

  @Override
  public CompletableFuture<RpcReply> call(RpcRequest request) {
    CompletableFuture<RpcReply> answer = new CompletableFuture<>();
    if (!isOpen()) {
      answer.completeExceptionally(lost());
      return answer;
    }
    underWay.add(answer);
    byte[] body = request.body().toByteArray();
    var timeout =
        time.schedule(
            TimeUnit.MILLISECONDS.toNanos(request.timeoutMillis()),
            Runnable::run,
            () ->
                answer.completeExceptionally(
                    new RpcException(ErrorCode.DEADLINE_EXCEEDED, remote + " did not answer")));
    time.after(
        FakeWire.LATENCY_MILLIS,
        () -> {
          if (isOpen() && peer.isUp()) {
            peer.deliver(request.opcode(), body, new Responder(answer, timeout::cancel));
          }
        });
    return answer;
  }

  /** How a peer answers one call. */
  final class Responder {
    private final CompletableFuture<RpcReply> answer;
    private final Runnable cancelTimeout;

    private Responder(CompletableFuture<RpcReply> answer, Runnable cancelTimeout) {
      this.answer = answer;
      this.cancelTimeout = cancelTimeout;
    }

    void reply(MessageLite body) {
      byte[] bytes = body.toByteArray();
      back(() -> answer.complete(new RpcReply(ByteBuffer.wrap(bytes), Payload.EMPTY)));
    }

    void fail(RpcException failure) {
      back(() -> answer.completeExceptionally(failure));
    }

    /** Ends the connection that the call came over. */
    void cut() {
      FakeConnection.this.close();
    }

    private void back(Runnable completion) {
      time.after(
          FakeWire.LATENCY_MILLIS,
          () -> {
            if (isOpen()) {
              cancelTimeout.run();
              completion.run();
            }
          });
    }
  }

  private RpcException lost() {
    return new RpcException(ErrorCode.CONNECTION_LOST, "the connection to " + remote + " ended");
  }

  @Override
  public boolean isOpen() {
    return !closed.isDone();
  }

  @Override
  public CompletableFuture<Void> closed() {
    return closed;
  }

  @Override
  public void close() {
    if (closed.complete(null)) {
      peer.forget(this);
      List.copyOf(underWay).forEach(call -> call.completeExceptionally(lost()));
    }
  }
}
