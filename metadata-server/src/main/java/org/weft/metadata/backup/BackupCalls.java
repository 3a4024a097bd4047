package org.weft.metadata.backup;

import com.google.protobuf.MessageLite;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Environment;

/**
 * Calls of one copy to its backup, over one connection at a time. A call without an answer is
 * repeated, with the same bytes, for {@link #PATIENCE_NANOS} at most. Thread-safe.
 */
final class BackupCalls implements AutoCloseable {
  /** How long the primary acknowledges nothing before it continues without this backup. */
  static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

  static final int CALL_MILLIS = 1_000;
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Environment environment;
  private final Executor reading;
  private final Supplier<CompletionStage<RpcConnection>> connecting;
  private final byte[] secret;

  // Guarded by this.
  private RpcConnection connection;
  private long failingSinceNanos = -1;
  private boolean closed;

  /**
   * @param reading for what blocks
   * @param connecting opens a connection to the backup
   * @param secret made from the join token
   */
  BackupCalls(
      Environment environment,
      Executor reading,
      Supplier<CompletionStage<RpcConnection>> connecting,
      byte[] secret) {
    this.environment = environment;
    this.reading = reading;
    this.connecting = connecting;
    this.secret = secret.clone();
  }

  /** Repeats the request, with the same bytes, until it is answered or patience is over. */
  CompletableFuture<RpcReply> call(Opcode opcode, MessageLite body) {
    CompletableFuture<RpcReply> answer = new CompletableFuture<>();
    attempt(opcode, body, answer);
    return answer;
  }

  private void attempt(Opcode opcode, MessageLite body, CompletableFuture<RpcReply> answer) {
    CompletionStage<RpcConnection> open;
    try {
      open = connected();
    } catch (RuntimeException | Error e) {
      answer.completeExceptionally(e);
      return;
    }
    var unused =
        open.thenCompose(to -> to.call(RpcRequest.proven(opcode, body, CALL_MILLIS, secret)))
            .whenComplete(
                (reply, failure) -> {
                  if (failure == null) {
                    synchronized (this) {
                      failingSinceNanos = -1;
                    }
                    answer.complete(reply);
                  } else {
                    failed(opcode, body, answer, WeftException.of(failure));
                  }
                });
  }

  private void failed(
      Opcode opcode, MessageLite body, CompletableFuture<RpcReply> answer, WeftException why) {
    // One that is away or stopping is not waited for: the primary goes on alone.
    boolean again = why.code().isInDoubt() || why.code() == ErrorCode.OVERLOADED;
    if (!again || !mayTryAgain()) {
      answer.completeExceptionally(why);
      return;
    }
    disconnect();
    environment
        .scheduler()
        .schedule(
            RETRY_NANOS, task -> readOrGiveUp(task, answer), () -> attempt(opcode, body, answer));
  }

  private void readOrGiveUp(Runnable task, CompletableFuture<RpcReply> answer) {
    try {
      reading.execute(task);
    } catch (RuntimeException | Error e) {
      answer.completeExceptionally(cannotRead(e));
    }
  }

  static WeftException cannotRead(Throwable cause) {
    return new WeftException(
        ErrorCode.OVERLOADED, "too many copies are read at once, or no memory is left", cause);
  }

  private synchronized boolean mayTryAgain() {
    long nowNanos = environment.ticker().nowNanos();
    failingSinceNanos = failingSinceNanos == -1 ? nowNanos : failingSinceNanos;
    return !closed && nowNanos - failingSinceNanos < PATIENCE_NANOS;
  }

  private CompletionStage<RpcConnection> connected() {
    synchronized (this) {
      if (closed) {
        return CompletableFuture.failedFuture(
            new WeftException(ErrorCode.CANCELLED, "the copy was given up"));
      }
      if (connection != null && connection.isOpen()) {
        return CompletableFuture.completedFuture(connection);
      }
    }
    return connecting
        .get()
        .thenApply(
            opened -> {
              boolean useless;
              synchronized (this) {
                useless = closed;
                connection = useless ? connection : opened;
              }
              if (useless) {
                opened.close();
              }
              return opened;
            });
  }

  private void disconnect() {
    RpcConnection old;
    synchronized (this) {
      old = connection;
      connection = null;
    }
    if (old != null) {
      old.close();
    }
  }

  /** Nothing is repeated any more. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    disconnect();
  }
}
