package org.weft.recovery.rebuild;

import java.util.Collections;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.weft.client.stripe.base.StripedFile;

/**
 * One component of a file that is to be written anew on another OSD (P 6.8).
 *
 * @param component its index in the map, which names the OSD that it goes to
 * @param number under which it is written: above every grant that the file ever had
 * @param sizeBytes length of the file
 * @param truncationNumber how often it was cut; the last cut is finished
 * @param gone components whose OSDs do not come back: nothing is waited for from them
 * @param source the file by the map of before, which names an OSD that still has the component and
 *     is to have it no more. Empty: the component is computed
 * @param sharePercent of the time in which bytes are moved: after each piece there is a pause,
 *     which is the longer, the longer that piece took
 * @param written hears of bytes that were written, and of those that are zeros and need not be; on
 *     any thread
 */
public record RebuildTask(
    int component,
    long number,
    long sizeBytes,
    int truncationNumber,
    SortedSet<Integer> gone,
    Optional<StripedFile> source,
    int sharePercent,
    LongConsumer written) {
  private static final int ALL_PERCENT = 100;

  /**
   * A piece that takes longer has waited behind others at OSDs that have more to do than they can.
   */
  private static final long CROWDED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int CROWDED_FACTOR = 4;

  /** A piece that takes longer was not answered for a while: that is no queue, and may be over. */
  private static final long MAX_CROWDED_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** A primary takes a component back from a worker that writes nothing for five minutes. */
  private static final long MAX_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(2);

  public RebuildTask {
    Objects.requireNonNull(source, "source");
    if (sharePercent < 1 || sharePercent > ALL_PERCENT) {
      throw new IllegalArgumentException("a rebuild has 1 to 100 percent, got " + sharePercent);
    }
    gone = Collections.unmodifiableSortedSet(new TreeSet<>(gone));
  }

  /** One that is computed, and makes no pauses. */
  public RebuildTask(
      int component,
      long number,
      long sizeBytes,
      int truncationNumber,
      SortedSet<Integer> gone,
      LongConsumer written) {
    this(
        component,
        number,
        sizeBytes,
        truncationNumber,
        gone,
        Optional.empty(),
        ALL_PERCENT,
        written);
  }

  /**
   * How long to pause after a piece that took so long. If a queue at an OSD is longer than a
   * request may take, requests fail and are made again, which lengthens the queue. So the pause
   * after a piece of more than a second is longer, whatever the share, by 16 seconds at most (P
   * 6.8). No pause is longer than two minutes.
   */
  long pauseNanos(long tookNanos) {
    long shareNanos = tookNanos * (ALL_PERCENT - sharePercent) / sharePercent;
    long crowdedNanos = Math.min(tookNanos, MAX_CROWDED_NANOS) - CROWDED_NANOS;
    return Math.min(MAX_PAUSE_NANOS, shareNanos + CROWDED_FACTOR * Math.max(0, crowdedNanos));
  }
}
