package org.weft.recovery.rebuild;

import java.util.List;

/**
 * What became of a component that was written anew.
 *
 * @param lostBlocks blocks of it that too few of the others could give: they read as damaged
 * @param lostOffsets where these are in the component, ascending; the first {@link #MAX_OFFSETS}
 */
public record RebuildOutcome(long lostBlocks, List<Long> lostOffsets) {
  public static final int MAX_OFFSETS = 1_000;

  public RebuildOutcome {
    lostOffsets = List.copyOf(lostOffsets);
  }
}
