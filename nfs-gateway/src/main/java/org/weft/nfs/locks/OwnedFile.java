package org.weft.nfs.locks;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.weft.client.ids.NodeId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;

/** What one owner has locked of a file, and waits for. Confined to the executor of its table. */
final class OwnedFile {
  /** How a table finds it. */
  record Key(NodeId file, NlmOwner owner) {}

  final Key key;

  /** The last one: what is asked in its place when the session has ended. */
  LockRequest asked;

  CompletableFuture<OwnerLocks> opened;
  final List<WaitingLock> waiting = new ArrayList<>();

  /** Calls that are not answered; it is forgotten only when there are none. */
  int underWay;

  /** Its session has ended, and not all was reclaimed yet. */
  boolean lost;

  /** Ranges to unlock: the client does not hold them, and the manager could not be told yet. */
  ByteRanges owed = ByteRanges.NONE;

  /** What is owed will be tried again. */
  boolean paying;

  /** Wall time since when it holds something. */
  long sinceMillis;

  /**
   * Granted, and their clients may not want them: then they go back. In the order in which they
   * were granted; each lies over those before it, and over what the client knows that it has.
   */
  private final List<WaitingLock> untold = new ArrayList<>();

  /** What the client knows that it has. */
  private ByteRanges toldShared = ByteRanges.NONE;

  private ByteRanges toldExclusive = ByteRanges.NONE;
  private CompletableFuture<?> last = CompletableFuture.completedFuture(null);

  OwnedFile(Key key, LockRequest asked, CompletableFuture<OwnerLocks> opened) {
    this.key = key;
    this.asked = asked;
    this.opened = opened;
  }

  /** What changes locks of one owner happens one after another, as its client asked for it. */
  <T> CompletableFuture<T> inTurn(Supplier<CompletableFuture<T>> change) {
    CompletableFuture<T> next =
        last.handle((done, failure) -> null).thenCompose(nothing -> change.get());
    last = next;
    return next;
  }

  /** The client has locked them, as it knows. */
  void locked(ByteRange range, boolean exclusively, long nowMillis) {
    begins(nowMillis);
    unlocked(range);
    tell(range, exclusively);
  }

  private void begins(long nowMillis) {
    if (!holds()) {
      sinceMillis = nowMillis;
    }
  }

  private void tell(ByteRange range, boolean exclusively) {
    toldShared = toldShared.minus(range);
    toldExclusive = toldExclusive.minus(range);
    if (exclusively) {
      toldExclusive = toldExclusive.plus(range);
    } else {
      toldShared = toldShared.plus(range);
    }
  }

  void unlocked(ByteRange range) {
    toldShared = toldShared.minus(range);
    toldExclusive = toldExclusive.minus(range);
    untold.forEach(each -> each.mine = each.mine.minus(range));
  }

  /**
   * They were not locked all the time, and are no longer locked. The client does not get notices of
   * what was granted there.
   */
  void lapsed(ByteRange range) {
    untold.stream()
        .filter(each -> each.request.range().overlaps(range))
        .forEach(each -> each.lapsed = true);
    unlocked(range);
  }

  /** A lock that was waited for is granted; its client does not know yet. */
  void granted(WaitingLock waiting, long nowMillis) {
    begins(nowMillis);
    waiting.mine = ByteRanges.NONE.plus(waiting.request.range());
    untold.add(waiting);
  }

  /** Its client has it now, if it was granted; it lies over those that were granted before. */
  void told(WaitingLock waiting) {
    int place = untold.indexOf(waiting);
    if (place < 0) {
      return;
    }
    for (WaitingLock earlier : untold.subList(0, place)) {
      earlier.mine = earlier.mine.minus(waiting.mine);
    }
    untold.remove(place);
    waiting.mine.list().forEach(range -> tell(range, waiting.request.exclusive()));
  }

  /**
   * Changes to send to a manager when a lock goes back.
   *
   * @param shared become shared again
   * @param exclusive become exclusive again
   */
  record GoneBack(ByteRanges shared, ByteRanges exclusive, ByteRanges unlocked) {}

  /** A lock that was granted is not wanted: the owner has what it has without it. */
  GoneBack goesBack(WaitingLock waiting) {
    ByteRanges sharedBefore = has(false);
    ByteRanges exclusiveBefore = has(true);
    untold.remove(waiting);
    ByteRanges shared = has(false);
    ByteRanges exclusive = has(true);
    return new GoneBack(
        shared.minus(sharedBefore),
        exclusive.minus(exclusiveBefore),
        sharedBefore.plus(exclusiveBefore).minus(shared).minus(exclusive));
  }

  private ByteRanges has(boolean exclusively) {
    ByteRanges all = exclusively ? toldExclusive : toldShared;
    for (WaitingLock each : untold) {
      all = each.request.exclusive() == exclusively ? all.plus(each.mine) : all.minus(each.mine);
    }
    return all;
  }

  List<ByteRange> held(boolean exclusively) {
    return has(exclusively).list();
  }

  boolean holds() {
    return !has(false).isEmpty() || !has(true).isEmpty();
  }

  boolean isIdle() {
    return underWay == 0 && waiting.isEmpty() && owed.isEmpty() && !holds();
  }

  Optional<WaitingLock> waitingFor(ByteRange range, boolean exclusively) {
    return waiting.stream()
        .filter(
            each -> each.request.range().equals(range) && each.request.exclusive() == exclusively)
        .findFirst();
  }

  /** False while it is not known: nothing was asked for yet. */
  boolean hasLostSession() {
    return lost || opened.isDone() && !opened.isCompletedExceptionally() && !opened.join().isHeld();
  }
}
