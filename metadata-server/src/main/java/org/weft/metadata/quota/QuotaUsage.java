package org.weft.metadata.quota;

/**
 * How much a tree holds, trees within it included.
 *
 * @param bytes lengths of its files, as records have them
 * @param files nodes of every kind, its own directory too
 * @param softBytesSinceMillis since 1970; 0: the soft limit of bytes is not exceeded
 * @param softFilesSinceMillis the same of files
 */
public record QuotaUsage(
    long bytes, long files, long softBytesSinceMillis, long softFilesSinceMillis) {
  public static final QuotaUsage NOTHING = new QuotaUsage(0, 0, 0, 0);

  /** Within or beyond those limits from now on. */
  public QuotaUsage against(QuotaLimits limits, long nowMillis) {
    return new QuotaUsage(
        bytes,
        files,
        since(bytes, limits.softBytes(), softBytesSinceMillis, nowMillis),
        since(files, limits.softFiles(), softFilesSinceMillis, nowMillis));
  }

  private static long since(long used, long soft, long sinceMillis, long nowMillis) {
    if (soft == 0 || used <= soft) {
      return 0;
    }
    return sinceMillis == 0 ? nowMillis : sinceMillis;
  }
}
