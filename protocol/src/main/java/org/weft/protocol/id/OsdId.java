package org.weft.protocol.id;

/** An object storage device; issued by SysMgr when it first joins. */
public record OsdId(int value) implements Comparable<OsdId> {
  @Override
  public int compareTo(OsdId other) {
    return Integer.compareUnsigned(value, other.value);
  }

  @Override
  public String toString() {
    return Integer.toUnsignedString(value);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof OsdId that && value == that.value;
  }

  @Override
  public int hashCode() {
    return Integer.hashCode(value);
  }
}
