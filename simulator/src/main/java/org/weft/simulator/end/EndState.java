package org.weft.simulator.end;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.weft.client.FileStatus;
import org.weft.client.LockMode;
import org.weft.client.LockOwner;
import org.weft.client.LockedFile;
import org.weft.client.WeftPath;
import org.weft.client.internal.ClientParts;
import org.weft.osd.check.CheckReport;
import org.weft.osd.check.DamagedBlock;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.simulator.workload.ClientWorkload;
import org.weft.simulator.workload.Crowds;
import org.weft.simulator.workload.Histories;
import org.weft.simulator.workload.LockTurns;
import org.weft.simulator.workload.Safety;
import org.weft.simulator.workload.WorkloadBias;
import org.weft.simulator.workload.WorldWait;
import org.weft.simulator.world.BladeSets;
import org.weft.simulator.world.World;
import org.weft.sysmgr.configuration.state.Configuration;

/** What must hold once everything runs again and no client does anything any more. */
public final class EndState {
  /** One world of so many is checked without its managers, too. */
  private static final int OFFLINE_OF = 4;

  /** Moves that a balance has begun are over by then, when all is well. */
  private static final long BEGUN_MOVES_MILLIS = 60_000;

  private static final long MAX_MILLIS = 120_000;

  private final World world;
  private final Histories histories;
  private final Crowds crowds;
  private final Safety safety;
  private final int keepMillis;
  private final boolean faults;
  private final WorldWait patience;
  private final boolean linking;
  private final ScrubWatch scrubs;

  public EndState(
      World world,
      Histories histories,
      ClientWorkload workload,
      Safety safety,
      boolean faults,
      ScrubWatch scrubs) {
    this.scrubs = scrubs;
    this.world = world;
    this.histories = histories;
    this.crowds = workload.crowds();
    this.keepMillis = workload.leftLocks().keepMillis();
    this.safety = safety;
    this.linking = !workload.geometry().has(WorkloadBias.LIMITED);
    this.faults = faults;
    this.patience = new WorldWait(world, MAX_MILLIS);
  }

  public void check() {
    ClientNode client = world.newClient();
    client.start();
    try {
      patience.await(client.connected());
    } catch (WeftException e) {
      histories.found(
          "not to be had although all is well again",
          "a new client cannot connect: " + e.code() + " " + e.getMessage());
      return;
    }
    LastLook look =
        new LastLook(histories, client.files(), world.homePath(), crowds, patience, safety);
    QuotaEnd quotas = new QuotaEnd(world, histories, client, patience, linking);
    quotas.clear();
    look.walk();
    quotas.check(look, faults && (safety.isBeyond() || safety.isDoubted()));
    locks(client);
    if (world.options().repairAfterMillis() > 0) {
      look = repaired(client);
    }
    checked(client);
    scrubs.end(safety.isBeyond() || safety.isDoubted(), look);
    Leaks leaks = new Leaks(world);
    becomes("a buffer is never released", leaks::difference, leaks::areBuffersReleased);
    client.stop();
    RawComponents components = new RawComponents(world);
    objects(components, look);
    rootVolume(components);
    becomes("a block is never freed", leaks::difference, leaks::areBlocksFreed);
    RawStripes stripes = new RawStripes(histories, components, safety);
    look.contents().forEach(stripes::check);
    // OSDs run until their stores are looked through, and managers are not needed any more.
    boolean isExplained = safety.isBeyond() || safety.isDoubted() || safety.isRotten();
    // By a stream of its own: what else is drawn from the seed has no say in it.
    boolean isChosen = world.random("who is checked without managers").nextInt(OFFLINE_OF) == 0;
    if (!isExplained && isChosen) {
      new CheckedOffline(world, histories, patience).run();
    }
    stores(new RawObjects(world, components, safety, world.homeVolume()), look.directories());
    sent();
  }

  /** What can be had again is on OSDs that are there, and whatever cannot is named (P 6.8). */
  private LastLook repaired(ClientNode client) {
    Repairs repairs = new Repairs(world);
    becomes("a lost OSD is not down", () -> "of " + world.table(), world::areLostOsdsDown);
    try {
      patience.await(world.removeLostOsds());
    } catch (WeftException e) {
      histories.found("a lost OSD cannot be removed", e.code() + " " + e.getMessage());
    }
    if (world.bladeSets().isSplit() && world.random("who merges at the end").nextBoolean()) {
      merge();
    }
    world.osdBalances().any();
    drainOne();
    becomes("a drain is not known", repairs::difference, repairs::areDrainsKnown);
    becomes("what was lost is not rebuilt", repairs::difference, repairs::areOver);
    drained(repairs);
    balanced();
    LastLook look =
        new LastLook(histories, client.files(), world.homePath(), crowds, patience, safety);
    look.walk();
    becomes("what was lost is not rebuilt", repairs::difference, repairs::areOver);
    RottenFiles rotten = new RottenFiles(new RawComponents(world), repairs, look);
    becomes(
        "a block that rotted is neither written anew nor named",
        rotten::difference,
        rotten::areWellOrNamed);
    look.contents()
        .forEach(
            (object, content) ->
                Optional.ofNullable(content.status())
                    .flatMap(FileStatus::map)
                    .filter(map -> !repairs.isWhole(map) && !repairs.isNamed(object))
                    .ifPresent(
                        map ->
                            histories.found(
                                "a file is neither at full redundancy nor named",
                                "object " + object + ": " + map + ", " + repairs.problems())));
    return look;
  }

  /** What was split becomes one again, while all is well. */
  private void merge() {
    try {
      patience.await(world.bladeSets().merge(BladeSets.OTHER, Configuration.DEFAULT_BLADE_SET));
    } catch (WeftException e) {
      histories.found("BladeSets cannot be merged", e.code() + " " + e.getMessage());
    }
  }

  /** Nothing moves any more while what OSDs have is compared with what was looked at before. */
  private void balanced() {
    try {
      patience.await(world.osdBalances().stop());
      world.pass(BEGUN_MOVES_MILLIS);
    } catch (WeftException e) {
      histories.found("a balance cannot be stopped", e.code() + " " + e.getMessage());
    }
  }

  private void checked(ClientNode client) {
    try {
      new CheckedAtTheEnd(
              world,
              histories,
              ClientParts.of(patience.await(client.connected())).health(),
              patience)
          .run(safety.isBeyond() || safety.isDoubted(), safety.isRotten());
    } catch (WeftException e) {
      histories.found(
          "not to be had although all is well again",
          "a client for the check: " + e.code() + " " + e.getMessage());
    }
  }

  /** An OSD is drained in the end at least, whatever happened before. */
  private void drainOne() {
    SortedSet<Integer> draining = world.osdDrains().draining();
    try {
      // What was asked for may have come late: where several are drained there is no room for all.
      for (int osd : draining.isEmpty() ? draining : draining.tailSet(draining.first() + 1)) {
        patience.await(world.osdDrains().undrain(osd));
      }
      if (draining.isEmpty()) {
        patience.await(world.osdDrains().drain(anyOfVolume()));
      }
    } catch (WeftException e) {
      histories.found("an OSD cannot be drained", e.code() + " " + e.getMessage());
    }
  }

  private SimulatedOsd anyOfVolume() {
    return world.osds().stream()
        .filter(osd -> world.bladeSets().serves(osd.osdId()))
        .findFirst()
        .orElseThrow();
  }

  /** What has lost too much stays where it is, and so its OSD is never empty. */
  private void drained(Repairs repairs) {
    if (!safety.isBeyond() && !safety.isDoubted()) {
      becomes("a drained OSD is not empty", repairs::difference, repairs::areDrained);
    }
  }

  /** What OSDs sent was what they had looked up. */
  private void sent() {
    world
        .unfitPayloads()
        .forEach(
            (machine, what) -> {
              if (!safety.mayBeTorn(machine)) {
                histories.found(
                    "an OSD sent a block that does not fit its checksum", machine + ": " + what);
              }
            });
  }

  /** All sessions have ended, and so have their locks. */
  private void locks(ClientNode client) {
    if (!histories.locks().isMade()) {
      return;
    }
    try {
      // Those that are kept for successors go when it is too late for these.
      world.pass(keepMillis);
      LockedFile file =
          patience.await(
              client
                  .locks()
                  .open(
                      WeftPath.of(world.homePath() + LockTurns.PATH),
                      LockOwner.process("last look")));
      if (!patience.await(file.tryLock(ByteRange.ALL, LockMode.EXCLUSIVE))) {
        histories.found(
            "a lock outlives its session",
            patience.await(file.test(ByteRange.ALL, LockMode.EXCLUSIVE)).toString());
      }
      patience.await(file.close());
    } catch (WeftException e) {
      histories.found(
          "not to be had although all is well again", "locks: " + e.code() + " " + e.getMessage());
    }
  }

  private void objects(RawComponents components, LastLook look) {
    RawObjects objects = new RawObjects(world, components, safety, world.homeVolume());
    List<Long> nodes = look.nodes();
    becomes(
        "an object that no name leads to", objects::difference, () -> objects.areAllNamed(nodes));
    Map<Long, StorageMap> maps = new TreeMap<>();
    look.contents()
        .forEach(
            (object, content) ->
                Optional.ofNullable(content.status())
                    .flatMap(FileStatus::map)
                    .ifPresent(map -> maps.put(object, map)));
    becomes(
        "an OSD keeps what its file has elsewhere",
        objects::difference,
        () -> objects.areWhereMapsSay(maps));
    if (!faults) {
      // An OSD that a fault kept from completions learns of them with the next write.
      becomes(
          "a write is pending for ever", objects::difference, () -> objects.areAllComplete(nodes));
    }
    becomes(
        "copies of a directory differ",
        objects::difference,
        () -> objects.areAlike(look.directories()));
    becomes("copies of attributes differ", objects::difference, () -> objects.haveOneWord(nodes));
  }

  /** Beside the volume that all clients work in: nothing but its first directory. */
  private void rootVolume(RawComponents components) {
    RawObjects objects = new RawObjects(world, components, safety, RawObjects.ROOT_VOLUME);
    List<Long> root = List.of(RawObjects.ROOT_DIRECTORY);
    becomes("copies of a directory differ", objects::difference, () -> objects.areAlike(root));
    becomes("copies of attributes differ", objects::difference, () -> objects.haveOneWord(root));
  }

  private void becomes(String rule, Supplier<String> difference, BooleanSupplier holds) {
    if (!patience.until(holds)) {
      histories.found(rule, difference.get() + ", still after " + MAX_MILLIS + " ms");
    }
  }

  /** Every block of every store belongs to one, or is free. */
  private void stores(RawObjects objects, List<Long> directories) {
    for (SimulatedOsd osd : world.osds()) {
      Map<ObjectName, Long> blocksInUse = blocksInUse(objects, osd, directories);
      CheckReport report = osd.check();
      // What is torn is found by its checksum, and the files were named if there was too much of
      // it. What a directory gave up before its copy came back torn is not written again.
      boolean torn = safety.mayBeTorn(osd.name()) && osd.isOnlyLost(report);
      boolean explained =
          safety.isDamaged(osd)
              || torn && (safety.isDoubted() || areGivenUp(report.damaged(), blocksInUse));
      if (!report.isSound() && !explained) {
        histories.found("a store is not sound", osd.name() + ": " + report.findings());
      }
    }
  }

  private Map<ObjectName, Long> blocksInUse(
      RawObjects objects, SimulatedOsd osd, List<Long> directories) {
    try {
      return osd.isRunning() ? objects.blocksInUse(osd, directories) : Map.of();
    } catch (WeftException e) {
      histories.found("a store is not sound", osd.name() + ": " + e.code() + " " + e.getMessage());
      return Map.of();
    }
  }

  /** True if no directory uses any of the blocks. */
  private static boolean areGivenUp(List<DamagedBlock> blocks, Map<ObjectName, Long> blocksInUse) {
    return blocks.stream()
        .allMatch(
            block ->
                block
                    .object()
                    .map(blocksInUse::get)
                    .filter(inUse -> block.objectBlock() >= inUse)
                    .isPresent());
  }
}
