package org.weft.metadata.repair;

import java.util.concurrent.TimeUnit;

/**
 * When and how hard a manager repairs what lost OSDs held (P 6.8).
 *
 * @param afterMillis how long an OSD is down before it counts as lost for good; {@link #NEVER}:
 *     only those that were removed from the cluster are
 * @param filesAtOnce that each volume rebuilds at a time; 0: nothing is rebuilt
 */
public record RepairOptions(long afterMillis, int filesAtOnce) {
  public static final long NEVER = Long.MAX_VALUE;
  public static final int MOST_FILES_AT_ONCE = 64;

  /** Ten minutes: longer than a machine takes to start again. */
  public static final RepairOptions DEFAULT = new RepairOptions(TimeUnit.MINUTES.toMillis(10), 4);

  /** Nothing is rebuilt. */
  public static final RepairOptions OFF = new RepairOptions(NEVER, 0);

  public RepairOptions {
    if (afterMillis < 0) {
      throw new IllegalArgumentException("an OSD is not down for " + afterMillis + " ms");
    }
    if (filesAtOnce < 0 || filesAtOnce > MOST_FILES_AT_ONCE) {
      throw new IllegalArgumentException(
          "0 to " + MOST_FILES_AT_ONCE + " files are rebuilt at once, got " + filesAtOnce);
    }
  }
}
