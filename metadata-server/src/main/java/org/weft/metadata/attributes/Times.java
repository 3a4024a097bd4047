package org.weft.metadata.attributes;

/** POSIX times of a node, in milliseconds since 1970-01-01T00:00:00Z. */
public record Times(long mtimeMillis, long ctimeMillis, long atimeMillis) {
  /** All three alike, as at birth. */
  public static Times of(long nowMillis) {
    return new Times(nowMillis, nowMillis, nowMillis);
  }
}
