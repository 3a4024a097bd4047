package org.weft.osd.store.engine.recovery;

/**
 * Which life of the machine's page cache a start of the store belongs to (P 5.9). In the store's
 * header it is one string: the boot id, and after line feeds the mounted file system and the
 * folder. A copy of the folder counts as another life: bytes of it may be older than its tables (P
 * 5.10).
 *
 * @param bootId of the machine
 * @param mountId of the file system that the store lies on; empty if that cannot be told
 * @param folderId of the folder that the store lies in; empty if that cannot be told
 */
public record CacheLife(String bootId, String mountId, String folderId) {
  private static final char SEPARATOR = '\n';

  public CacheLife {
    if (bootId.indexOf(SEPARATOR) >= 0 || mountId.indexOf(SEPARATOR) >= 0) {
      throw new IllegalArgumentException("names are one line each: " + bootId + ", " + mountId);
    }
  }

  /** Of a store whose folder has no name. */
  public CacheLife(String bootId, String mountId) {
    this(bootId, mountId, "");
  }

  /** As {@link #toString} gave it; a boot id alone, as first releases wrote it, is one too. */
  public static CacheLife parse(String text) {
    int end = text.indexOf(SEPARATOR);
    if (end < 0) {
      return new CacheLife(text, "");
    }
    String rest = text.substring(end + 1);
    int second = rest.indexOf(SEPARATOR);
    String mount = second < 0 ? rest : rest.substring(0, second);
    return new CacheLife(
        text.substring(0, end), mount, second < 0 ? "" : rest.substring(second + 1));
  }

  /** True if all that was written in this life is still there in the later one. */
  public boolean lastsIn(CacheLife later) {
    return bootId.equals(later.bootId)
        && (mountId.isEmpty() || mountId.equals(later.mountId))
        && isSameFolder(later);
  }

  /** False if one of the two is a copy of the other. */
  public boolean isSameFolder(CacheLife later) {
    return folderId.isEmpty() || later.folderId.isEmpty() || folderId.equals(later.folderId);
  }

  @Override
  public String toString() {
    if (!folderId.isEmpty()) {
      return bootId + SEPARATOR + mountId + SEPARATOR + folderId;
    }
    return mountId.isEmpty() ? bootId : bootId + SEPARATOR + mountId;
  }
}
