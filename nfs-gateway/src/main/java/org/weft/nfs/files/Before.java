package org.weft.nfs.files;

/** What a node was before a change: enough for a client to see whether it knew the latest state. */
public record Before(long sizeBytes, long mtimeNanos, long ctimeNanos) {
  public static Before of(Attributes attributes) {
    return new Before(attributes.sizeBytes(), attributes.mtimeNanos(), attributes.ctimeNanos());
  }
}
