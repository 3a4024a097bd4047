package org.weft.metadata;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.JoinReply;

/**
 * A manager's first join after its start. It is asked for again while no SysMgr answers: SysMgr may
 * start later than the manager, or be slow while a whole site starts. Confined to its home
 * executor.
 */
final class FirstJoin {
  private static final Logger LOG = LoggerFactory.getLogger(FirstJoin.class);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  private final Environment environment;
  private final Executor home;
  private final Supplier<CompletableFuture<JoinReply>> ask;
  private final ObjLongConsumer<JoinReply> answered;
  private final long deadlineNanos;
  private final CompletableFuture<Void> joined = new CompletableFuture<>();
  private String saidNotJoined = "";

  /**
   * @param ask sends the request
   * @param answered gets the reply, and the ticker's nanoseconds when its request was sent
   * @param timeoutMillis after which it is given up, with the last failure
   */
  FirstJoin(
      Environment environment,
      Executor home,
      Supplier<CompletableFuture<JoinReply>> ask,
      ObjLongConsumer<JoinReply> answered,
      int timeoutMillis) {
    this.environment = environment;
    this.home = home;
    this.ask = ask;
    this.answered = answered;
    this.deadlineNanos =
        environment.ticker().nowNanos() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
  }

  /** Completes when the manager has joined; fails as SysMgr refused, or UNAVAILABLE. Any thread. */
  CompletableFuture<Void> joined() {
    return joined;
  }

  void begin() {
    long sentNanos = environment.ticker().nowNanos();
    var unused =
        ask.get()
            .thenAccept(reply -> answered.accept(reply, sentNanos))
            .whenComplete(
                (nothing, failure) -> {
                  if (failure == null) {
                    joined.complete(null);
                  } else {
                    failed(WeftException.of(failure));
                  }
                });
  }

  private void failed(WeftException why) {
    boolean again =
        why.code() == ErrorCode.UNAVAILABLE
            && environment.ticker().nowNanos() + RETRY_NANOS - deadlineNanos < 0;
    if (again) {
      sayWhyNotJoined(String.valueOf(why.getMessage()));
      environment.scheduler().schedule(RETRY_NANOS, home, this::begin);
    } else {
      joined.completeExceptionally(why);
    }
  }

  /** Before the manager gives up, which takes minutes; each reason once in a row. */
  private void sayWhyNotJoined(String reason) {
    if (!reason.equals(saidNotJoined)) {
      saidNotJoined = reason;
      LOG.warn("not in the cluster yet: {}", reason);
    }
  }
}
