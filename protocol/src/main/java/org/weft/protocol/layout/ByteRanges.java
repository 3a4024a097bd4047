package org.weft.protocol.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.weft.protocol.wire.RangeMessage;

/**
 * A set of bytes of a file, as ranges in ascending order with gaps between them. Immutable.
 *
 * @param list no two of them touch
 */
public record ByteRanges(List<ByteRange> list) {
  public static final ByteRanges NONE = new ByteRanges(List.of());

  public ByteRanges {
    list = List.copyOf(list);
    for (int index = 1; index < list.size(); index++) {
      if (list.get(index - 1).to() >= list.get(index).from()) {
        throw new IllegalArgumentException("ranges ascend and do not touch, got " + list);
      }
    }
  }

  /**
   * @throws IllegalArgumentException if these are no ranges in ascending order with gaps between
   *     them
   */
  public static ByteRanges fromMessages(List<RangeMessage> messages) {
    return new ByteRanges(messages.stream().map(ByteRange::fromMessage).toList());
  }

  public List<RangeMessage> toMessages() {
    return list.stream().map(ByteRange::toMessage).toList();
  }

  /** With the range; what then touches becomes one. */
  public ByteRanges plus(ByteRange added) {
    List<ByteRange> all = new ArrayList<>(list.size() + 1);
    ByteRange joined = added;
    boolean placed = false;
    for (ByteRange each : list) {
      if (each.touches(joined)) {
        joined =
            new ByteRange(Math.min(each.from(), joined.from()), Math.max(each.to(), joined.to()));
      } else if (each.to() < joined.from()) {
        all.add(each);
      } else {
        if (!placed) {
          all.add(joined);
          placed = true;
        }
        all.add(each);
      }
    }
    if (!placed) {
      all.add(joined);
    }
    return new ByteRanges(all);
  }

  /** With all of those. */
  public ByteRanges plus(ByteRanges added) {
    ByteRanges all = this;
    for (ByteRange each : added.list) {
      all = all.plus(each);
    }
    return all;
  }

  /** Without the range. */
  public ByteRanges minus(ByteRange removed) {
    List<ByteRange> left = new ArrayList<>(list.size() + 1);
    for (ByteRange each : list) {
      if (!each.overlaps(removed)) {
        left.add(each);
        continue;
      }
      if (each.from() < removed.from()) {
        left.add(new ByteRange(each.from(), removed.from()));
      }
      if (removed.to() < each.to()) {
        left.add(new ByteRange(removed.to(), each.to()));
      }
    }
    return new ByteRanges(left);
  }

  /** Without any of those. */
  public ByteRanges minus(ByteRanges removed) {
    ByteRanges left = this;
    for (ByteRange each : removed.list) {
      left = left.minus(each);
    }
    return left;
  }

  /** What lies within the range. */
  public ByteRanges within(ByteRange limits) {
    List<ByteRange> inside = new ArrayList<>();
    for (ByteRange each : list) {
      if (each.overlaps(limits)) {
        inside.add(
            new ByteRange(Math.max(each.from(), limits.from()), Math.min(each.to(), limits.to())));
      }
    }
    return new ByteRanges(inside);
  }

  public boolean contains(ByteRange range) {
    return around(range.from()).filter(found -> found.contains(range)).isPresent();
  }

  public boolean overlaps(ByteRange range) {
    return list.stream().anyMatch(range::overlaps);
  }

  /** The one in which the byte lies. */
  public Optional<ByteRange> around(long offset) {
    int low = 0;
    int high = list.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      ByteRange range = list.get(middle);
      if (range.to() <= offset) {
        low = middle + 1;
      } else if (offset < range.from()) {
        high = middle - 1;
      } else {
        return Optional.of(range);
      }
    }
    return Optional.empty();
  }

  public boolean isEmpty() {
    return list.isEmpty();
  }

  public int size() {
    return list.size();
  }

  @Override
  public String toString() {
    return list.toString();
  }
}
