package org.weft.metadata.lock;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;

/**
 * What one owner has locked of one file. A byte is locked in one way at most; ranges that touch and
 * are locked alike are one. Immutable.
 *
 * @param shared no other owner has any of it exclusively
 * @param exclusive no other owner has any of it
 */
public record HeldLocks(ByteRanges shared, ByteRanges exclusive) {
  public static final HeldLocks NONE = new HeldLocks(ByteRanges.NONE, ByteRanges.NONE);

  /** A locked range. */
  public record Lock(ByteRange range, boolean exclusive) {}

  public HeldLocks {
    List<Lock> sorted = all(shared, exclusive);
    for (int index = 1; index < sorted.size(); index++) {
      if (sorted.get(index - 1).range().overlaps(sorted.get(index).range())) {
        throw new IllegalArgumentException(
            "locked in two ways: shared " + shared + ", exclusive " + exclusive);
      }
    }
  }

  /** With the range locked so, whatever was locked of it before. */
  public HeldLocks with(ByteRange range, boolean exclusively) {
    return exclusively
        ? new HeldLocks(shared.minus(range), exclusive.plus(range))
        : new HeldLocks(shared.plus(range), exclusive.minus(range));
  }

  /** The locks without the range. */
  public HeldLocks without(ByteRange range) {
    return new HeldLocks(shared.minus(range), exclusive.minus(range));
  }

  /** With what the other has, too; where both have something, exclusive is more. */
  public HeldLocks plus(HeldLocks other) {
    ByteRanges alone = exclusive.plus(other.exclusive);
    return new HeldLocks(shared.plus(other.shared).minus(alone), alone);
  }

  /** What lies within the range. */
  public HeldLocks within(ByteRange range) {
    return new HeldLocks(shared.within(range), exclusive.within(range));
  }

  /** All of the range is locked so, or more strictly. */
  public boolean covers(ByteRange range, boolean exclusively) {
    long lockedBytes =
        within(range).all().stream()
            .filter(lock -> lock.exclusive() || !exclusively)
            .mapToLong(lock -> lock.range().to() - lock.range().from())
            .sum();
    return lockedBytes == range.to() - range.from();
  }

  /** The first of what is in the way of such a lock of another owner. */
  public Optional<Lock> inTheWayOf(ByteRange range, boolean exclusively) {
    Optional<ByteRange> alone = first(exclusive.list(), range);
    Optional<ByteRange> together = exclusively ? first(shared.list(), range) : Optional.empty();
    boolean isShared =
        together.isPresent() && (alone.isEmpty() || together.get().from() < alone.get().from());
    return isShared
        ? together.map(found -> new Lock(found, false))
        : alone.map(found -> new Lock(found, true));
  }

  /** The first of ascending ranges that overlaps that one; in logarithmic time. */
  private static Optional<ByteRange> first(List<ByteRange> ranges, ByteRange range) {
    int low = 0;
    int high = ranges.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (ranges.get(middle).to() <= range.from()) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < ranges.size() && ranges.get(low).overlaps(range)
        ? Optional.of(ranges.get(low))
        : Optional.empty();
  }

  /** From the first to the last byte of which the later locks have less; empty if there is none. */
  public Optional<ByteRange> freedBy(HeldLocks later) {
    List<ByteRange> any = later.all().stream().map(Lock::range).toList();
    long from = Long.MAX_VALUE;
    long to = 0;
    for (Lock lock : all()) {
      List<ByteRange> left = lock.exclusive() ? later.exclusive.list() : any;
      if (!covered(left, lock.range())) {
        from = Math.min(from, lock.range().from());
        to = Math.max(to, lock.range().to());
      }
    }
    return to == 0 ? Optional.empty() : Optional.of(new ByteRange(from, to));
  }

  private static boolean covered(List<ByteRange> ascending, ByteRange range) {
    long at = range.from();
    while (at < range.to()) {
      Optional<ByteRange> next = first(ascending, new ByteRange(at, range.to()));
      if (next.isEmpty() || next.get().from() > at) {
        return false;
      }
      at = next.get().to();
    }
    return true;
  }

  /** In ascending order. */
  public List<Lock> all() {
    return all(shared, exclusive);
  }

  private static List<Lock> all(ByteRanges shared, ByteRanges exclusive) {
    List<Lock> all = new ArrayList<>(shared.size() + exclusive.size());
    shared.list().forEach(range -> all.add(new Lock(range, false)));
    exclusive.list().forEach(range -> all.add(new Lock(range, true)));
    all.sort(Comparator.comparingLong(lock -> lock.range().from()));
    return all;
  }

  public int size() {
    return shared.size() + exclusive.size();
  }

  public boolean isEmpty() {
    return shared.isEmpty() && exclusive.isEmpty();
  }
}
