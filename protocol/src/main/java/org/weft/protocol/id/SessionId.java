package org.weft.protocol.id;

/** A client's session with the manager of one volume; issued by the manager. */
public record SessionId(long value) implements Comparable<SessionId> {
  @Override
  public int compareTo(SessionId other) {
    return Long.compareUnsigned(value, other.value);
  }

  @Override
  public String toString() {
    return Long.toUnsignedString(value);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SessionId that && value == that.value;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(value);
  }
}
