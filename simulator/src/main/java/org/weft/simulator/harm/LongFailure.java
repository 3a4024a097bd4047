package org.weft.simulator.harm;

import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.simulator.workload.ClientWorker;
import org.weft.simulator.workload.ClientWorkload;
import org.weft.simulator.workload.Intensity;
import org.weft.simulator.workload.Safety;
import org.weft.simulator.world.World;

/**
 * The store of an OSD takes no changes any more, and its process goes on for long (P 5.8). It
 * happens in some of the seeds with bad disks. A client dies soon afterwards, and a manager too or
 * not. All the same managers serve, and files are put in order.
 */
public final class LongFailure extends LongHarm {
  /**
   * The seeds that have it, modulo 32. No seed lies there that was kept before this harm existed.
   */
  private static final Set<Long> SHARE = Set.of(2L, 28L, 30L);

  private static final long MAX_BEFORE_FAILURE_NANOS = TimeUnit.SECONDS.toNanos(12);
  private static final long MAX_BEFORE_DEATHS_NANOS = TimeUnit.SECONDS.toNanos(8);

  /** With so many bytes of journals, in files of 64 KiB, some are dropped when rounds end. */
  private static final long MANY_BYTES = 192 << 10;

  private static final long SEGMENT_BYTES = 64 << 10;
  private static final int MAX_USUAL_VOLUMES = 2;

  private final Safety safety;
  private SimulatedOsd failing;
  private boolean foldersToo;
  private Wait serves;
  private Wait resolves;
  private Wait drops;
  private long journalBytes;

  LongFailure(
      World world, ClientWorkload workload, Outages outages, Safety safety, Intensity intensity) {
    super(
        world,
        workload,
        outages,
        "a store that has failed for long",
        isDrawn(world.options().seed(), intensity));
    this.safety = safety;
  }

  /** Also while the first rounds of a manager wait for checkpoints. */
  @Override
  long mostBeforeNanos() {
    return MAX_BEFORE_FAILURE_NANOS;
  }

  /** Whether it may be in the seed. */
  public static boolean isDrawn(long seed, Intensity intensity) {
    return intensity.has(Intensity.DISKS) && SHARE.contains(Math.floorMod(seed, 32L));
  }

  @Override
  boolean harm() {
    List<SimulatedOsd> victims = safety.victims();
    if (victims.isEmpty()) {
      return false;
    }
    failing = victims.get(random.nextInt(victims.size()));
    if (!safety.mayDamage(failing)) {
      return false;
    }
    outages.note("the store of " + failing.name() + " fails for long");
    foldersToo = random.nextBoolean();
    failing.machine().failWrites(foldersToo);
    outages.afterwards(random.nextLong(MAX_BEFORE_DEATHS_NANOS), this::killOne);
    serves = new Wait("a manager waits for ever for an OSD whose store has failed");
    resolves = new Wait("a file waits for ever for an OSD whose store has failed");
    drops = new Wait("a flush round waits for ever for an OSD whose store has failed");
    return true;
  }

  private void killOne() {
    List<ClientWorker> writing =
        workload.workers().stream()
            .filter(
                worker -> worker.hands().stream().anyMatch(hand -> Contenders.holds(hand, false)))
            .toList();
    if (!writing.isEmpty()) {
      boolean unused = outages.kill(writing.get(random.nextInt(writing.size())));
    }
    if (random.nextBoolean()) {
      SimulatedManager manager = world.managers().get(random.nextInt(world.managers().size()));
      outages.note("kill " + manager.name());
      manager.kill();
    }
  }

  @Override
  void look() {
    if (failing.isRunning() && !failing.isPaused() && !failing.store().hasFailed()) {
      // It was repaired after earlier harm.
      failing.machine().failWrites(foldersToo);
    }
    boolean good =
        failing.isRunning()
            && !failing.isPaused()
            && failing.store().hasFailed()
            && othersAreThere(osd -> osd.value() == failing.osdId())
            && world.managers().stream().noneMatch(SimulatedManager::isPaused);
    serves.look(good && !world.managers().stream().allMatch(this::serves), words());
    // Under a network that breaks every try, a failure would not be the store's.
    resolves.look(
        good
            && !world.network().faults().breaksConversations()
            && health().stream().anyMatch(volume -> volume.getUnresolvedFiles() > 0),
        words());
    long before = journalBytes;
    journalBytes = health().stream().mapToLong(VolumeHealth::getJournalBytes).sum();
    drops.look(good && journalBytes >= before && before >= manyBytes(), words());
  }

  /** Each volume has a segment of its journal at least, and some worlds have many. */
  private long manyBytes() {
    return MANY_BYTES + SEGMENT_BYTES * Math.max(0, health().size() - MAX_USUAL_VOLUMES);
  }

  private boolean serves(SimulatedManager manager) {
    boolean idle = world.options().pairs() && manager.isRunning() && manager.health().isEmpty();
    return idle || manager.isServing();
  }

  private List<VolumeHealth> health() {
    return world.managers().stream().flatMap(manager -> manager.health().stream()).toList();
  }

  private String words() {
    return failing.name()
        + ": "
        + world.managers().stream().map(SimulatedManager::problems).toList()
        + ", "
        + health();
  }

  @Override
  void end() {
    outages.note("repair " + failing.name());
    failing.machine().repair();
    failing.kill();
    failing.start();
  }
}
