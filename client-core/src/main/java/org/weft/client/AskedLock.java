package org.weft.client;

import java.util.concurrent.CompletableFuture;
import org.weft.client.volume.LockCalls;
import org.weft.client.volume.LockWaiting;
import org.weft.client.volume.LockedSince;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;

/** A lock that an owner asked for, until it can not be cancelled any more. Guarded by its file. */
final class AskedLock {
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

  AskedLock(LockCalls.Wanted wanted) {
    this.wanted = wanted;
  }

  LockCalls.Wanted wanted() {
    return wanted;
  }

  void begun(LockWaiting asked, CompletableFuture<?> outcome) {
    waiting = asked;
    checked = outcome;
  }

  /** Null until it has begun. */
  LockWaiting waiting() {
    return waiting;
  }

  /** Nothing more comes of it; never fails. */
  CompletableFuture<Void> ended() {
    return CompletableFuture.allOf(
        waiting.settled(), checked.handle((value, failure) -> (Void) null));
  }

  void locked(LockCalls.Wanted other) {
    since = since.withLocked(other.range(), other.exclusive());
    leftToIt = leftToIt.minus(other.range());
  }

  /** The owner wants to unlock it; once this is undone, if it was cancelled before. */
  void unlocked(ByteRange range) {
    if (!cancelled) {
      since = since.withUnlocked(range);
    }
    leftToIt = leftToIt.minus(range);
  }

  /** The owner is unlocking it. */
  void unlockedNow(ByteRange range) {
    since = since.withUnlocked(range);
    leftToIt = leftToIt.minus(range);
  }

  /** What the owner unlocks from now on waits until this is undone. */
  void cancel() {
    cancelled = true;
  }

  void leave(ByteRange range) {
    leftToIt = leftToIt.plus(ByteRanges.NONE.plus(range).within(wanted.range()));
  }

  /** The bytes that were left to it, which are its concern no more. */
  ByteRanges takeLeft() {
    ByteRanges taken = leftToIt;
    leftToIt = ByteRanges.NONE;
    return taken;
  }

  /** It may be given, and its caller be told so. */
  boolean isUnderWay() {
    return !over && !accepted && !waiting.result().isCompletedExceptionally();
  }

  LockedSince since() {
    return since;
  }

  void accept() {
    accepted = true;
  }

  boolean isAccepted() {
    return accepted;
  }

  boolean isOver() {
    return over;
  }

  /** False if it was over before. */
  boolean end() {
    boolean first = !over;
    over = true;
    return first;
  }
}
