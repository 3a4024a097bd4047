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
}
