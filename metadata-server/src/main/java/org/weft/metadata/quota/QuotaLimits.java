package org.weft.metadata.quota;

/**
 * What a tree may hold. 0 stands for no limit.
 *
 * @param hardBytes lengths of its files together; more is refused
 * @param hardFiles files, directories and other nodes in it, its own directory too; more is refused
 * @param softBytes above it an operator is told, and nothing refused
 * @param softFiles the same of files
 */
public record QuotaLimits(long hardBytes, long hardFiles, long softBytes, long softFiles) {
  public static final QuotaLimits NONE = new QuotaLimits(0, 0, 0, 0);

  /**
   * @throws IllegalArgumentException if a limit is negative, or a soft one above the hard one
   */
  public QuotaLimits {
    if (hardBytes < 0 || hardFiles < 0 || softBytes < 0 || softFiles < 0) {
      throw new IllegalArgumentException(
          "a limit is not negative, got %d and %d bytes, %d and %d files"
              .formatted(hardBytes, softBytes, hardFiles, softFiles));
    }
    requireBelow("bytes", softBytes, hardBytes);
    requireBelow("files", softFiles, hardFiles);
  }

  private static void requireBelow(String what, long soft, long hard) {
    if (hard != 0 && soft > hard) {
      throw new IllegalArgumentException(
          "a soft limit lies below the hard one, or it is never told of: got %d above %d %s"
              .formatted(soft, hard, what));
    }
  }

  /** Nothing is limited. */
  public boolean isNone() {
    return equals(NONE);
  }
}
