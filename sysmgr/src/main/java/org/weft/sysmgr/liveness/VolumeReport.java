package org.weft.sysmgr.liveness;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.id.PartitionId;

/**
 * What a manager says of a volume.
 *
 * @param epoch under which it serves
 * @param state "serving", "recovering", "waiting for OSDs: ..."
 * @param laggingCopies objects that are out of date on an OSD, or to be removed there
 * @param unresolvedFiles files whose parity waits to be resolved
 * @param balance how far it is with a round of the balance, if there is one
 */
public record VolumeReport(
    PartitionId volume,
    long epoch,
    String state,
    long sessions,
    long writeGrants,
    long journalRecords,
    long journalBytes,
    long files,
    long laggingCopies,
    long unresolvedFiles,
    Repairs repairs,
    PairReport pair,
    Optional<BalanceReport> balance) {
  /** Of a volume whose BladeSet is not balanced. */
  public VolumeReport(
      PartitionId volume,
      long epoch,
      String state,
      long sessions,
      long writeGrants,
      long journalRecords,
      long journalBytes,
      long files,
      long laggingCopies,
      long unresolvedFiles,
      Repairs repairs,
      PairReport pair) {
    this(
        volume,
        epoch,
        state,
        sessions,
        writeGrants,
        journalRecords,
        journalBytes,
        files,
        laggingCopies,
        unresolvedFiles,
        repairs,
        pair,
        Optional.empty());
  }

  /**
   * Components that are missing and wait to be rebuilt.
   *
   * @param files of which they are
   * @param byOsd how many each OSD had; only OSDs with some
   * @param rebuild how far what lost OSDs held is rebuilt, if anything is
   * @param clearedOsds drained or removed OSDs that nothing of the volume is on, each with the
   *     number of the drain of which that was found
   * @param damage blocks that OSDs do not give back as they were written, if there were any
   */
  public record Repairs(
      long components,
      long files,
      SortedMap<Integer, Long> byOsd,
      Optional<RebuildReport> rebuild,
      SortedMap<Integer, Long> clearedOsds,
      Optional<DamageReport> damage) {
    public static final Repairs NONE = new Repairs(0, 0, Collections.emptySortedMap());

    /** Of which nothing is being rebuilt. */
    public Repairs(long components, long files, SortedMap<Integer, Long> byOsd) {
      this(components, files, byOsd, Optional.empty(), Collections.emptySortedMap());
    }

    /** Of which no block is bad. */
    public Repairs(
        long components,
        long files,
        SortedMap<Integer, Long> byOsd,
        Optional<RebuildReport> rebuild,
        SortedMap<Integer, Long> clearedOsds) {
      this(components, files, byOsd, rebuild, clearedOsds, Optional.empty());
    }

    public Repairs {
      byOsd = Collections.unmodifiableSortedMap(new TreeMap<>(byOsd));
      clearedOsds = Collections.unmodifiableSortedMap(new TreeMap<>(clearedOsds));
    }
  }
}
