package org.weft.simulator.harm;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.simulator.node.SysmgrNode;
import org.weft.simulator.workload.ClientThread;
import org.weft.simulator.workload.ClientWorker;
import org.weft.simulator.workload.ClientWorkload;
import org.weft.simulator.world.World;

/** Harm that takes longer than most, or strikes at one place of a protocol; drawn from the seed. */
final class RareHarm {
  /** An OSD that is silent for six seconds is called down. */
  private static final int MIN_SILENCE_MILLIS = 3_500;

  private static final int MAX_MORE_SILENCE_MILLIS = 5_000;
  private static final int MAX_FLAPS = 4;
  private static final int MIN_OFF_MILLIS = 8_000;
  private static final int MAX_MORE_OFF_MILLIS = 16_000;
  private static final int MAX_BREATH_MILLIS = 3_000;
  private static final int MAX_LATE_MILLIS = 4_000;
  private static final int LEASE_MILLIS = 2_000;
  private static final int CUT_TO_DEATH_MILLIS = 900;
  private static final int MAX_SLEEP_MILLIS = 9_000;

  private final World world;
  private final ClientWorkload workload;
  private final Outages outages;
  private final RandomGenerator random;

  RareHarm(World world, ClientWorkload workload, Outages outages, RandomGenerator random) {
    this.world = world;
    this.workload = workload;
    this.outages = outages;
    this.random = random;
  }

  private static long nanos(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /**
   * A client dies after the manager has journalled its truncation, and before any OSD learns of it.
   */
  boolean killCuttingClient(ClientWorker worker) {
    if (!worker.isConnected()) {
      return false;
    }
    String client = worker.node().name();
    outages.note(client + " is to die when it next cuts a file");
    worker.beforeCut(
        path -> {
          outages.note("nothing between " + client + " and OSDs");
          workload.paths().wanted(path);
          for (SimulatedOsd osd : world.osds()) {
            world.network().separate(client, osd.name());
          }
          outages.afterwards(
              nanos(random.nextInt(CUT_TO_DEATH_MILLIS)),
              () -> {
                boolean unused = outages.kill(worker);
                world.network().healBut((from, to) -> !from.equals(client) && !to.equals(client));
              });
        });
    return true;
  }

  /** It is away for longer than it takes to count as lost, and comes back with all that it had. */
  boolean osdOff(SimulatedOsd osd) {
    if (!osd.isRunning()) {
      return false;
    }
    outages.note(osd.name() + " is off for long");
    osd.kill();
    outages.afterwards(
        nanos(MIN_OFF_MILLIS + random.nextInt(MAX_MORE_OFF_MILLIS)),
        () -> {
          outages.note("start " + osd.name());
          osd.start();
        });
    return true;
  }

  /** A client that has a file open for reading goes on, while its name leads to another. */
  boolean replaceReadFile() {
    List<ClientThread> reading =
        workload.workers().stream()
            .flatMap(worker -> worker.hands().stream())
            .filter(hand -> Contenders.holds(hand, true))
            .toList();
    List<ClientThread> idle =
        workload.workers().stream()
            .flatMap(worker -> worker.hands().stream())
            .filter(hand -> !Contenders.holds(hand, false))
            .toList();
    if (reading.isEmpty() || idle.isEmpty()) {
      return false;
    }
    ClientThread reader = reading.get(random.nextInt(reading.size()));
    String path = reader.pathOfReading().orElseThrow();
    outages.note(path + " is to be replaced under " + reader.name());
    idle.get(random.nextInt(idle.size())).replace(path);
    reader.readOn();
    return true;
  }

  /**
   * The old process stands still for a while, as that of a machine that was given up. SysMgr's last
   * answer to it is delivered late, and SysMgr hears late that it is back. For a moment only its
   * lease keeps it from answering.
   */
  boolean replaceMachine(SimulatedManager manager) {
    if (!manager.isRunning() || manager.isPaused()) {
      return false;
    }
    int sleepMillis = LEASE_MILLIS + random.nextInt(MAX_SLEEP_MILLIS);
    boolean isLate = random.nextInt(3) != 0;
    if (isLate) {
      for (SysmgrNode member : world.sysmgrs()) {
        world
            .network()
            .latency(member.name(), manager.name(), nanos(random.nextInt(LEASE_MILLIS / 2)));
        world
            .network()
            .latency(manager.name(), member.name(), nanos(random.nextInt(2 * LEASE_MILLIS)));
      }
    }
    outages.afterwards(
        nanos(isLate ? random.nextInt(LEASE_MILLIS) : 0), () -> replace(manager, sleepMillis));
    return true;
  }

  private void replace(SimulatedManager manager, int sleepMillis) {
    if (!manager.isRunning() || manager.isPaused() || !world.managers().contains(manager)) {
      return;
    }
    outages.note("another machine in place of " + manager.name());
    SimulatedManager next = world.replaceMachine(manager, sleepMillis);
    outages.afterwards(
        nanos(LEASE_MILLIS + random.nextInt(LEASE_MILLIS)),
        () -> {
          outages.note("start " + next.name());
          next.start();
        });
  }

  /** Mostly a member starts again from it, or is elected out of it, soon. */
  boolean snapshot(SysmgrNode member) {
    outages.note("snapshot of " + member.name());
    world.compact(member);
    outages.afterwards(
        nanos(random.nextInt(1_000)),
        () -> {
          SysmgrNode other = world.sysmgrs().get(random.nextInt(world.sysmgrs().size()));
          if (random.nextInt(3) != 0) {
            boolean unused = outages.kill(other);
          } else if (world.sysmgrs().size() > 1) {
            world.elect(other);
          }
        });
    return true;
  }

  /** Names of volumes are in the root volume: not where the model has its names. */
  private boolean mayHaveVolumes() {
    return workload.geometry().secondVolume();
  }

  boolean makeVolume() {
    if (mayHaveVolumes()) {
      world.extraVolumes().make();
    }
    return mayHaveVolumes();
  }

  boolean deleteVolume() {
    return mayHaveVolumes() && world.extraVolumes().delete();
  }

  boolean killOperator() {
    if (mayHaveVolumes()) {
      world.extraVolumes().killOperator();
    }
    return mayHaveVolumes();
  }

  /** SysMgr calls it down and up again; what it has said meanwhile arrives late. */
  boolean flap(SimulatedOsd osd) {
    outages.note(osd.name() + " begins to flap");
    flap(osd, 1 + random.nextInt(MAX_FLAPS));
    return true;
  }

  private void flap(SimulatedOsd osd, int left) {
    if (left == 0) {
      return;
    }
    boolean stands = random.nextInt(3) == 0 && osd.isRunning() && !osd.isPaused();
    if (stands) {
      outages.note("pause " + osd.name());
      osd.pause();
    } else {
      outages.note("cut from " + osd.name() + " to SysMgr");
      boolean both = random.nextBoolean();
      for (SysmgrNode member : world.sysmgrs()) {
        world.network().cut(osd.name(), member.name());
        if (both) {
          world.network().cut(member.name(), osd.name());
        }
      }
    }
    outages.afterwards(
        nanos(MIN_SILENCE_MILLIS + random.nextInt(MAX_MORE_SILENCE_MILLIS)),
        () -> {
          outages.note(osd.name() + " is back");
          if (stands && osd.isPaused()) {
            osd.resume();
          }
          world.network().healBut((from, to) -> !from.equals(osd.name()) && !to.equals(osd.name()));
          outages.afterwards(nanos(random.nextInt(MAX_BREATH_MILLIS)), () -> flap(osd, left - 1));
        });
  }

  /** SysMgr's answers to a manager take about as long as a lease. */
  boolean lateRenewals(SimulatedManager manager) {
    outages.note("late renewals of " + manager.name());
    for (SysmgrNode member : world.sysmgrs()) {
      long late = nanos(LEASE_MILLIS / 2 + random.nextInt(MAX_LATE_MILLIS));
      world.network().latency(member.name(), manager.name(), late);
    }
    outages.afterwards(
        nanos(2L * LEASE_MILLIS + random.nextInt(2 * MAX_LATE_MILLIS)),
        () ->
            world
                .network()
                .healBut((from, to) -> !from.equals(manager.name()) && !to.equals(manager.name())));
    return true;
  }
}
