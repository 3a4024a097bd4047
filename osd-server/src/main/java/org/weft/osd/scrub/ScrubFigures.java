package org.weft.osd.scrub;

import java.util.OptionalLong;

/**
 * What a scrubber has done.
 *
 * @param bytes read since the start of the process
 * @param errors bad blocks found since then
 * @param badBlocks those that are bad still, whenever they were found
 * @param fullPassMillis when the last whole pass ended, by the wall clock
 */
public record ScrubFigures(long bytes, long errors, int badBlocks, OptionalLong fullPassMillis) {
  /** Nothing yet. */
  public static final ScrubFigures NONE = new ScrubFigures(0, 0, 0, OptionalLong.empty());
}
