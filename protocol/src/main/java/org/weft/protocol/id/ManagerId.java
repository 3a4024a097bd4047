package org.weft.protocol.id;

/** A metadata manager; issued by SysMgr when it first joins. */
public record ManagerId(int value) implements Comparable<ManagerId> {
  @Override
  public int compareTo(ManagerId other) {
    return Integer.compareUnsigned(value, other.value);
  }

  @Override
  public String toString() {
    return Integer.toUnsignedString(value);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ManagerId that && value == that.value;
  }

  @Override
  public int hashCode() {
    return Integer.hashCode(value);
  }
}
