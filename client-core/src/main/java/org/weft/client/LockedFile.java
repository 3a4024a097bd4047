package org.weft.client;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.weft.client.volume.Answer;
import org.weft.client.volume.LockCalls;
import org.weft.client.volume.LockWaiting;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.LockRangeReply;

/**
 * A file as one owner locks ranges of it. What is locked replaces what the owner had there: a
 * shared range becomes exclusive or the other way round, ranges that touch become one, and
 * unlocking a part leaves the rest. A range that ends at {@link ByteRange#END} reaches as far as
 * the file ever does.
 *
 * <p>All its locks are of one session with the manager. If that ends they are lost, and every later
 * call fails with SESSION_EXPIRED, so that an owner never goes on with some of its locks: open the
 * file anew.
 *
 * <p>Thread-safe. Futures complete as those of {@link WeftFileSystem}.
 */
public final class LockedFile {
  private static final long NONE = 0;

  private final LockCalls calls;
  private final LockCalls.Locker locker;
  private final Callbacks callbacks;

  // Guarded by this.
  private long sessionId = NONE;
  private boolean closed;

  /** What was cancelled has been undone; never fails. */
  private CompletableFuture<?> undone = CompletableFuture.completedFuture(null);

  private LockedFile(LockCalls calls, LockCalls.Locker locker, Callbacks callbacks) {
    this.calls = calls;
    this.locker = locker;
    this.callbacks = callbacks;
  }

  static LockedFile of(
      WeftPath path, LockCalls calls, AttributesReply found, LockOwner owner, Callbacks callbacks) {
    return new LockedFile(
        calls,
        new LockCalls.Locker(
            path.toString(),
            found.getAttributes().getObjectId(),
            found.getHandle(),
            owner.key(),
            owner.blocked()),
        callbacks);
  }

  /**
   * Locks a range. If others are in the way it waits for them; several who wait are told in the
   * order in which they came, but an owner that comes meanwhile may be served first. LOCKED naming
   * one of those in the way when patience is over, DEADLOCK if it would wait for itself by way of
   * others.
   *
   * <p>The future may be cancelled: then the owner has what it had before, and what it asks for
   * afterwards is done after that; but what it had exclusively and asked to share may stay shared.
   * If the manager does not answer within the client's request timeout (DEADLINE_EXCEEDED) the
   * range may be locked or not, and may yet be locked a little later; {@link #close} gives all up.
   *
   * @param patience zero: it does not wait
   */
  public CompletableFuture<Void> lock(ByteRange range, LockMode mode, Duration patience) {
    LockCalls.Wanted wanted = wanted(range, mode, false);
    return asked(
        wanted,
        Math.max(0, patience.toMillis()),
        reply -> {
          if (!isGranted(reply)) {
            throw new CompletionException(refusal(wanted, reply));
          }
          return null;
        });
  }

  /** Locks a range, or says false if others are in the way. */
  public CompletableFuture<Boolean> tryLock(ByteRange range, LockMode mode) {
    return asked(wanted(range, mode, false), 0, LockedFile::isGranted);
  }

  /**
   * Takes over what the same owner had locked in a session that has ended and whose locks are kept
   * for this client. LOCKED if others are in the way.
   *
   * @return false if the range is locked now, but was not all of it all the time
   */
  public CompletableFuture<Boolean> reclaim(ByteRange range, LockMode mode) {
    LockCalls.Wanted wanted = wanted(range, mode, true);
    return asked(
        wanted,
        0,
        reply -> {
          if (!isGranted(reply)) {
            throw new CompletionException(refusal(wanted, reply));
          }
          return reply.getReclaimed();
        });
  }

  /**
   * Unlocks a range; what is not locked is no error.
   *
   * @return false if not all of it was locked
   */
  public CompletableFuture<Boolean> unlock(ByteRange range) {
    return callbacks.deliver(undone().thenCompose(done -> explained(unlockNow(range))));
  }

  private CompletableFuture<Boolean> unlockNow(ByteRange range) {
    OptionalLong bound = bound();
    return bound.isEmpty()
        ? CompletableFuture.completedFuture(false)
        : calls.unlock(bound.getAsLong(), locker, range);
  }

  /** Who is in the way of such a lock now; empty if nobody. */
  public CompletableFuture<Optional<LockHolder>> test(ByteRange range, LockMode mode) {
    return callbacks.deliver(
        calls
            .inTheWay(locker, wanted(range, mode, false))
            .thenApply(
                reply -> reply.getHolderList().stream().findFirst().map(LockHolder::fromMessage)));
  }

  /** Unlocks everything that the owner has locked of the file, and gives up what it waits for. */
  public CompletableFuture<Void> close() {
    synchronized (this) {
      closed = true;
    }
    return callbacks.deliver(
        undone()
            .thenCompose(done -> unlockNow(ByteRange.ALL))
            .handle((unlocked, failure) -> failure)
            .thenCompose(LockedFile::unlessEnded));
  }

  /** With the session the locks have ended, too. */
  private static CompletableFuture<Void> unlessEnded(Throwable failure) {
    boolean done = failure == null || RpcException.of(failure).code() == ErrorCode.SESSION_EXPIRED;
    return done
        ? CompletableFuture.completedFuture(null)
        : CompletableFuture.failedFuture(RpcException.of(failure));
  }

  /** False once it is known that the session that its locks were of has ended. */
  public boolean isHeld() {
    OptionalLong bound = bound();
    return bound.isEmpty() || calls.isLive(bound.getAsLong());
  }

  private synchronized OptionalLong bound() {
    return sessionId == NONE ? OptionalLong.empty() : OptionalLong.of(sessionId);
  }

  private static LockCalls.Wanted wanted(ByteRange range, LockMode mode, boolean reclaim) {
    return new LockCalls.Wanted(range, mode == LockMode.EXCLUSIVE, reclaim);
  }

  private <T> CompletableFuture<T> asked(
      LockCalls.Wanted wanted, long patienceMillis, Function<LockRangeReply, T> meaning) {
    synchronized (this) {
      if (closed) {
        return callbacks.deliver(CompletableFuture.failedFuture(isClosed()));
      }
    }
    LockWaiting asked = calls.lock(locker, wanted, undone(), this::bound, patienceMillis);
    CompletableFuture<T> outcome =
        explained(
            asked
                .result()
                .thenCompose(answer -> checked(wanted, answer))
                .thenApply(answer -> meaning.apply(answer.body())));
    CompletableFuture<T> delivered = callbacks.deliver(outcome);
    var unused =
        delivered.whenComplete(
            (value, failure) -> {
              if (delivered.isCancelled()) {
                cancel(wanted, asked);
              }
            });
    return delivered;
  }

  /** What the owner asks for afterwards begins when what was cancelled is undone. */
  private void cancel(LockCalls.Wanted wanted, LockWaiting asked) {
    boolean begunToEnd = asked.result().cancel(false);
    CompletableFuture<?> ending =
        begunToEnd || asked.result().isCompletedExceptionally()
            ? asked.settled()
            : calls.undo(locker, wanted, asked.result().join());
    synchronized (this) {
      undone = CompletableFuture.allOf(undone, ending);
    }
  }

  private synchronized CompletableFuture<?> undone() {
    return undone;
  }

  private CompletableFuture<Answer<LockRangeReply>> checked(
      LockCalls.Wanted wanted, Answer<LockRangeReply> answer) {
    if (!isGranted(answer.body())) {
      return CompletableFuture.completedFuture(answer);
    }
    RpcException refused;
    synchronized (this) {
      if (closed) {
        refused = isClosed();
      } else if (sessionId == NONE || sessionId == answer.sessionId()) {
        sessionId = answer.sessionId();
        return CompletableFuture.completedFuture(answer);
      } else {
        refused = new RpcException(ErrorCode.SESSION_EXPIRED, "");
      }
    }
    var unused = calls.undo(locker, wanted, answer);
    return CompletableFuture.failedFuture(refused);
  }

  private RpcException isClosed() {
    return new RpcException(
        ErrorCode.CANCELLED, locker.path() + ": its locks were all given up; open it anew");
  }

  private <T> CompletableFuture<T> explained(CompletableFuture<T> asked) {
    return asked.exceptionallyCompose(
        thrown -> {
          RpcException failure = RpcException.of(thrown);
          return CompletableFuture.failedFuture(
              failure.code() == ErrorCode.SESSION_EXPIRED ? lost(failure) : failure);
        });
  }

  private RpcException lost(RpcException failure) {
    return new RpcException(
        ErrorCode.SESSION_EXPIRED,
        locker.path()
            + ": the session with the manager has ended, and with it all locks that this owner had on"
            + " the file; open it anew",
        failure);
  }

  private static boolean isGranted(LockRangeReply reply) {
    return reply.getOutcome() == LockRangeReply.Outcome.GRANTED;
  }

  private RpcException refusal(LockCalls.Wanted wanted, LockRangeReply reply) {
    LockHolder holder = LockHolder.fromMessage(reply.getHolder());
    return reply.getOutcome() == LockRangeReply.Outcome.DEADLOCK
        ? new RpcException(
            ErrorCode.DEADLOCK,
            locker.path()
                + ": waiting for bytes "
                + wanted.range()
                + " would be a deadlock: they are locked, "
                + holder
                + ", which waits for what this owner has locked; unlock something first")
        : new RpcException(
            ErrorCode.LOCKED,
            locker.path() + ": bytes " + wanted.range() + " are locked: " + holder);
  }
}
