package org.weft.protocol.id;

/**
 * A log sequence number of a volume: epoch · 2^40 + index (P 5.1). One sequence per volume, never
 * reused; a grant number is the LSN of its cap-log record. Compared as an unsigned number.
 */
public record Lsn(long value) implements Comparable<Lsn> {
  private static final int INDEX_BITS = 40;

  /** Largest index within an epoch. */
  public static final long MAX_INDEX = (1L << INDEX_BITS) - 1;

  /** Largest epoch. */
  public static final long MAX_EPOCH = (1L << (64 - INDEX_BITS)) - 1;

  public static final Lsn ZERO = new Lsn(0);

  public static Lsn of(long epoch, long index) {
    if (epoch < 0 || epoch > MAX_EPOCH || index < 0 || index > MAX_INDEX) {
      throw new IllegalArgumentException("LSN out of range: epoch " + epoch + ", index " + index);
    }
    return new Lsn(epoch << INDEX_BITS | index);
  }

  public long epoch() {
    return value >>> INDEX_BITS;
  }

  public long index() {
    return value & MAX_INDEX;
  }

  /** The next number in the same epoch. */
  public Lsn next() {
    return of(epoch(), index() + 1);
  }

  @Override
  public int compareTo(Lsn other) {
    return Long.compareUnsigned(value, other.value);
  }

  @Override
  public String toString() {
    return epoch() + ":" + index();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Lsn that && value == that.value;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(value);
  }
}
