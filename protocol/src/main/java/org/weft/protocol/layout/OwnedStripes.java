package org.weft.protocol.layout;

/**
 * The ranges of a shared file that one write grant owns (P 6.5). Immutable.
 *
 * @param writing ranges that no other grant owns; they may be read, too
 * @param reading ranges that others may own for reading as well; none of them overlaps one of the
 *     others
 */
public record OwnedStripes(ByteRanges writing, ByteRanges reading) {
  public static final OwnedStripes NONE = new OwnedStripes(ByteRanges.NONE, ByteRanges.NONE);

  public OwnedStripes {
    if (writing.list().stream().anyMatch(reading::overlaps)) {
      throw new IllegalArgumentException(
          "a range is owned for one use, got " + writing + " and for reading alone " + reading);
    }
  }

  /** With the range; what is owned for writing stays that. */
  public OwnedStripes plus(ByteRange range, RangeUse use) {
    return switch (use) {
      case READING -> new OwnedStripes(writing, reading.plus(range).minus(writing));
      case WRITING -> new OwnedStripes(writing.plus(range), reading.minus(range));
    };
  }

  /** Without the range. */
  public OwnedStripes minus(ByteRange range) {
    return new OwnedStripes(writing.minus(range), reading.minus(range));
  }

  /** All that may be used so. */
  public ByteRanges ownedFor(RangeUse use) {
    return use == RangeUse.WRITING ? writing : all();
  }

  /** All that may be read. */
  public ByteRanges all() {
    return writing.plus(reading);
  }

  /** All of the range may be used so. */
  public boolean covers(ByteRange range, RangeUse use) {
    return ownedFor(use).contains(range);
  }

  /** Another grant cannot own the range so before something is given back. */
  public boolean excludes(ByteRange range, RangeUse use) {
    return writing.overlaps(range) || (use == RangeUse.WRITING && reading.overlaps(range));
  }

  public boolean overlaps(ByteRange range) {
    return writing.overlaps(range) || reading.overlaps(range);
  }

  public boolean isEmpty() {
    return writing.isEmpty() && reading.isEmpty();
  }

  /** Ranges of both kinds. */
  public int size() {
    return writing.size() + reading.size();
  }
}
