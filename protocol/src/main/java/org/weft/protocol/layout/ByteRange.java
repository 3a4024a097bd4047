package org.weft.protocol.layout;

import org.weft.protocol.wire.RangeMessage;

/**
 * Bytes of a file that follow one another.
 *
 * @param from offset of the first
 * @param to offset behind the last; {@link #END}: all that follows
 */
public record ByteRange(long from, long to) {
  /** As an end: there is none. */
  public static final long END = Long.MAX_VALUE;

  /** The whole file, however long it grows. */
  public static final ByteRange ALL = new ByteRange(0, END);

  /** How a message says {@link #END}. */
  private static final long END_IN_MESSAGE = 0;

  public ByteRange {
    if (from < 0 || to <= from) {
      throw new IllegalArgumentException(
          "a range begins at 0 or later and is not empty, got " + from + " to " + to);
    }
  }

  /** A range as a message says it: 0 as the end stands for all that follows. */
  public static ByteRange fromMessage(long from, long to) {
    return new ByteRange(from, to == END_IN_MESSAGE ? END : to);
  }

  /**
   * @throws IllegalArgumentException if it is no range
   */
  public static ByteRange fromMessage(RangeMessage message) {
    return fromMessage(message.getFrom(), message.getTo());
  }

  public RangeMessage toMessage() {
    return RangeMessage.newBuilder().setFrom(from).setTo(toInMessage()).build();
  }

  /** The end as a message says it. */
  public long toInMessage() {
    return to == END ? END_IN_MESSAGE : to;
  }

  public boolean overlaps(ByteRange other) {
    return from < other.to && other.from < to;
  }

  public boolean contains(ByteRange other) {
    return from <= other.from && other.to <= to;
  }

  /** Nothing lies between the two. */
  boolean touches(ByteRange other) {
    return from <= other.to && other.from <= to;
  }

  /** True if both ends are multiples, or there is no end. */
  public boolean isAlignedTo(long multiple) {
    return from % multiple == 0 && (to == END || to % multiple == 0);
  }

  /** The smallest range of whole multiples around this one. */
  public ByteRange alignedTo(long multiple) {
    long first = from / multiple * multiple;
    long rest = to % multiple;
    boolean whole = to == END || rest == 0;
    return new ByteRange(first, whole ? to : to > END - multiple ? END : to - rest + multiple);
  }

  @Override
  public String toString() {
    return to == END ? from + " to the end" : from + " to " + to;
  }
}
