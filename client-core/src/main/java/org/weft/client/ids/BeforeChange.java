package org.weft.client.ids;

/** The attributes of a node before a change. Times are nanoseconds since 1970. */
public record BeforeChange(long sizeBytes, long mtimeNanos, long ctimeNanos) {
  public static BeforeChange of(NodeAttributes attributes) {
    return new BeforeChange(
        attributes.sizeBytes(), attributes.mtimeNanos(), attributes.ctimeNanos());
  }
}
