package org.weft.metadata.help;

import com.google.protobuf.UnsafeByteOperations;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.weft.client.osd.OsdFailure;
import org.weft.metadata.grant.CapabilityMint;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.EndShareRequest;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.ShareIdentity;
import org.weft.protocol.wire.ShareState;
import org.weft.protocol.wire.StartShareRequest;
import org.weft.protocol.wire.WatchShareRequest;
import org.weft.recovery.rebuild.RebuildOutcome;

/**
 * One component that a worker is to copy, from the asking to the end (P 6.8). It counts as copied
 * only by the worker's word that it is durable. A worker that says nothing for {@link
 * #PATIENCE_NANOS} is lost, whatever it does: the number is never given to another, and what it
 * writes late is refused with it. An answer after that is not heard. Confined to the volume's
 * thread.
 */
final class ShareCall {
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(8);

  /** A worker that answers and writes nothing for so long counts as lost, too. */
  static final long PROGRESS_NANOS = TimeUnit.MINUTES.toNanos(5);

  /** Well within its life; OSDs' clocks may be ahead. */
  static final long RENEW_NANOS =
      TimeUnit.MILLISECONDS.toNanos(CapabilityMint.COPIERS_LIFE_MILLIS / 5);

  private static final long LONG_LENT_NANOS =
      TimeUnit.MILLISECONDS.toNanos(CapabilityMint.COPIERS_LIFE_MILLIS / 2);

  private static final int START_MILLIS = 3_000;
  private static final int WATCH_MILLIS = 3_000;
  private static final int END_MILLIS = 1_000;
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  private final CopyWorkers workers;
  private final ManagerRow worker;
  private final ShareIdentity identity;
  private final ComponentCopy copy;
  private final Supplier<SignedCapability> lent;
  private final BooleanSupplier wanted;
  private final LongConsumer written;
  private final Environment environment;
  private final Executor home;
  private final CompletableFuture<RebuildOutcome> outcome = new CompletableFuture<>();
  private long heardNanos;
  private long progressNanos;
  private long heardBytes;
  private long askedNanos;
  private long lentNanos;
  private boolean accepted;
  private boolean isRightRefused;

  /**
   * @param worker was {@linkplain CopyWorkers#take taken} for it
   * @param lent makes the capability that the worker is given in place of the copy's own, and the
   *     next one before that has expired
   * @param wanted false once nothing comes of the copy any more
   * @param written hears of bytes that were written
   * @param home the volume's thread
   */
  ShareCall(
      CopyWorkers workers,
      ManagerRow worker,
      ShareIdentity identity,
      ComponentCopy copy,
      Supplier<SignedCapability> lent,
      BooleanSupplier wanted,
      LongConsumer written,
      Environment environment,
      Executor home) {
    this.workers = workers;
    this.worker = worker;
    this.identity = identity;
    this.copy = copy;
    this.lent = lent;
    this.wanted = wanted;
    this.written = written;
    this.environment = environment;
    this.home = home;
  }

  int manager() {
    return worker.getManagerId();
  }

  /** False while it is offered alone. */
  boolean isAccepted() {
    return accepted;
  }

  /** True if it failed because its target does not take the right to copy: no worker can do it. */
  boolean isRightRefused() {
    return isRightRefused;
  }

  /** What came of it, if it was {@linkplain #start taken}. */
  CompletableFuture<RebuildOutcome> outcome() {
    return outcome;
  }

  /**
   * Asks the worker. Completes with true if it has begun, or may have: then the {@link #outcome}
   * follows; with false if it has not and does not.
   */
  CompletableFuture<Boolean> start() {
    CompletableFuture<Boolean> taken = new CompletableFuture<>();
    var unused =
        workers
            .connected(worker)
            .whenCompleteAsync(
                (connection, failure) -> {
                  if (failure != null) {
                    workers.failed(manager());
                    taken.complete(false);
                  } else {
                    askOrLose(connection, taken);
                  }
                },
                home);
    return taken;
  }

  /** Whatever fails here: it may have been asked, and no stage tells of it. */
  private void askOrLose(RpcConnection connection, CompletableFuture<Boolean> taken) {
    try {
      ask(connection, taken);
    } catch (RuntimeException | Error e) {
      accept(taken);
      lose(WeftException.of(e));
    }
  }

  private void ask(RpcConnection connection, CompletableFuture<Boolean> taken) {
    heardNanos = environment.ticker().nowNanos();
    askedNanos = heardNanos;
    lentNanos = heardNanos;
    StartShareRequest request = copy.by(lent.get()).toMessage(identity);
    var unused =
        workers
            .call(connection, Opcode.START_SHARE, request, START_MILLIS)
            .whenCompleteAsync((reply, failure) -> started(taken, reply, failure), home);
  }

  private void started(CompletableFuture<Boolean> taken, RpcReply reply, Throwable failure) {
    if (failure == null) {
      reply.payload().release();
      progressNanos = environment.ticker().nowNanos();
      accept(taken);
      watch();
      return;
    }
    WeftException why = WeftException.of(failure);
    switch (why.code()) {
      case BUSY -> {
        workers.refused(manager());
        taken.complete(false);
      }
      // The worker has not understood the request. UNAUTHENTICATED is another matter: see below.
      case INVALID_ARGUMENT, MALFORMED, UNSUPPORTED -> {
        workers.failed(manager());
        taken.complete(false);
      }
      default -> {
        // It may have begun, and its answer was lost. It has proved the token before: an answer
        // without a proof is not its own, or comes from another process in its place.
        accept(taken);
        lose(why);
      }
    }
  }

  private void accept(CompletableFuture<Boolean> taken) {
    accepted = true;
    workers.accepted(manager());
    taken.complete(true);
  }

  private void watch() {
    if (outcome.isDone()) {
      return;
    }
    if (!wanted.getAsBoolean()) {
      fail(
          new WeftException(
              ErrorCode.GRANT_REVOKED,
              "object " + copy.name() + " was written or changed while it was rebuilt"));
      return;
    }
    long watchedNanos = environment.ticker().nowNanos();
    boolean renews = watchedNanos - lentNanos >= RENEW_NANOS;
    WatchShareRequest.Builder request = WatchShareRequest.newBuilder().setShare(identity);
    if (renews) {
      SignedCapability next = lent.get();
      request
          .setCapability(next.encoded())
          .setSecret(UnsafeByteOperations.unsafeWrap(next.secret()));
    }
    var unused =
        workers
            .connected(worker)
            .thenCompose(
                connection ->
                    workers.call(connection, Opcode.WATCH_SHARE, request.build(), WATCH_MILLIS))
            .thenCompose(ShareCall::state)
            .whenCompleteAsync(
                (state, failure) -> {
                  if (renews && failure == null) {
                    lentNanos = watchedNanos;
                  }
                  heard(state, failure);
                },
                home);
  }

  private static CompletableFuture<ShareState> state(RpcReply reply) {
    try {
      return CompletableFuture.completedFuture(reply.parse(ShareState.parser()));
    } catch (WeftException e) {
      return CompletableFuture.failedFuture(e);
    } finally {
      reply.payload().release();
    }
  }

  private void heard(ShareState state, Throwable failure) {
    if (outcome.isDone()) {
      return;
    }
    long nowNanos = environment.ticker().nowNanos();
    if (failure != null) {
      WeftException why = WeftException.of(failure);
      // Another process has the worker's place, or the worker has given the share up.
      boolean isGone = why.code() == ErrorCode.NOT_FOUND;
      if (isGone || nowNanos - heardNanos >= PATIENCE_NANOS) {
        lose(why);
      } else {
        environment.scheduler().schedule(RETRY_NANOS, home, this::watch);
      }
      return;
    }
    heardNanos = nowNanos;
    if (state.getBytesDone() > heardBytes) {
      written.accept(state.getBytesDone() - heardBytes);
      heardBytes = state.getBytesDone();
      progressNanos = nowNanos;
    }
    if (state.getDone()) {
      workers.succeeded(manager());
      tellEnd();
      outcome.complete(new RebuildOutcome(state.getLostBlocks(), state.getLostOffsetList()));
    } else if (state.getError() != 0) {
      failed(failureOf(state));
    } else if (nowNanos - progressNanos >= PROGRESS_NANOS) {
      lose(new WeftException(ErrorCode.DEADLINE_EXCEEDED, "it has written nothing for minutes"));
    } else {
      watch();
    }
  }

  /**
   * That an OSD has no space, or a bad disk, is so for every manager. All else may be the worker's
   * own trouble, as a bad path to an OSD: it says nothing of that OSD. A target that does not take
   * the right to copy says nothing of the worker; another OSD refuses a worker that asks for too
   * much.
   */
  private void failed(WeftException why) {
    switch (why.code()) {
      case NO_SPACE, BAD_MEDIA, STORE_FAILED, QUARANTINED -> fail(why);
      case CAPABILITY_INVALID, CAPABILITY_EXPIRED -> {
        if (OsdFailure.osdIn(why).equals(Optional.of(copy.target()))) {
          isRightRefused = !isLentForLong();
          fail(WorkerLost.failure(manager(), why));
        } else {
          lose(why);
        }
      }
      default -> lose(why);
    }
  }

  /** The right may be over because a worker of an earlier release does not hear of the next one. */
  private boolean isLentForLong() {
    return environment.ticker().nowNanos() - askedNanos >= LONG_LENT_NANOS;
  }

  private static WeftException failureOf(ShareState state) {
    ErrorCode code = ErrorCode.of(state.getError());
    return state.getFailedOsd() == 0
        ? new WeftException(code, state.getMessage())
        : new WeftException(
            code, state.getMessage(), OsdFailure.at(new OsdId(state.getFailedOsd())));
  }

  private void lose(WeftException why) {
    workers.failed(manager());
    fail(WorkerLost.failure(manager(), why));
  }

  private void fail(WeftException why) {
    tellEnd();
    outcome.completeExceptionally(why);
  }

  /** Helps it to stop early; a worker that does not hear it stops once it is not watched. */
  private void tellEnd() {
    EndShareRequest request = EndShareRequest.newBuilder().setShare(identity).build();
    var unused =
        workers
            .connected(worker)
            .thenCompose(
                connection -> workers.call(connection, Opcode.END_SHARE, request, END_MILLIS))
            .thenAccept(reply -> reply.payload().release());
  }

  /** The volume is not served here any more. */
  void close() {
    if (!outcome.isDone()) {
      fail(new WeftException(ErrorCode.CANCELLED, "the volume is not served here any more"));
    }
  }
}
