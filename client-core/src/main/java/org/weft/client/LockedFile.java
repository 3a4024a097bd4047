package org.weft.client;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.weft.client.lock.RangeLocks;
import org.weft.protocol.layout.ByteRange;

/**
 * A file as one owner locks ranges of it. A lock replaces what the owner had there: a shared range
 * becomes exclusive or the other way round. Ranges that touch become one, and unlocking a part
 * leaves the rest. A range that ends at {@link ByteRange#END} reaches as far as the file ever does.
 *
 * <p>All its locks are of one session with the manager. If that ends they are lost, and every later
 * call fails with SESSION_EXPIRED. So an owner never goes on with some of its locks: open the file
 * anew.
 *
 * <p>Thread-safe. Futures complete as those of {@link WeftFileSystem}.
 */
public final class LockedFile {
  private final RangeLocks locks;

  LockedFile(RangeLocks locks) {
    this.locks = locks;
  }

  /**
   * Locks a range. If other owners are in the way it waits for them. Several owners that wait are
   * told in the order in which they came, but an owner that comes meanwhile may be served first.
   * Fails with LOCKED, naming one of the owners in the way, when patience is over. Fails with
   * DEADLOCK if the owner would wait for itself by way of others.
   *
   * <p>The future may be cancelled. Then the owner has what it had before, and what it asks for
   * afterwards is done after that. But what it had exclusively and asked to share may stay shared.
   * Bytes that the same owner locked or unlocked meanwhile are left as it wanted them. Those that
   * it is asking for at that moment may stay locked until that request has ended.
   *
   * <p>If the manager does not answer within the client's request timeout (DEADLINE_EXCEEDED), the
   * range may be locked or not, or be locked later. When the answer comes, it is undone as if it
   * had been cancelled.
   *
   * @param patience zero: it does not wait
   */
  public CompletableFuture<Void> lock(ByteRange range, LockMode mode, Duration patience) {
    return locks.lock(range, mode.isExclusive(), patience);
  }

  /** Locks a range, or says false if others are in the way. */
  public CompletableFuture<Boolean> tryLock(ByteRange range, LockMode mode) {
    return locks.tryLock(range, mode.isExclusive());
  }

  /**
   * Takes over what the same owner had locked in a session that has ended and whose locks are kept
   * for this client ({@link ClientOptions.Builder#keepLocks}). LOCKED if others are in the way, as
   * that session is itself until it has ended, if what it has is exclusive.
   *
   * @return false if not all of the range was locked all the time: what was is locked in this
   *     session, and nothing more
   */
  public CompletableFuture<Boolean> reclaim(ByteRange range, LockMode mode) {
    return locks.reclaim(range, mode.isExclusive());
  }

  /**
   * Unlocks a range; what is not locked is no error.
   *
   * @return false if not all of it was locked
   */
  public CompletableFuture<Boolean> unlock(ByteRange range) {
    return locks.unlock(range);
  }

  /** A holder that is in the way of such a lock now; empty if there is none. */
  public CompletableFuture<Optional<LockHolder>> test(ByteRange range, LockMode mode) {
    return locks.test(range, mode.isExclusive(), LockHolder::of);
  }

  /**
   * Unlocks everything that the owner has locked of the file, and gives up what it asks or waits
   * for (CANCELLED), also what is given late. Completes when the manager has done so, but for locks
   * whose answer did not come in time: they are unlocked when it comes. An owner that opens the
   * file again before that takes another key.
   */
  public CompletableFuture<Void> close() {
    return locks.close();
  }

  /**
   * False once the session that its locks were of has ended, or may have. While a client is cut off
   * from the manager for longer than its lease, others may be given what it had locked. The lease
   * is counted by this client's clock from when its last renewal was sent that was answered. If the
   * manager answers again and the session is still there, so are the locks, and this is true again.
   */
  public boolean isHeld() {
    return locks.isHeld();
  }
}
