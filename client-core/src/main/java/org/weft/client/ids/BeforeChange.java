package org.weft.client.ids;

/** What a node was before a change. Times are nanoseconds since 1970. */
public record BeforeChange(long sizeBytes, long mtimeNanos, long ctimeNanos) {
  public static BeforeChange of(NodeAttributes attributes) {
    return new BeforeChange(
        attributes.sizeBytes(), attributes.mtimeNanos(), attributes.ctimeNanos());
  }
}
