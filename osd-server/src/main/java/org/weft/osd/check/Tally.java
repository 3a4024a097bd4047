package org.weft.osd.check;

import java.util.ArrayList;
import java.util.List;

/** Findings and counts of a check under way. Not thread-safe. */
final class Tally {
  private static final long STEP = 4096;

  private final CheckListener progress;
  private final List<String> findings = new ArrayList<>();
  private final List<DamagedBlock> damaged = new ArrayList<>();
  private long moreFindings;
  long partitions;
  long objects;
  long attributePages;
  long extents;
  long blocks;
  long tombstones;
  long dataBytes;
  boolean orderly;

  Tally(CheckListener progress) {
    this.progress = progress;
  }

  void finding(String sentence) {
    if (findings.size() < CheckReport.MAX_FINDINGS) {
      findings.add(sentence);
    } else {
      moreFindings++;
    }
  }

  void damaged(String sentence, DamagedBlock block) {
    if (findings.size() < CheckReport.MAX_FINDINGS) {
      damaged.add(block);
    }
    finding(sentence);
  }

  /** Tells of every so many. */
  long counted(String what, long done) {
    if (done % STEP == 0) {
      progress.reached(what, done);
    }
    return done;
  }

  CheckReport report() {
    return new CheckReport(
        List.copyOf(findings),
        List.copyOf(damaged),
        moreFindings,
        partitions,
        objects,
        attributePages,
        extents,
        blocks,
        tombstones,
        dataBytes,
        orderly);
  }
}
