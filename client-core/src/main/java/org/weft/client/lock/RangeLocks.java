package org.weft.client.lock;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.weft.client.callback.Callbacks;
import org.weft.client.volume.AskedLock;
import org.weft.client.volume.LockCalls;
import org.weft.client.volume.LockWaiting;
import org.weft.client.volume.LockedSince;
import org.weft.client.volume.SessionReply;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.wire.LockRangeReply;
import org.weft.protocol.wire.LockedRange;

/**
 * A file as one owner locks ranges of it. What is locked replaces what the owner had there. A
 * shared range becomes exclusive or the other way round. Ranges that touch become one, and
 * unlocking a part leaves the rest. A range that ends at {@link ByteRange#END} reaches as far as
 * the file ever does. {@code LockedFile} of the API shows it to users.
 *
 * <p>All its locks are of one session with the manager. If that ends they are lost, and every later
 * call fails with SESSION_EXPIRED: open the file anew. So an owner never goes on with some of its
 * locks.
 *
 * <p>Thread-safe. Futures complete where the callbacks say.
 */
public final class RangeLocks {
  private static final long NONE = 0;

  /** Answers that are waited for beyond their time; older ones find their lock left as it is. */
  private static final int MAX_DOUBTFUL = 64;

  private final LockCalls calls;
  private final LockCalls.Locker locker;
  private final Callbacks callbacks;

  // Guarded by this.
  private long sessionId = NONE;
  private boolean closed;

  /** Asked for, and not over. */
  private final Set<AskedLock> asks = new LinkedHashSet<>();

  /** Those whose answer did not come in time and may come yet, the oldest first. */
  private final Deque<AskedLock> doubtful = new ArrayDeque<>();

  /** What was cancelled has been undone; never fails. */
  private CompletableFuture<?> undone = CompletableFuture.completedFuture(null);

  /**
   * @param callbacks where futures complete
   */
  public RangeLocks(LockCalls calls, LockCalls.Locker locker, Callbacks callbacks) {
    this.calls = calls;
    this.locker = locker;
    this.callbacks = callbacks;
  }

  /**
   * Locks a range, waiting for others that are in the way. Fails with LOCKED when patience is over,
   * with DEADLOCK if the owner would wait for itself by way of others. Cancelling the future gives
   * the owner what it had before. A request in doubt (DEADLINE_EXCEEDED) is undone when its answer
   * comes.
   *
   * @param patience zero: it does not wait
   */
  public CompletableFuture<Void> lock(ByteRange range, boolean exclusive, Duration patience) {
    return lock(wanted(range, exclusive, false), patience);
  }

  /**
   * The same, but what the same owner had of the range in an ended session, and is kept for this
   * client, is its own. The owner does not wait for itself.
   */
  public CompletableFuture<Void> lockAgain(ByteRange range, boolean exclusive, Duration patience) {
    return lock(wanted(range, exclusive, true), patience);
  }

  private CompletableFuture<Void> lock(LockCalls.Wanted wanted, Duration patience) {
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
  public CompletableFuture<Boolean> tryLock(ByteRange range, boolean exclusive) {
    return asked(wanted(range, exclusive, false), 0, RangeLocks::isGranted);
  }

  /**
   * Takes over what the same owner had locked in a session that has ended and whose locks are kept
   * for this client. LOCKED if others are in the way, as that session is itself until it has ended,
   * if what it has is exclusive.
   *
   * @return false if not all of the range was locked all the time: what was is locked in this
   *     session, and nothing more
   */
  public CompletableFuture<Boolean> reclaim(ByteRange range, boolean exclusive) {
    return reclaim(new LockCalls.Wanted(range, exclusive, true, false, true));
  }

  /**
   * The same, also of what the owner has locked in sessions that go on. Their clients are of the
   * same user and keep their locks with the same key. They lose the lock, and are not told. For
   * gateways, whose owners come from one to another (P 6.5f).
   *
   * @return as {@link #reclaim}
   */
  public CompletableFuture<Boolean> takeOver(ByteRange range, boolean exclusive) {
    return reclaim(new LockCalls.Wanted(range, exclusive, true, true, true));
  }

  private CompletableFuture<Boolean> reclaim(LockCalls.Wanted wanted) {
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
    synchronized (this) {
      asks.forEach(ask -> ask.unlocked(range));
    }
    return callbacks.deliver(undone().thenCompose(done -> explained(unlockAfter(range))));
  }

  /**
   * What was cancelled is undone by now, with the owner's bytes as they were before, so that the
   * answer is true. Only an answer that did not come in time is undone later: not over this.
   */
  private CompletableFuture<Boolean> unlockAfter(ByteRange range) {
    synchronized (this) {
      asks.forEach(ask -> ask.unlockedNow(range));
    }
    return unlockNow(range);
  }

  private CompletableFuture<Boolean> unlockNow(ByteRange range) {
    OptionalLong bound = bound();
    return bound.isEmpty()
        ? CompletableFuture.completedFuture(false)
        : calls.unlock(bound.getAsLong(), locker, range);
  }

  /** A holder that is in the way of such a lock now; empty if there is none. */
  public CompletableFuture<Optional<RangeHolder>> test(ByteRange range, boolean exclusive) {
    return test(range, exclusive, Function.identity());
  }

  /**
   * The same.
   *
   * @param shown makes of the holder what the caller is given
   */
  public <T> CompletableFuture<Optional<T>> test(
      ByteRange range, boolean exclusive, Function<RangeHolder, T> shown) {
    return callbacks.deliver(
        calls
            .inTheWay(locker, wanted(range, exclusive, false))
            .thenApply(
                reply ->
                    reply.getHolderList().stream()
                        .findFirst()
                        .map(RangeHolder::fromMessage)
                        .map(shown)));
  }

  /**
   * Unlocks everything that the owner has locked of the file, and gives up what it asks or waits
   * for (CANCELLED), also what is given late. Completes when the manager has done so, but for locks
   * whose answer did not come in time: they are unlocked when it comes. An owner that opens the
   * file again before that takes another key.
   */
  public CompletableFuture<Void> close() {
    List<CompletableFuture<Void>> ending = new ArrayList<>();
    List<LockWaiting> givenUp = new ArrayList<>();
    synchronized (this) {
      closed = true;
      for (AskedLock ask : asks) {
        ending.add(ask.ended());
        givenUp.add(ask.waiting());
      }
    }
    givenUp.forEach(waiting -> waiting.result().completeExceptionally(isClosed()));
    return callbacks.deliver(
        CompletableFuture.allOf(ending.toArray(CompletableFuture[]::new))
            .thenCompose(done -> undone())
            .thenCompose(done -> unlockNow(ByteRange.ALL))
            .handle((unlocked, failure) -> failure)
            .thenCompose(RangeLocks::unlessEnded));
  }

  /** With the session the locks have ended, too. */
  private static CompletableFuture<Void> unlessEnded(Throwable failure) {
    boolean done = failure == null || WeftException.of(failure).code() == ErrorCode.SESSION_EXPIRED;
    return done
        ? CompletableFuture.completedFuture(null)
        : CompletableFuture.failedFuture(WeftException.of(failure));
  }

  /**
   * False once the session that its locks were of has ended, or may have. While a client is cut off
   * from the manager for longer than its lease, others may be given what it had locked. The lease
   * is counted by this client's clock from when its last renewal was sent that was answered. If the
   * manager answers again and the session is still there, so are the locks, and this is true again.
   */
  public boolean isHeld() {
    OptionalLong bound = bound();
    return bound.isEmpty() || calls.isHeld(bound.getAsLong());
  }

  private synchronized OptionalLong bound() {
    return sessionId == NONE ? OptionalLong.empty() : OptionalLong.of(sessionId);
  }

  private static LockCalls.Wanted wanted(ByteRange range, boolean exclusive, boolean reclaim) {
    return new LockCalls.Wanted(range, exclusive, reclaim);
  }

  private <T> CompletableFuture<T> asked(
      LockCalls.Wanted wanted, long patienceMillis, Function<LockRangeReply, T> meaning) {
    AskedLock ask = new AskedLock(wanted);
    CompletableFuture<SessionReply<LockRangeReply>> checked;
    synchronized (this) {
      if (closed) {
        return callbacks.deliver(CompletableFuture.failedFuture(isClosed()));
      }
      LockWaiting asked =
          calls.lock(
              locker, wanted, undone, this::bound, answer -> giveBack(ask, answer), patienceMillis);
      checked = asked.result().thenCompose(answer -> checked(ask, answer));
      ask.begun(asked, checked);
      asks.add(ask);
    }
    var unusedEnd = ask.ended().thenRun(() -> ended(ask));
    CompletableFuture<T> delivered =
        callbacks.deliver(explained(checked.thenApply(answer -> meaning.apply(answer.body()))));
    var unused =
        delivered.whenComplete(
            (value, failure) -> {
              if (delivered.isCancelled()) {
                cancel(ask);
              } else if (failure == null) {
                delivered(ask);
              }
            });
    return delivered;
  }

  /** What the owner asks for afterwards begins when what was cancelled is undone. */
  private void cancel(AskedLock ask) {
    CompletableFuture<SessionReply<LockRangeReply>> result = ask.waiting().result();
    boolean begunToEnd = result.cancel(false);
    if (begunToEnd || result.isCompletedExceptionally()) {
      synchronized (this) {
        ask.cancel();
        undone = CompletableFuture.allOf(undone, ask.waiting().settled());
      }
    } else {
      var unused = giveBack(ask, result.join());
    }
  }

  /** It cannot be cancelled any more. */
  private synchronized void delivered(AskedLock ask) {
    if (ask.isAccepted() && ask.end()) {
      asks.remove(ask);
    }
  }

  /** Nothing more comes of it, unless its answer is late. */
  private void ended(AskedLock ask) {
    List<ByteRange> left;
    long session;
    synchronized (this) {
      if (ask.isAccepted() || ask.isOver()) {
        return;
      }
      if (ask.waiting().isInDoubt()) {
        doubt(ask);
      } else {
        ask.end();
        asks.remove(ask);
      }
      ByteRanges surplus = ask.takeLeft();
      left = closed || sessionId == NONE ? List.of() : passOn(surplus).list();
      session = sessionId;
    }
    if (!left.isEmpty()) {
      var unused = undoing(() -> calls.unlockAll(session, locker, left));
    }
  }

  private void doubt(AskedLock ask) {
    doubtful.add(ask);
    if (doubtful.size() > MAX_DOUBTFUL) {
      AskedLock oldest = doubtful.remove();
      oldest.end();
      asks.remove(oldest);
    }
  }

  /** What is left of bytes that are not wanted any more, without those that others ask for now. */
  private ByteRanges passOn(ByteRanges surplus) {
    ByteRanges left = surplus;
    for (AskedLock other : asks) {
      if (other.isUnderWay()) {
        ByteRanges passed = surplus.within(other.wanted().range());
        passed.list().forEach(other::leave);
        left = left.minus(passed);
      }
    }
    return left;
  }

  private CompletableFuture<Void> giveBack(AskedLock ask, SessionReply<LockRangeReply> given) {
    LockedSince since;
    List<ByteRange> left;
    boolean wasClosed;
    synchronized (this) {
      if (!isGranted(given.body())) {
        return CompletableFuture.completedFuture(null);
      }
      if (!ask.end()) {
        return CompletableFuture.completedFuture(null);
      }
      asks.remove(ask);
      doubtful.remove(ask);
      if (closed && ask.isAccepted()) {
        // Closing unlocks it.
        return CompletableFuture.completedFuture(null);
      }
      wasClosed = closed;
      since = ask.since();
      var unusedRest = passOn(surplus(ask, given));
      for (AskedLock other : asks) {
        if (other.isUnderWay()) {
          since = since.withLocked(other.wanted().range(), other.wanted().exclusive());
        }
      }
      left = passOn(ask.takeLeft()).list();
    }
    LockedSince kept = since;
    return undoing(
        () ->
            wasClosed
                ? calls.release(locker, ask.wanted(), given)
                : CompletableFuture.allOf(
                    calls.undo(locker, ask.wanted(), given, kept),
                    calls.unlockAll(given.sessionId(), locker, left)));
  }

  /** Bytes that the owner would not have without that lock. */
  private static ByteRanges surplus(AskedLock ask, SessionReply<LockRangeReply> given) {
    ByteRanges surplus = ByteRanges.NONE.plus(ask.wanted().range());
    for (LockedRange before : given.body().getBeforeList()) {
      surplus = surplus.minus(ByteRange.fromMessage(before.getFrom(), before.getTo()));
    }
    return surplus.minus(ask.since().locked());
  }

  /** What is asked for from now on is sent after that; it never fails. */
  private CompletableFuture<Void> undoing(Supplier<CompletableFuture<Void>> undo) {
    CompletableFuture<Void> ending = new CompletableFuture<>();
    synchronized (this) {
      undone = CompletableFuture.allOf(undone, ending);
    }
    var unused = undo.get().whenComplete((done, failure) -> ending.complete(null));
    return ending;
  }

  private synchronized CompletableFuture<?> undone() {
    return undone;
  }

  private CompletableFuture<SessionReply<LockRangeReply>> checked(
      AskedLock ask, SessionReply<LockRangeReply> answer) {
    if (!isGranted(answer.body())) {
      return CompletableFuture.completedFuture(answer);
    }
    WeftException refused;
    synchronized (this) {
      if (closed) {
        refused = isClosed();
      } else if (sessionId == NONE || sessionId == answer.sessionId()) {
        sessionId = answer.sessionId();
        ask.accept();
        asks.stream().filter(other -> other != ask).forEach(other -> other.locked(ask.wanted()));
        return CompletableFuture.completedFuture(answer);
      } else {
        refused = new WeftException(ErrorCode.SESSION_EXPIRED, "");
      }
    }
    var unused = giveBack(ask, answer);
    return CompletableFuture.failedFuture(refused);
  }

  private WeftException isClosed() {
    return new WeftException(
        ErrorCode.CANCELLED, locker.path() + ": its locks were all given up; open it anew");
  }

  private <T> CompletableFuture<T> explained(CompletableFuture<T> asked) {
    return asked.exceptionallyCompose(
        thrown -> {
          WeftException failure = WeftException.of(thrown);
          return CompletableFuture.failedFuture(
              failure.code() == ErrorCode.SESSION_EXPIRED ? lost(failure) : failure);
        });
  }

  private WeftException lost(WeftException failure) {
    return new WeftException(
        ErrorCode.SESSION_EXPIRED,
        locker.path()
            + ": the session with the manager has ended, and with it all locks that this owner had on"
            + " the file; open it anew",
        failure);
  }

  private static boolean isGranted(LockRangeReply reply) {
    return reply.getOutcome() == LockRangeReply.Outcome.GRANTED;
  }

  private WeftException refusal(LockCalls.Wanted wanted, LockRangeReply reply) {
    RangeHolder holder = RangeHolder.fromMessage(reply.getHolder());
    return reply.getOutcome() == LockRangeReply.Outcome.DEADLOCK
        ? new WeftException(
            ErrorCode.DEADLOCK,
            locker.path()
                + ": waiting for bytes "
                + wanted.range()
                + " would be a deadlock: they are locked, "
                + holder
                + ", which waits for what this owner has locked; unlock something first")
        : new WeftException(
            ErrorCode.LOCKED,
            locker.path() + ": bytes " + wanted.range() + " are locked: " + holder);
  }
}
