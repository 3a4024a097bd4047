package org.weft.client.volume;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.wire.LockRangeReply;
import org.weft.protocol.wire.LockedRange;

/**
 * Takes a lock back that was given when it was not wanted any more. The owner then has of the range
 * what it had before, except for what it locked or unlocked meanwhile. What it had exclusively and
 * asked to share stays shared, since others may share it by now. On the session's home executor.
 */
record LockUndoing(
    LockCalls calls, LockCalls.Locker locker, LockCalls.Wanted wanted, LockedSince since) {
  private static final Logger LOG = LoggerFactory.getLogger(LockUndoing.class);

  /** Completes normally when it is done, or cannot be. */
  CompletableFuture<Void> undo(SessionReply<LockRangeReply> given) {
    LockRangeReply reply = given.body();
    long sessionId = given.sessionId();
    if (reply.getOutcome() != LockRangeReply.Outcome.GRANTED) {
      return CompletableFuture.completedFuture(null);
    }
    List<Supplier<CompletableFuture<?>>> steps = new ArrayList<>();
    ByteRanges gaps = ByteRanges.NONE.plus(wanted.range());
    for (LockedRange before : reply.getBeforeList()) {
      ByteRange range = ByteRange.fromMessage(before.getFrom(), before.getTo());
      gaps = gaps.minus(range);
      if (wanted.exclusive() && !before.getExclusive()) {
        ByteRanges again =
            ByteRanges.NONE.plus(range).minus(since.exclusive()).minus(since.unlocked());
        for (ByteRange each : again.list()) {
          LockCalls.Wanted shared = new LockCalls.Wanted(each, false, false);
          steps.add(() -> calls.ask(locker, shared, 0, OptionalLong.of(sessionId), answer -> {}));
        }
      }
    }
    ByteRanges surplus = gaps.plus(since.unlocked().within(wanted.range())).minus(since.locked());
    for (ByteRange each : surplus.list()) {
      steps.add(() -> calls.unlock(sessionId, locker, each));
    }
    return all(steps);
  }

  /** Nothing of the range is wanted any more, whatever there was before. */
  CompletableFuture<Void> release(SessionReply<LockRangeReply> given) {
    return given.body().getOutcome() == LockRangeReply.Outcome.GRANTED
        ? unlock(given.sessionId(), List.of(wanted.range()))
        : CompletableFuture.completedFuture(null);
  }

  CompletableFuture<Void> unlock(long sessionId, List<ByteRange> ranges) {
    List<Supplier<CompletableFuture<?>>> steps = new ArrayList<>();
    for (ByteRange range : ranges) {
      steps.add(() -> calls.unlock(sessionId, locker, range));
    }
    return all(steps);
  }

  private CompletableFuture<Void> all(List<Supplier<CompletableFuture<?>>> steps) {
    return CompletableFuture.allOf(
        steps.stream()
            .map(step -> step.get().handle((done, failure) -> told(failure)))
            .toArray(CompletableFuture[]::new));
  }

  private Void told(Throwable failure) {
    if (failure != null) {
      WeftException why = WeftException.of(failure);
      LOG.warn(
          "a lock on {} that was not wanted any more may stay until its owner unlocks it: {}",
          locker.path(),
          why.getMessage());
    }
    return null;
  }
}
