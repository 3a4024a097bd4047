package org.weft.osd.store.engine;

/**
 * Which life of the machine's page cache a start of the store belongs to (P 5.9). In the store's
 * header it is one string: the boot id, and after a line feed the mounted file system.
 *
 * @param bootId of the machine
 * @param mountId of the file system that the store lies on; empty if that cannot be told
 */
public record CacheLife(String bootId, String mountId) {
  private static final char SEPARATOR = '\n';

  public CacheLife {
    if (bootId.indexOf(SEPARATOR) >= 0) {
      throw new IllegalArgumentException("a boot id is one line, not " + bootId);
    }
  }

  /** As {@link #toString} gave it; a boot id alone, as first releases wrote it, is one too. */
  static CacheLife parse(String text) {
    int end = text.indexOf(SEPARATOR);
    return end < 0
        ? new CacheLife(text, "")
        : new CacheLife(text.substring(0, end), text.substring(end + 1));
  }

  /** True if all that was written in this life is still there in the later one. */
  boolean lastsIn(CacheLife later) {
    return bootId.equals(later.bootId) && (mountId.isEmpty() || mountId.equals(later.mountId));
  }

  @Override
  public String toString() {
    return mountId.isEmpty() ? bootId : bootId + SEPARATOR + mountId;
  }
}
