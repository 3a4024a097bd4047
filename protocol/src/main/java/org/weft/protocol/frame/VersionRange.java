package org.weft.protocol.frame;

/** Versions of the protocol that one side speaks, both ends included. */
public record VersionRange(int min, int max) {
  /** What this release speaks. */
  public static final VersionRange SUPPORTED = new VersionRange(2, 2);

  public VersionRange {
    if (min < 1 || max < min) {
      throw new IllegalArgumentException("no such range of versions: " + min + ".." + max);
    }
  }

  @Override
  public String toString() {
    return min == max ? "version " + min : "versions " + min + " to " + max;
  }
}
