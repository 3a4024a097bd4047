package org.weft.simulator.harm;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.weft.osd.store.Durability;
import org.weft.simulator.network.NetworkFaults;
import org.weft.simulator.node.SimNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.simulator.workload.ClientWorker;
import org.weft.simulator.workload.ClientWorkload;
import org.weft.simulator.workload.Intensity;
import org.weft.simulator.workload.Safety;
import org.weft.simulator.workload.WorkloadBias;
import org.weft.simulator.world.World;

/**
 * Does harm while clients work: one fault after another, each for a while, drawn from the seed.
 * What files can bear is kept to, as {@link Safety} counts it.
 */
public final class Saboteur {
  private static final int MAX_ROTTEN_BITS = 40;
  private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long MAX_BETWEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(1_000);
  private static final long MAX_BETWEEN_RARE_NANOS = TimeUnit.SECONDS.toNanos(8);
  private static final int MAX_STRIKES = 24;
  private static final int SHORT_MILLIS = 2_000;
  private static final int LONG_MILLIS = 14_000;
  private static final long STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(7_000);
  private static final long MAX_BETWEEN_WAKINGS_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long BEFORE_COMPLETION_IS_TOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final World world;
  private final ClientWorkload workload;
  private final Safety safety;
  private final Intensity intensity;
  private final RandomGenerator random;
  private final Outages outages;
  private final boolean anyPower;
  private final Map<FaultKind, Integer> counts = new EnumMap<>(FaultKind.class);
  private final Set<SimNode> doomed = new LinkedHashSet<>();
  private final Contenders contenders;
  private final BadNetwork network;
  private final RareHarm rare;
  private final PairHarm pairs;
  private final MembersHarm members;
  private final List<LongHarm> longHarm;
  private final long mostBetweenNanos;
  private final int mostStrikes;
  private int strikes;

  public Saboteur(
      World world,
      ClientWorkload workload,
      Safety safety,
      Intensity intensity,
      RandomGenerator random) {
    this.world = world;
    this.workload = workload;
    this.safety = safety;
    this.intensity = intensity;
    this.random = random;
    // Outages for which no node is given up, so that other harm may be done.
    boolean gentle = intensity.has(Intensity.DISKS) && random.nextInt(3) != 0;
    this.outages = new Outages(world, random, gentle);
    this.mostStrikes = 1 + random.nextInt(MAX_STRIKES);
    this.mostBetweenNanos =
        workload.geometry().has(WorkloadBias.LASTING) ? MAX_BETWEEN_RARE_NANOS : MAX_BETWEEN_NANOS;
    this.contenders = new Contenders(workload, random);
    this.network =
        new BadNetwork(
            world, workload, outages, contenders, random, intensity.has(Intensity.NETWORK));
    this.rare = new RareHarm(world, workload, outages, random);
    this.pairs = new PairHarm(world, workload, outages, contenders, random);
    this.members = new MembersHarm(world, workload, outages, rare, random);
    this.longHarm =
        List.of(
            network.separation(),
            network.cable(),
            new LongFailure(world, workload, outages, safety, intensity),
            new LongAbsence(world, workload, outages, intensity),
            new LongStalls(world, workload, outages, intensity));
    this.anyPower = intensity.has(Intensity.POWER) && random.nextInt(3) == 0;
  }

  public void start() {
    if (intensity != Intensity.NONE) {
      network.begin();
      longHarm.forEach(LongHarm::begin);
      look();
      later();
    }
  }

  /** Nothing goes wrong any more; what is wrong stays so. */
  public void end() {
    outages.end();
    workload.workers().forEach(worker -> worker.stubborn(false));
    // A node that is to die at a later disk operation dies now.
    doomed.forEach(SimNode::kill);
  }

  /** How many faults there were, by kind. */
  public Map<FaultKind, Integer> counts() {
    return counts;
  }

  private void look() {
    safety.look();
    if (!outages.areOver()) {
      world.time().after(LOOK_EVERY_NANOS, this::look);
    }
  }

  private void later() {
    world
        .time()
        .after(
            random.nextLong(mostBetweenNanos),
            () -> {
              if (!outages.areOver() && longHarm.stream().anyMatch(LongHarm::lasts)) {
                later();
              } else if (!outages.areOver() && strikes++ < mostStrikes) {
                strike();
                later();
              }
            });
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private void strike() {
    if (workload.geometry().has(WorkloadBias.REPAIRED)) {
      world.osdBalances().any();
      world.osdAdditions().any();
    }
    List<FaultKind> possible = new ArrayList<>();
    for (FaultKind kind : FaultKind.values()) {
      boolean isMeant = intensity.has(kind.of) && kind.isMeantFor(workload.geometry());
      for (int chance = 0; chance < kind.weight && isMeant; chance++) {
        possible.add(kind);
      }
    }
    FaultKind kind = possible.get(random.nextInt(possible.size()));
    if (strike(kind)) {
      counts.merge(kind, 1, Integer::sum);
    }
  }

  /** False if it is not possible now. */
  private boolean strike(FaultKind kind) {
    return switch (kind) {
      case KILL_OSD -> outages.kill(one(world.osds()));
      case KILL_OSD_IN_DISK_OPERATION -> killInDiskOperation(one(world.osds()));
      case KILL_MANAGER -> outages.kill(one(world.managers()));
      case KILL_MANAGER_IN_DISK_OPERATION -> killInDiskOperation(one(world.managers()));
      case KILL_SYSMGR -> outages.kill(one(world.sysmgrs()));
      case KILL_CLIENT -> killClient();
      case STOP_OSD -> stop(one(world.osds()));
      case STOP_MANAGER -> stop(one(world.managers()));
      case PAUSE_OSD -> pause(one(world.osds()));
      case STALL_OSD_BESIDE_A_READER -> stallBeside(contenders.one());
      case PAUSE_MANAGER -> pause(one(world.managers()));
      case PAUSE_CLIENT -> pause(one(world.clients()));
      case FREEZE_CLIENT -> freeze(contenders.one());
      case NOISY_NETWORK -> network.noise(NetworkFaults.USUAL);
      case FORGETFUL_NETWORK -> network.noise(NetworkFaults.FORGETFUL);
      case BELATED_NETWORK -> network.noise(NetworkFaults.BELATED);
      case CUT_OFF_CLIENT -> network.cutOff(contenders.one());
      case CROSSED_LINKS -> network.crossLinks();
      case SLOW_READER -> network.slowReader();
      case BELATED_LINK -> network.belateLink();
      case OSD_AWAY_AFTER_ANSWER -> network.separateAfterAnswer();
      case CUT_ONE_WAY, SEPARATE, SLOW_LINK -> network.harmLink(kind);
      case ANOTHER_LEADER -> elect();
      case POWER_OF_OSD -> powerOfOsd();
      case POWER_OF_MANAGER -> powerOfManager();
      case MANAGER_OFF_FOR_LONG -> managerOffForLong();
      case POWER_OF_SYSMGR -> power(one(world.sysmgrs()));
      case OSD_OFF_FOR_LONG -> rare.osdOff(one(world.osds()));
      case DRAIN_OSD -> world.osdDrains().any();
      case MOVE_OSD_OR_MERGE -> world.bladeSets().any();
      case LOSE_DISK,
          LOSE_DISK_FOR_GOOD,
          BIT_ROT,
          BITS_ROT,
          FULL_DISK,
          FAILING_DISK,
          FAILED_STORE ->
          harmDisk(kind);
      case SLOW_DISK -> slowDisk();
      case CLOCK_JUMP -> jumpClock();
      case KILL_CLIENT_AFTER_ANSWER -> killAfterAnswer();
      case KILL_CUTTING_CLIENT -> rare.killCuttingClient(contenders.one());
      case REPLACE_READ_FILE -> rare.replaceReadFile();
      case REPLACE_MANAGER_MACHINE -> rare.replaceMachine(one(world.managers()));
      case SYSMGR_SNAPSHOT -> rare.snapshot(one(world.sysmgrs()));
      case MAKE_VOLUME -> rare.makeVolume();
      case DELETE_VOLUME -> rare.deleteVolume();
      case KILL_OPERATOR -> rare.killOperator();
      case POWER_OF_ALL -> powerOfAll();
      case FLAPPING_OSD -> rare.flap(one(world.osds()));
      case LATE_BACKUP,
          BACKUP_JUST_NAMED,
          PRIMARY_STARTED_TWICE,
          PARTED_PAIR,
          LATE_WORDS_OF_PRIMARY,
          QUIET_PRIMARY,
          POWER_OF_PAIR ->
          pairs.strike(kind);
      case HARM_LEADER_IN_OPERATION,
          CUT_OFF_LEADER,
          REPLACE_SYSMGR,
          LOSE_SYSMGR_DISK,
          LOSE_DISK_BESIDE_LAGGING_MEMBER,
          NEW_LEADER_BESIDE_NEW_PROCESS,
          NEW_LEADER_BESIDE_QUIET_PRIMARY ->
          members.strike(kind);
      case LATE_RENEWALS -> rare.lateRenewals(one(world.managers()));
    };
  }

  private boolean killInDiskOperation(SimNode node) {
    if (!node.isRunning()) {
      return false;
    }
    int count = 1 + random.nextInt(60);
    outages.note("kill " + node.name() + " before disk operation " + count + " from now");
    node.killAtDiskOperation(count);
    doomed.add(node);
    outages.startAgain(node);
    outages.afterwards(() -> outages.startAgain(node));
    return true;
  }

  private boolean stop(SimNode node) {
    if (!node.isRunning() || node.isPaused()) {
      return false;
    }
    outages.note("stop " + node.name());
    node.stop();
    outages.startAgain(node);
    return true;
  }

  /** It dies when it has an answer that an operation is done, and before it tells others. */
  private boolean killAfterAnswer() {
    ClientWorker worker = contenders.one();
    if (!worker.isConnected()) {
      return false;
    }
    outages.note("kill " + worker.node().name() + " after the next answer");
    long nanos = random.nextLong(BEFORE_COMPLETION_IS_TOLD_NANOS);
    worker.afterAcknowledgement(() -> outages.afterwards(nanos, () -> outages.kill(worker)));
    return true;
  }

  private boolean killClient() {
    return outages.kill(one(workload.workers()));
  }

  private boolean pause(SimNode node) {
    if (!node.isRunning() || node.isPaused()) {
      return false;
    }
    outages.note("pause " + node.name());
    node.pause();
    outages.afterwards(
        () -> {
          if (node.isPaused()) {
            outages.note("resume " + node.name());
            node.resume();
          }
        });
    return true;
  }

  /** Stopped for longer than its lease: others take its files, and then it goes on. */
  private boolean freeze(ClientWorker worker) {
    SimNode node = worker.node();
    if (!worker.isConnected() || node.isPaused()) {
      return false;
    }
    outages.note("freeze " + node.name());
    node.pause();
    worker.stubborn(true);
    outages.afterwards(
        contenders.keptAway(worker),
        () -> {
          if (node.isPaused()) {
            outages.note("thaw " + node.name());
            node.resume();
          }
          // It writes before it thinks.
          outages.afterwards(() -> worker.stubborn(false));
        });
    return true;
  }

  /**
   * An OSD stands still for longer than SysMgr waits for it, and a client that has files open
   * sleeps meanwhile, while others write them. The sleeper wakes up first: what it asks by its old
   * maps waits in the OSD's sockets until the OSD goes on.
   */
  private boolean stallBeside(ClientWorker worker) {
    SimNode sleeper = worker.node();
    SimulatedOsd osd = one(world.osds());
    if (!worker.isConnected() || sleeper.isPaused() || !osd.isRunning() || osd.isPaused()) {
      return false;
    }
    outages.note("stall " + osd.name() + " while " + sleeper.name() + " sleeps");
    osd.pause();
    sleeper.pause();
    long longest = contenders.keptAway(worker);
    long nanos = random.nextBoolean() ? longest : random.nextLong(STALL_NANOS, longest);
    outages.afterwards(nanos, () -> outages.resume(sleeper));
    long laterNanos = random.nextLong(MAX_BETWEEN_WAKINGS_NANOS);
    outages.afterwards(nanos + laterNanos, () -> outages.resume(osd));
    return true;
  }

  private boolean elect() {
    if (world.sysmgrs().size() == 1) {
      return false;
    }
    world.elect(one(world.sysmgrs()));
    return true;
  }

  private boolean powerOfOsd() {
    List<SimulatedOsd> from =
        anyPower || safety.victims().isEmpty() ? world.osds() : safety.victims();
    SimulatedOsd osd = one(from);
    safety.losesPower(osd);
    power(osd);
    if (random.nextInt(4) == 0) {
      // The OSD's holdings are not compared until the manager is back, which is mostly later.
      power(one(world.managers()));
    }
    return true;
  }

  /**
   * All OSDs lose power at once, just after a client got an answer. They have not yet heard that
   * the write is complete, which takes a checkpoint. Nothing that was written through may be lost.
   */
  private boolean powerOfAll() {
    ClientWorker worker = contenders.one();
    if (world.options().durability() != Durability.WRITE_THROUGH || !worker.isConnected()) {
      return false;
    }
    outages.note("power of all after the next answer to " + worker.node().name());
    worker.afterAcknowledgement(
        () ->
            outages.afterwards(
                random.nextLong(BEFORE_COMPLETION_IS_TOLD_NANOS / 2),
                () -> {
                  for (SimulatedOsd osd : world.osds()) {
                    safety.losesPower(osd);
                    boolean unused = power(osd);
                  }
                }));
    return true;
  }

  /** At once, or when its disk has lagged behind for a while. */
  private boolean powerOfManager() {
    SimulatedManager manager = one(world.managers());
    if (random.nextBoolean()) {
      return power(manager);
    }
    outages.note("very slow disk of " + manager.name());
    manager.machine().slowDisk(TimeUnit.MILLISECONDS.toNanos(500 + random.nextInt(2_500)));
    outages.afterwards(
        TimeUnit.MILLISECONDS.toNanos(300 + random.nextInt(SHORT_MILLIS)),
        () -> {
          power(manager);
          manager.machine().repair();
        });
    return true;
  }

  /** OSDs that come back meanwhile are compared by the other volume's manager alone. */
  private boolean managerOffForLong() {
    SimulatedManager manager = one(world.managers());
    if (!manager.isRunning()) {
      return false;
    }
    outages.note(manager.name() + " is off for long");
    manager.machine().losePower();
    outages.afterwards(
        TimeUnit.MILLISECONDS.toNanos(random.nextInt(SHORT_MILLIS, 2 * LONG_MILLIS)),
        manager::start);
    return true;
  }

  private boolean power(SimNode node) {
    outages.note("power of " + node.name());
    node.machine().losePower();
    outages.startAgain(node);
    return true;
  }

  private boolean harmDisk(FaultKind kind) {
    if (safety.victims().isEmpty()) {
      return false;
    }
    SimulatedOsd osd = one(safety.victims());
    if (!safety.mayDamage(osd)) {
      return false;
    }
    outages.note(kind.words() + " of " + osd.name());
    switch (kind) {
      case LOSE_DISK, LOSE_DISK_FOR_GOOD -> {
        osd.machine().loseDisk();
        safety.lostDisk(osd);
        outages.startAgain(osd);
      }
      case BIT_ROT -> {
        return rotted(osd.machine().rot());
      }
      case BITS_ROT -> {
        boolean rotten = false;
        for (int bits = 1 + random.nextInt(MAX_ROTTEN_BITS); bits > 0; bits--) {
          rotten |= osd.machine().rot();
        }
        return rotted(rotten);
      }
      case FULL_DISK -> {
        osd.machine().fullDisk(true);
        repairLater(osd, outages.lasting());
      }
      case FAILED_STORE -> {
        osd.machine().failWrites(random.nextBoolean());
        repairLater(osd, TimeUnit.MILLISECONDS.toNanos(SHORT_MILLIS + random.nextInt(LONG_MILLIS)));
      }
      default -> {
        osd.machine().failDisk(1 + random.nextInt(100));
        repairLater(osd, outages.lasting());
      }
    }
    return true;
  }

  private void repairLater(SimNode node, long nanos) {
    outages.afterwards(
        nanos,
        () -> {
          outages.note("repair " + node.name());
          node.machine().repair();
          // A store that met a failing disk serves no more until it is opened again.
          node.kill();
          node.start();
        });
  }

  private boolean slowDisk() {
    SimNode node = random.nextInt(3) == 0 ? one(world.managers()) : one(world.osds());
    outages.note("slow disk of " + node.name());
    node.machine().slowDisk(TimeUnit.MILLISECONDS.toNanos(1 + random.nextInt(300)));
    outages.afterwards(() -> node.machine().repair());
    return true;
  }

  private boolean jumpClock() {
    SimNode node = one(world.nodes());
    long millis = random.nextLong(-3_600_000, 3_600_000);
    outages.note("clock of " + node.name() + " jumps by " + millis + " ms");
    node.machine().jumpClock(millis);
    return true;
  }

  private boolean rotted(boolean anything) {
    if (anything) {
      safety.rotted();
    }
    return anything;
  }
}
