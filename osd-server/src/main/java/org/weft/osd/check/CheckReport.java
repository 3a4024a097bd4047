package org.weft.osd.check;

import java.util.List;

/**
 * What a check found.
 *
 * @param findings one sentence each, at most {@value #MAX_FINDINGS}
 * @param damaged blocks that findings speak of, no more than those
 * @param moreFindings how many more there were
 * @param blocks that extents hold
 * @param dataBytes read and compared with their checksums; 0 if data was skipped
 * @param orderly the store was stopped in an orderly way
 */
public record CheckReport(
    List<String> findings,
    List<DamagedBlock> damaged,
    long moreFindings,
    long partitions,
    long objects,
    long attributePages,
    long extents,
    long blocks,
    long tombstones,
    long dataBytes,
    boolean orderly) {
  public static final int MAX_FINDINGS = 1_000;

  /** True if nothing is wrong. */
  public boolean isSound() {
    return findings.isEmpty();
  }
}
