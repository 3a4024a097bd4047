package org.weft.nfs.locks;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.weft.client.LockedFile;
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

  CompletableFuture<LockedFile> opened;
  final List<WaitingLock> waiting = new ArrayList<>();

  /** Calls that are not answered; it is forgotten only when there are none. */
  int underWay;

  /** Its session has ended, and not all was reclaimed yet. */
  boolean lost;

  /** To be unlocked: what the client does not hold, and the manager could not be told yet. */
  ByteRanges owed = ByteRanges.NONE;

  /** What is owed will be tried again. */
  boolean paying;

  /** Wall time since when it holds something. */
  long sinceMillis;

  /** Granted, and their clients may not want them: then they go back. */
  private final List<WaitingLock> untold = new ArrayList<>();

  private ByteRanges shared = ByteRanges.NONE;
  private ByteRanges exclusive = ByteRanges.NONE;
  private CompletableFuture<?> last = CompletableFuture.completedFuture(null);

  OwnedFile(Key key, LockRequest asked, CompletableFuture<LockedFile> opened) {
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

  void locked(ByteRange range, boolean exclusively, long nowMillis) {
    if (!holds()) {
      sinceMillis = nowMillis;
    }
    unlocked(range);
    add(range, exclusively);
  }

  private void add(ByteRange range, boolean exclusively) {
    if (exclusively) {
      exclusive = exclusive.plus(range);
    } else {
      shared = shared.plus(range);
    }
  }

  void unlocked(ByteRange range) {
    shared = shared.minus(range);
    exclusive = exclusive.minus(range);
    untold.forEach(each -> each.mine = each.mine.minus(range));
  }

  /** A lock that was waited for is granted; its bytes are its own until others change them. */
  void granted(WaitingLock waiting) {
    waiting.mine = ByteRanges.NONE.plus(waiting.request.range());
    untold.add(waiting);
  }

  /** Its client has it, or it goes back now. */
  void told(WaitingLock waiting) {
    untold.remove(waiting);
  }

  /** What is locked in a range. */
  record Held(ByteRanges shared, ByteRanges exclusive) {
    static final Held NOTHING = new Held(ByteRanges.NONE, ByteRanges.NONE);

    /** The parts of the range that are not locked. */
    ByteRanges notHeld(ByteRange range) {
      return ByteRanges.NONE.plus(range).minus(shared).minus(exclusive);
    }
  }

  Held within(ByteRange range) {
    return new Held(shared.within(range), exclusive.within(range));
  }

  List<ByteRange> held(boolean exclusively) {
    return (exclusively ? exclusive : shared).list();
  }

  boolean holds() {
    return !shared.isEmpty() || !exclusive.isEmpty();
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
