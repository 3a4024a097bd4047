package org.weft.protocol.id;

/** An object inside a partition, issued by the volume's manager and never used again. */
public record ObjectId(long value) implements Comparable<ObjectId> {
  /** The volume's root directory. */
  public static final ObjectId ROOT = new ObjectId(1);

  /** Ids below this one are reserved; the first that a manager issues. */
  public static final long FIRST_ISSUED = 1L << 16;

  @Override
  public int compareTo(ObjectId other) {
    return Long.compareUnsigned(value, other.value);
  }

  @Override
  public String toString() {
    return Long.toUnsignedString(value);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ObjectId that && value == that.value;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(value);
  }
}
