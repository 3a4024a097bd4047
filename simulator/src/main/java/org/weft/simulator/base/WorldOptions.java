package org.weft.simulator.base;

import java.util.function.Consumer;
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
 * @param secondVolume there is a volume beside the root volume, and all clients work in it
 * @param lateEnds the called side learns of the end of a connection well after what arrived last
 * @param forgetful OSDs read their tables each time, and managers cache hardly anything that is
 *     under a checkpoint
 * @param pairs managers are backups of each other
 * @param lone managers keep no backups, but volumes may move between them
 * @param repairAfterMillis an OSD that is down for so long is rebuilt on others; 0: no rebuilds
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
  /** Owner of "/", and the user of all clients. */
  public static final String SUPERUSER = "weft";

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
    return with(draft -> draft.osds = count);
  }

  public WorldOptions withSysmgrMembers(int count) {
    return with(draft -> draft.sysmgrMembers = count);
  }

  public WorldOptions withOsdCapacityBytes(long bytes) {
    return with(draft -> draft.osdCapacityBytes = bytes);
  }

  public WorldOptions withCheckpointMillis(long millis) {
    return with(draft -> draft.checkpointMillis = millis);
  }

  public WorldOptions withDurability(Durability wanted) {
    return with(draft -> draft.durability = wanted);
  }

  /** With a volume in which all clients work, and a manager of its own for it. */
  public WorldOptions withSecondVolume() {
    return with(
        draft -> {
          draft.managers = 2;
          draft.secondVolume = true;
        });
  }

  /**
   * The process that a client calls learns of the end of a connection well after what arrived last.
   */
  public WorldOptions withLateEnds() {
    return with(draft -> draft.lateEnds = true);
  }

  /** OSDs read their tables each time, and managers keep next to nothing that is clean. */
  public WorldOptions withForgetful() {
    return with(draft -> draft.forgetful = true);
  }

  public WorldOptions withTrace(boolean kept) {
    return with(draft -> draft.traced = kept);
  }

  /** With so many managers, each the backup of another. */
  public WorldOptions withPairs(int count) {
    return with(
        draft -> {
          draft.managers = count;
          draft.pairs = true;
        });
  }

  /** With so many managers, none of which is the backup of another. */
  public WorldOptions withLone(int count) {
    return with(
        draft -> {
          draft.managers = count;
          draft.pairs = true;
          draft.lone = true;
        });
  }

  /** What an OSD held that is down for so long is rebuilt on others. */
  public WorldOptions withRepair(long afterMillis) {
    return with(draft -> draft.repairAfterMillis = afterMillis);
  }

  /** A rebuild pauses behind each piece so that it has this share of the time. */
  public WorldOptions withRepairShare(int percent) {
    return with(draft -> draft.repairSharePercent = percent);
  }

  /** With clients that rely on what they were granted for reading, so much of it each. */
  public WorldOptions withCaches(int entries) {
    return with(draft -> draft.cachedEntries = entries);
  }

  /** Members of SysMgr keep logs of their own and elect their leader. */
  public WorldOptions withVotingMembers() {
    return with(draft -> draft.voting = true);
  }

  /** Managers compare the parity of files with their data all the time. */
  public WorldOptions withScrub() {
    return with(draft -> draft.scrubbed = true);
  }

  private WorldOptions with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.made();
  }

  /** The parts of options that are being changed. */
  private static final class Draft {
    private final long seed;
    private int osds;
    private int managers;
    private int sysmgrMembers;
    private long osdCapacityBytes;
    private long checkpointMillis;
    private Durability durability;
    private boolean secondVolume;
    private boolean lateEnds;
    private boolean forgetful;
    private boolean traced;
    private boolean pairs;
    private boolean lone;
    private long repairAfterMillis;
    private int repairSharePercent;
    private int cachedEntries;
    private boolean voting;
    private boolean scrubbed;

    private Draft(WorldOptions from) {
      seed = from.seed;
      osds = from.osds;
      managers = from.managers;
      sysmgrMembers = from.sysmgrMembers;
      osdCapacityBytes = from.osdCapacityBytes;
      checkpointMillis = from.checkpointMillis;
      durability = from.durability;
      secondVolume = from.secondVolume;
      lateEnds = from.lateEnds;
      forgetful = from.forgetful;
      traced = from.traced;
      pairs = from.pairs;
      lone = from.lone;
      repairAfterMillis = from.repairAfterMillis;
      repairSharePercent = from.repairSharePercent;
      cachedEntries = from.cachedEntries;
      voting = from.voting;
      scrubbed = from.scrubbed;
    }

    private WorldOptions made() {
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
          scrubbed);
    }
  }
}
