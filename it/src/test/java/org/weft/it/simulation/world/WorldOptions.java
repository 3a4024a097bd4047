package org.weft.it.simulation.world;

import org.weft.metadata.repair.RepairOptions;
import org.weft.osd.store.Durability;

/**
 * What a world is made of.
 *
 * @param seed decides everything that is left to chance
 * @param osds machines with an OSD each, named osd-1, osd-2, ...
 * @param managers machines with a manager each; the first that joins owns the root volume
 * @param sysmgrMembers 1 or 3
 * @param osdCapacityBytes of each OSD, at least 1 MiB
 * @param checkpointMillis how often OSDs sync what changed
 * @param durability of all OSDs
 * @param secondVolume there is a volume beside the root volume, and everybody works in it
 * @param lateEnds whoever is called hears of the end of a connection well after what arrived last
 * @param forgetful OSDs read their tables each time, and managers keep next to nothing that is
 *     under a checkpoint
 * @param pairs managers are backups of each other
 * @param lone managers keep no backups, but volumes may move between them
 * @param repairAfterMillis an OSD that is down for so long is rebuilt on others; 0: nothing is
 *     rebuilt
 * @param repairSharePercent what a rebuild leaves itself of OSDs, as repair.share
 * @param cachedEntries of each client's cache for each volume; 0: clients ask each time
 * @param scrubbed managers compare the parity of files with their data all the time
 * @param voting members of SysMgr keep logs of their own and elect their leader
 * @param traced keep the lines of the trace; the hash is always made
 */
public record WorldOptions(
    long seed,
    int osds,
    int managers,
    int sysmgrMembers,
    long osdCapacityBytes,
    long checkpointMillis,
    Durability durability,
    boolean secondVolume,
    boolean lateEnds,
    boolean forgetful,
    boolean traced,
    boolean pairs,
    boolean lone,
    long repairAfterMillis,
    int repairSharePercent,
    int cachedEntries,
    boolean voting,
    boolean scrubbed) {
  private static final long DEFAULT_CAPACITY_BYTES = 8L << 20;
  private static final long DEFAULT_CHECKPOINT_MILLIS = 5_000;

  /** Six OSDs, one manager, one member of SysMgr. */
  public static WorldOptions of(long seed) {
    return new WorldOptions(
        seed,
        6,
        1,
        1,
        DEFAULT_CAPACITY_BYTES,
        DEFAULT_CHECKPOINT_MILLIS,
        Durability.WRITE_BACK,
        false,
        false,
        false,
        false,
        false,
        false,
        0,
        RepairOptions.DEFAULT_SHARE_PERCENT,
        0,
        false,
        false);
  }

  public WorldOptions withOsds(int count) {
    return new WorldOptions(
        seed,
        count,
        managers,
        sysmgrMembers,
        osdCapacityBytes,
        checkpointMillis,
        durability,
        secondVolume,
        lateEnds,
        forgetful,
        traced,
        pairs,
        lone,
        repairAfterMillis,
        repairSharePercent,
        cachedEntries,
        voting,
        scrubbed);
  }

  public WorldOptions withSysmgrMembers(int count) {
    return new WorldOptions(
        seed,
        osds,
        managers,
        count,
        osdCapacityBytes,
        checkpointMillis,
        durability,
        secondVolume,
        lateEnds,
        forgetful,
        traced,
        pairs,
        lone,
        repairAfterMillis,
        repairSharePercent,
        cachedEntries,
        voting,
        scrubbed);
  }

  public WorldOptions withOsdCapacityBytes(long bytes) {
    return new WorldOptions(
        seed,
        osds,
        managers,
        sysmgrMembers,
        bytes,
        checkpointMillis,
        durability,
        secondVolume,
        lateEnds,
        forgetful,
        traced,
        pairs,
        lone,
        repairAfterMillis,
        repairSharePercent,
        cachedEntries,
        voting,
        scrubbed);
  }

  public WorldOptions withCheckpointMillis(long millis) {
    return new WorldOptions(
        seed,
        osds,
        managers,
        sysmgrMembers,
        osdCapacityBytes,
        millis,
        durability,
        secondVolume,
        lateEnds,
        forgetful,
        traced,
        pairs,
        lone,
        repairAfterMillis,
        repairSharePercent,
        cachedEntries,
        voting,
        scrubbed);
  }

  public WorldOptions withDurability(Durability wanted) {
    return new WorldOptions(
        seed,
        osds,
        managers,
        sysmgrMembers,
        osdCapacityBytes,
        checkpointMillis,
        wanted,
        secondVolume,
        lateEnds,
        forgetful,
        traced,
        pairs,
        lone,
        repairAfterMillis,
        repairSharePercent,
        cachedEntries,
        voting,
        scrubbed);
  }

  /** With a volume in which everybody works, and a manager of its own for it. */
  public WorldOptions withSecondVolume() {
    return new WorldOptions(
        seed,
        osds,
        2,
        sysmgrMembers,
        osdCapacityBytes,
        checkpointMillis,
        durability,
        true,
        lateEnds,
        forgetful,
        traced,
        pairs,
        lone,
        repairAfterMillis,
        repairSharePercent,
        cachedEntries,
        voting,
        scrubbed);
  }

  /** Whoever a client calls hears of the end of a connection well after what arrived last. */
  public WorldOptions withLateEnds() {
    return new WorldOptions(
        seed,
        osds,
        managers,
        sysmgrMembers,
        osdCapacityBytes,
        checkpointMillis,
        durability,
        secondVolume,
        true,
        forgetful,
        traced,
        pairs,
        lone,
        repairAfterMillis,
        repairSharePercent,
        cachedEntries,
        voting,
        scrubbed);
  }

  /** OSDs read their tables each time, and managers keep next to nothing that is clean. */
  public WorldOptions withForgetful() {
    return new WorldOptions(
        seed,
        osds,
        managers,
        sysmgrMembers,
        osdCapacityBytes,
        checkpointMillis,
        durability,
        secondVolume,
        lateEnds,
        true,
        traced,
        pairs,
        lone,
        repairAfterMillis,
        repairSharePercent,
        cachedEntries,
        voting,
        scrubbed);
  }

  public WorldOptions withTrace(boolean kept) {
    return new WorldOptions(
        seed,
        osds,
        managers,
        sysmgrMembers,
        osdCapacityBytes,
        checkpointMillis,
        durability,
        secondVolume,
        lateEnds,
        forgetful,
        kept,
        pairs,
        lone,
        repairAfterMillis,
        repairSharePercent,
        cachedEntries,
        voting,
        scrubbed);
  }

  /** With so many managers, each the backup of another. */
  public WorldOptions withPairs(int count) {
    return new WorldOptions(
        seed,
        osds,
        count,
        sysmgrMembers,
        osdCapacityBytes,
        checkpointMillis,
        durability,
        secondVolume,
        lateEnds,
        forgetful,
        traced,
        true,
        lone,
        repairAfterMillis,
        repairSharePercent,
        cachedEntries,
        voting,
        scrubbed);
  }

  /** With so many managers, none of which is the backup of another. */
  public WorldOptions withLone(int count) {
    return new WorldOptions(
        seed,
        osds,
        count,
        sysmgrMembers,
        osdCapacityBytes,
        checkpointMillis,
        durability,
        secondVolume,
        lateEnds,
        forgetful,
        traced,
        true,
        true,
        repairAfterMillis,
        repairSharePercent,
        cachedEntries,
        voting,
        scrubbed);
  }

  /** What an OSD held that is down for so long is rebuilt on others. */
  public WorldOptions withRepair(long afterMillis) {
    return new WorldOptions(
        seed,
        osds,
        managers,
        sysmgrMembers,
        osdCapacityBytes,
        checkpointMillis,
        durability,
        secondVolume,
        lateEnds,
        forgetful,
        traced,
        pairs,
        lone,
        afterMillis,
        repairSharePercent,
        cachedEntries,
        voting,
        scrubbed);
  }

  /** A rebuild pauses behind each piece so that it has this share of the time. */
  public WorldOptions withRepairShare(int percent) {
    return new WorldOptions(
        seed,
        osds,
        managers,
        sysmgrMembers,
        osdCapacityBytes,
        checkpointMillis,
        durability,
        secondVolume,
        lateEnds,
        forgetful,
        traced,
        pairs,
        lone,
        repairAfterMillis,
        percent,
        cachedEntries,
        voting,
        scrubbed);
  }

  /** With clients that rely on what they were granted for reading, so much of it each. */
  public WorldOptions withCaches(int entries) {
    return new WorldOptions(
        seed,
        osds,
        managers,
        sysmgrMembers,
        osdCapacityBytes,
        checkpointMillis,
        durability,
        secondVolume,
        lateEnds,
        forgetful,
        traced,
        pairs,
        lone,
        repairAfterMillis,
        repairSharePercent,
        entries,
        voting,
        scrubbed);
  }

  /** Members of SysMgr keep logs of their own and elect their leader. */
  public WorldOptions withVotingMembers() {
    return new WorldOptions(
        seed,
        osds,
        managers,
        sysmgrMembers,
        osdCapacityBytes,
        checkpointMillis,
        durability,
        secondVolume,
        lateEnds,
        forgetful,
        traced,
        pairs,
        lone,
        repairAfterMillis,
        repairSharePercent,
        cachedEntries,
        true,
        scrubbed);
  }

  /** Managers compare the parity of files with their data all the time. */
  public WorldOptions withScrub() {
    return new WorldOptions(
        seed,
        osds,
        managers,
        sysmgrMembers,
        osdCapacityBytes,
        checkpointMillis,
        durability,
        secondVolume,
        lateEnds,
        forgetful,
        traced,
        pairs,
        lone,
        repairAfterMillis,
        repairSharePercent,
        cachedEntries,
        voting,
        true);
  }
}
