package org.weft.sysmgr.liveness;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
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
 * @param quotas what directory trees hold
 * @param balance how far it is with a round of the balance, if there is one
 * @param scrub how far the scrub of its parity is; empty if its manager does not say
 * @param unsettledGrants that have ended, and may not be under checkpoints of all OSDs; empty: the
 *     manager does not say
 * @param recovery whether it has a journal, and how far it is with making it anew
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
    Quotas quotas,
    Optional<BalanceReport> balance,
    RecoveryReport recovery,
    Optional<ParityScrubReport> scrub,
    OptionalLong unsettledGrants) {
  /** Clients may use the volume. */
  public boolean isServing() {
    return state.equals("serving");
  }

  /** Of which nothing is counted, and whose BladeSet is not balanced. */
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
        Quotas.NONE,
        Optional.empty(),
        RecoveryReport.NONE,
        Optional.empty(),
        OptionalLong.empty());
  }

  /**
   * What directory trees hold.
   *
   * @param softExceeded a sentence for each quota of which a soft limit is exceeded
   * @param fileBytes all files by their lengths; empty if they are not counted
   */
  public record Quotas(List<String> softExceeded, OptionalLong fileBytes) {
    public static final Quotas NONE = new Quotas(List.of(), OptionalLong.empty());

    public Quotas {
      softExceeded = List.copyOf(softExceeded);
    }
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
