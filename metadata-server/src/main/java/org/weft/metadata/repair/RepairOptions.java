package org.weft.metadata.repair;

import java.util.concurrent.TimeUnit;

/**
 * When and how hard a manager repairs what lost OSDs held (P 6.8).
 *
 * @param afterMillis how long an OSD is down before it counts as lost for good; {@link #NEVER}:
 *     only those that were removed from the cluster are
 * @param filesAtOnce that each volume rebuilds at a time; 0: no file is rebuilt
 * @param sharePercent of the time in which a rebuild moves bytes; it pauses in the rest, 1 to 100
 * @param mostListed files that each volume knows at a time to be repaired; the others are found
 *     when some of these are done
 * @param mostLeft files that all volumes of a manager together rebuild for OSDs that may come back;
 *     each is remembered until its OSD does, or is removed
 */
public record RepairOptions(
    long afterMillis, int filesAtOnce, int sharePercent, int mostListed, int mostLeft) {
  public static final long NEVER = Long.MAX_VALUE;
  public static final int MAX_FILES_AT_ONCE = 64;
  public static final int MAX_SHARE_PERCENT = 100;
  public static final int DEFAULT_SHARE_PERCENT = 50;

  private static final int MAX_LISTED = 50_000;
  private static final int MIN_LEFT = 50_000;

  /** What is remembered of a file that was rebuilt for an OSD that may come back, and more. */
  private static final int BYTES_OF_LEFT = 256;

  private static final int SHARE_OF_HEAP = 16;

  /** Ten minutes: longer than a machine takes to start again. */
  public static final RepairOptions DEFAULT = new RepairOptions(TimeUnit.MINUTES.toMillis(10), 4);

  /** Nothing is rebuilt. */
  public static final RepairOptions OFF = new RepairOptions(NEVER, 0);

  /** With the share and the bounds that are meant for small heaps. */
  public RepairOptions(long afterMillis, int filesAtOnce) {
    this(afterMillis, filesAtOnce, DEFAULT_SHARE_PERCENT, MAX_LISTED, MIN_LEFT);
  }

  public RepairOptions {
    if (afterMillis < 0) {
      throw new IllegalArgumentException("an OSD is not down for " + afterMillis + " ms");
    }
    if (filesAtOnce < 0 || filesAtOnce > MAX_FILES_AT_ONCE) {
      throw new IllegalArgumentException(
          "0 to " + MAX_FILES_AT_ONCE + " files are rebuilt at once, got " + filesAtOnce);
    }
    if (sharePercent < 1 || sharePercent > MAX_SHARE_PERCENT) {
      throw new IllegalArgumentException(
          "a rebuild has 1 to " + MAX_SHARE_PERCENT + " percent, got " + sharePercent);
    }
    if (mostListed < 1 || mostLeft < 1) {
      throw new IllegalArgumentException(
          "at least one file is known, got " + mostListed + " and " + mostLeft);
    }
  }

  /** The same, that pauses otherwise. */
  public RepairOptions withShare(int percent) {
    return new RepairOptions(afterMillis, filesAtOnce, percent, mostListed, mostLeft);
  }

  /** The same with a sixteenth of the heap for files that are remembered. */
  public RepairOptions withHeap(long heapBytes) {
    long most = Math.max(MIN_LEFT, heapBytes / SHARE_OF_HEAP / BYTES_OF_LEFT);
    return new RepairOptions(
        afterMillis,
        filesAtOnce,
        sharePercent,
        mostListed,
        (int) Math.min(Integer.MAX_VALUE, most));
  }

  /** The same with other bounds. */
  public RepairOptions withBounds(int listed, int left) {
    return new RepairOptions(afterMillis, filesAtOnce, sharePercent, listed, left);
  }
}
