package org.weft.client.volume;

import java.util.concurrent.CompletableFuture;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;

/** A lock that an owner asked for, until it can not be cancelled any more. Guarded by its file. */
public final class AskedLock {
  private final LockCalls.Wanted wanted;
  private LockedSince since = LockedSince.NOTHING;

  /** Bytes that were not taken back with another lock, because this one might need them. */
  private ByteRanges leftToIt = ByteRanges.NONE;

  private LockWaiting waiting;
  private CompletableFuture<?> checked;

  /** Its grant is known, and the file has the lock. */
  private boolean accepted;

  private boolean cancelled;

  /** It is given back, or there is nothing to be given back. */
  private boolean over;

  /** One that has not begun. */
  public AskedLock(LockCalls.Wanted wanted) {
    this.wanted = wanted;
  }

  /** What was asked for. */
  public LockCalls.Wanted wanted() {
    return wanted;
  }

  /** It is being asked for; the outcome is what its caller is told. */
  public void begun(LockWaiting asked, CompletableFuture<?> outcome) {
    waiting = asked;
    checked = outcome;
  }

  /** Null until it has begun. */
  public LockWaiting waiting() {
    return waiting;
  }

  /** Nothing more comes of it; never fails. */
  public CompletableFuture<Void> ended() {
    return CompletableFuture.allOf(
        waiting.settled(), checked.handle((value, failure) -> (Void) null));
  }

  /** The owner locked other bytes meanwhile. */
  public void locked(LockCalls.Wanted other) {
    since = since.withLocked(other.range(), other.exclusive());
    leftToIt = leftToIt.minus(other.range());
  }

  /** The owner wants to unlock it; once this is undone, if it was cancelled before. */
  public void unlocked(ByteRange range) {
    if (!cancelled) {
      since = since.withUnlocked(range);
    }
    leftToIt = leftToIt.minus(range);
  }

  /** The owner is unlocking it. */
  public void unlockedNow(ByteRange range) {
    since = since.withUnlocked(range);
    leftToIt = leftToIt.minus(range);
  }

  /** What the owner unlocks from now on waits until this is undone. */
  public void cancel() {
    cancelled = true;
  }

  /** Bytes of it are not taken back with another lock. */
  public void leave(ByteRange range) {
    leftToIt = leftToIt.plus(ByteRanges.NONE.plus(range).within(wanted.range()));
  }

  /** The bytes that were left to it, which are its concern no more. */
  public ByteRanges takeLeft() {
    ByteRanges taken = leftToIt;
    leftToIt = ByteRanges.NONE;
    return taken;
  }

  /** It may be given, and its caller be told so. */
  public boolean isUnderWay() {
    return !over && !accepted && !waiting.result().isCompletedExceptionally();
  }

  /** What the owner locked and unlocked since. */
  public LockedSince since() {
    return since;
  }

  /** Its grant is known, and the file has the lock. */
  public void accept() {
    accepted = true;
  }

  /** True after {@link #accept}. */
  public boolean isAccepted() {
    return accepted;
  }

  /** It is given back, or there is nothing to be given back. */
  public boolean isOver() {
    return over;
  }

  /** False if it was over before. */
  public boolean end() {
    boolean first = !over;
    over = true;
    return first;
  }
}
