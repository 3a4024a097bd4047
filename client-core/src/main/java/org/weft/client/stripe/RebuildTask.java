package org.weft.client.stripe;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.LongConsumer;

/**
 * One component of a file that is to be written anew on another OSD (P 6.8).
 *
 * @param component its index in the map, which names the OSD that it goes to
 * @param number under which it is written: above every grant that the file ever had
 * @param sizeBytes length of the file
 * @param truncationNumber how often it was cut; the last cut is finished
 * @param gone components whose OSDs do not come back: nothing is waited for from them
 * @param written hears of bytes that were written, and of those that are zeros and need not be; on
 *     any thread
 */
public record RebuildTask(
    int component,
    long number,
    long sizeBytes,
    int truncationNumber,
    SortedSet<Integer> gone,
    LongConsumer written) {
  public RebuildTask {
    gone = Collections.unmodifiableSortedSet(new TreeSet<>(gone));
  }
}
