package org.weft.protocol.id;

/** All objects of one volume on one OSD; equal to the volume's id, issued by SysMgr. */
public record PartitionId(long value) implements Comparable<PartitionId> {
  @Override
  public int compareTo(PartitionId other) {
    return Long.compareUnsigned(value, other.value);
  }

  @Override
  public String toString() {
    return Long.toUnsignedString(value);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PartitionId that && value == that.value;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(value);
  }
}
