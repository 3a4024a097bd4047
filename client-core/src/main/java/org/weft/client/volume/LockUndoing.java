package org.weft.client.volume;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.LockRangeReply;
import org.weft.protocol.wire.LockedRange;

/**
 * Takes a lock back that was given when it was not wanted any more: the owner then has of the range
 * what it had before. What it had exclusively and asked to share stays shared, since others may
 * share it by now. On the session's home executor.
 */
record LockUndoing(LockCalls calls, LockCalls.Locker locker, LockCalls.Wanted wanted) {
  private static final Logger LOG = LoggerFactory.getLogger(LockUndoing.class);

  /** Completes normally when it is done, or cannot be. */
  CompletableFuture<Void> undo(Answer<LockRangeReply> given) {
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
        LockCalls.Wanted shared = new LockCalls.Wanted(range, false, false);
        steps.add(() -> calls.ask(locker, shared, 0, OptionalLong.of(sessionId)));
      }
    }
    for (ByteRange gap : gaps.list()) {
      steps.add(() -> calls.unlock(sessionId, locker, gap));
    }
    return CompletableFuture.allOf(
        steps.stream()
            .map(step -> step.get().handle((done, failure) -> told(failure)))
            .toArray(CompletableFuture[]::new));
  }

  private Void told(Throwable failure) {
    if (failure != null) {
      RpcException why = RpcException.of(failure);
      LOG.warn(
          "a lock on {} that was not wanted any more may stay until its owner unlocks it: {}",
          locker.path(),
          why.getMessage());
    }
    return null;
  }
}
