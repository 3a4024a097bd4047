package org.weft.client.volume;

import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.wire.LockRangeReply;

/**
 * One lock from the first question to the end of waiting for it (P 6.5). The manager tells on the
 * control connection when it may be free, and is asked again then. It is also asked every few
 * seconds, for a word may be lost. A manager that starts knows of no lock that is waited for.
 *
 * <p>The result completes with the manager's last answer. The lock is given, it would be a
 * deadlock, or an owner is in the way when patience is over. The question under way at that moment
 * is answered first. It may be cancelled. Then the owner waits no more, and a lock that was given
 * at that moment is given back, to what the owner had before.
 *
 * <p>Confined to the session's home executor, but for the public methods, which are thread-safe.
 */
public final class LockWaiting {
  private static final Logger LOG = LoggerFactory.getLogger(LockWaiting.class);

  /** As long as nothing that the manager says may arrive. */
  private static final long UNHEARD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);
  private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final VolumeSession session;
  private final LockCalls calls;
  private final LockCalls.Locker locker;
  private final LockCalls.Wanted wanted;
  private final CompletableFuture<SessionReply<LockRangeReply>> result = new CompletableFuture<>();
  private final CompletableFuture<Void> settled = new CompletableFuture<>();
  private final long waitNumber;

  private final Supplier<OptionalLong> boundTo;
  private final Function<SessionReply<LockRangeReply>, CompletableFuture<Void>> giveBack;

  /** The last answer that it is to wait; null if there is none, or it waits no more. */
  private SessionReply<LockRangeReply> refusal;

  private Runnable unwatch;
  private boolean waits;
  private long deadlineNanos;
  private boolean asking;
  private boolean finished;
  private boolean freedMeanwhile;
  private int pauses;
  private volatile boolean inDoubt;

  LockWaiting(
      VolumeSession session,
      LockCalls calls,
      LockCalls.Locker locker,
      LockCalls.Wanted wanted,
      Supplier<OptionalLong> boundTo,
      Function<SessionReply<LockRangeReply>, CompletableFuture<Void>> giveBack) {
    this.session = session;
    this.calls = calls;
    this.locker = locker;
    this.wanted = wanted;
    this.boundTo = boundTo;
    this.giveBack = giveBack;
    // 0 stands for a request that does not wait.
    this.waitNumber = session.environment().random().nextLong() | 1;
  }

  void start(CompletableFuture<?> after, long patienceMillis) {
    waits = patienceMillis > 0;
    deadlineNanos = session.nowNanos() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
    var unusedStart = after.whenComplete((done, failure) -> session.later(0, this::ask));
    // Also when the caller cancels, on a thread of its own.
    var unusedEnd =
        result.whenComplete((answer, failure) -> session.later(0, this::finishUnlessAsking));
  }

  /** What came of it; may be cancelled. */
  public CompletableFuture<SessionReply<LockRangeReply>> result() {
    return result;
  }

  /** Completes when nothing more comes of it, also of what was to be undone. */
  public CompletableFuture<Void> settled() {
    return settled;
  }

  /** Its last question was not answered in time, and may be yet. */
  public boolean isInDoubt() {
    return inDoubt;
  }

  private void ask() {
    if (result.isDone()) {
      return;
    }
    asking = true;
    freedMeanwhile = false;
    boolean heard = refusal != null && session.control().hears(refusal.sessionId());
    var unused =
        calls
            .ask(locker, wanted, waits ? waitNumber : 0, boundTo.get(), this::late)
            .whenComplete(
                (answer, failure) -> {
                  asking = false;
                  if (failure == null) {
                    answered(answer, heard);
                    return;
                  }
                  inDoubt = WeftException.of(failure).code() == ErrorCode.DEADLINE_EXCEEDED;
                  if (!result.completeExceptionally(WeftException.of(failure))) {
                    finish(DONE);
                  }
                });
  }

  /** The question's time is over, and so is the waiting. */
  private void late(SessionReply<LockRangeReply> answer) {
    var unused = giveBack.apply(answer);
  }

  private void answered(SessionReply<LockRangeReply> answer, boolean heard) {
    if (waits && answer.body().getOutcome() == LockRangeReply.Outcome.HELD) {
      refusal = answer;
      waitOn(heard);
      return;
    }
    refusal = null;
    if (!result.complete(answer)) {
      finish(giveBack.apply(answer));
    }
  }

  private void waitOn(boolean heard) {
    if (result.isDone()) {
      finish(DONE);
      return;
    }
    long leftNanos = deadlineNanos - session.nowNanos();
    if (leftNanos <= 0) {
      result.complete(refusal);
      return;
    }
    if (unwatch == null) {
      unwatch = session.control().watch(locker.objectId(), new Freed());
    }
    if (freedMeanwhile) {
      ask();
      return;
    }
    int pause = ++pauses;
    session.later(
        Math.min(heard ? AGAIN_NANOS : UNHEARD_NANOS, leftNanos),
        () -> {
          if (pause == pauses && !asking) {
            ask();
          }
        });
  }

  /** Hears that the lock may be free. */
  private final class Freed implements ControlListener {
    @Override
    public void recalled(long grant, ByteRange range) {
      // That concerns files that are being written.
    }

    @Override
    public void lockFreed(long number) {
      if (number != waitNumber) {
        return;
      }
      if (asking) {
        freedMeanwhile = true;
      } else {
        pauses++;
        ask();
      }
    }
  }

  private void finishUnlessAsking() {
    if (!asking) {
      finish(DONE);
    }
  }

  private void finish(CompletableFuture<Void> undone) {
    if (finished) {
      return;
    }
    finished = true;
    if (unwatch != null) {
      unwatch.run();
    }
    CompletableFuture<Void> forgotten = refusal == null ? DONE : forget(refusal.sessionId());
    var unused = undone.runAfterBoth(forgotten, () -> settled.complete(null));
  }

  /** The manager forgets that the owner waits, so that it counts for no deadlock. */
  private CompletableFuture<Void> forget(long sessionId) {
    return calls
        .cancel(sessionId, locker, waitNumber)
        .exceptionally(
            failure -> {
              LOG.debug(
                  "{}: the manager forgets the waiting lock by itself: {}",
                  locker.path(),
                  failure.toString());
              return null;
            });
  }
}
