package org.weft.simulator.harm;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.weft.simulator.node.SimNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SysmgrNode;
import org.weft.simulator.workload.ClientWorker;
import org.weft.simulator.workload.ClientWorkload;
import org.weft.simulator.world.World;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * Harm to a volume's primary and its backup where one may have what the other lacks (P 6.2).
 * Records may be on their way to the backup, notices of the backup on their way to SysMgr, or a
 * lease about to end. The primary dies there, for long enough to be replaced.
 */
final class PairHarm {
  private static final int LEASE_MILLIS = 2_000;

  /** A backup that takes longer to answer is given up. */
  private static final int MAX_LATE_MILLIS = 800;

  private static final int MIN_AWAY_MILLIS = 3_500;
  private static final int MAX_MORE_AWAY_MILLIS = 6_000;
  private static final int MAX_SLOW_DISK_MILLIS = 300;
  private static final int MAX_MILLIS = 12_000;
  private static final int LOOK_MILLIS = 20;
  private static final int MAX_LOOKS = 500;

  private final World world;
  private final ClientWorkload workload;
  private final Outages outages;
  private final Contenders contenders;
  private final RandomGenerator random;

  private record Pair(SimulatedManager primary, SimulatedManager backup) {}

  PairHarm(
      World world,
      ClientWorkload workload,
      Outages outages,
      Contenders contenders,
      RandomGenerator random) {
    this.world = world;
    this.workload = workload;
    this.outages = outages;
    this.contenders = contenders;
    this.random = random;
  }

  /** False if it is not possible now. */
  boolean strike(FaultKind kind) {
    Optional<Pair> pair = pair();
    if (pair.isEmpty()) {
      return false;
    }
    SimulatedManager primary = pair.get().primary();
    SimulatedManager backup = pair.get().backup();
    outages.note(kind.words() + " of " + primary.name() + " and " + backup.name());
    workload.waitFor(nanos(MAX_MILLIS));
    switch (kind) {
      case LATE_BACKUP -> lateBackup(primary, backup);
      case PARTED_PAIR -> parted(primary, backup);
      case BACKUP_JUST_NAMED -> justNamed(primary, backup);
      case LATE_WORDS_OF_PRIMARY -> lateWords(primary, backup);
      case PRIMARY_STARTED_TWICE -> startedTwice(primary, backup);
      case QUIET_PRIMARY -> quiet(primary, backup);
      case POWER_OF_PAIR -> powerOfBoth(primary, backup);
      default -> throw new IllegalArgumentException(kind + " is not of pairs");
    }
    return true;
  }

  private Optional<Pair> pair() {
    List<SimulatedManager> running =
        world.managers().stream().filter(node -> node.isRunning() && !node.isPaused()).toList();
    Optional<SimulatedManager> primary =
        running.stream().filter(SimulatedManager::isServing).findFirst();
    List<SimulatedManager> others =
        running.stream().filter(node -> primary.filter(node::equals).isEmpty()).toList();
    if (primary.isEmpty() || others.isEmpty() || !hasBackup()) {
      return Optional.empty();
    }
    return Optional.of(new Pair(primary.get(), others.get(random.nextInt(others.size()))));
  }

  private boolean hasBackup() {
    return world
        .configuration()
        .map(known -> known.volumes().get(Volume.ROOT))
        .filter(volume -> volume.backup().manager().isPresent())
        .isPresent();
  }

  private static long nanos(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  private long late() {
    return nanos(50 + random.nextInt(MAX_LATE_MILLIS));
  }

  /** Records reach the backup late, and the primary dies just after it has answered something. */
  private void lateBackup(SimulatedManager primary, SimulatedManager backup) {
    world.network().latency(primary.name(), backup.name(), late());
    afterAnswer(() -> killForLong(primary));
  }

  private void afterAnswer(Runnable harm) {
    outages.afterwards(
        nanos(random.nextInt(1_000)),
        () -> {
          ClientWorker worker = contenders.one();
          if (worker.isConnected()) {
            worker.afterAcknowledgement(() -> outages.afterwards(0, harm));
          } else {
            harm.run();
          }
        });
  }

  private void killForLong(SimulatedManager node) {
    if (node.isRunning()) {
      outages.note("kill " + node.name() + " for long");
      node.kill();
    }
    heal();
    startLater(node, MIN_AWAY_MILLIS + random.nextInt(MAX_MORE_AWAY_MILLIS));
  }

  private void heal() {
    world.network().heal();
  }

  private void startLater(SimNode node, long millis) {
    outages.afterwards(
        nanos(millis),
        () -> {
          outages.note("start " + node.name());
          node.start();
        });
  }

  /**
   * It loses its backup, and a moment later SysMgr: its report that it is alone does not arrive.
   */
  private void parted(SimulatedManager primary, SimulatedManager backup) {
    world.network().separate(primary.name(), backup.name());
    outages.afterwards(
        nanos(1_500 + random.nextInt(LEASE_MILLIS)),
        () -> {
          outages.note("nothing from " + primary.name() + " to SysMgr");
          for (SysmgrNode member : world.sysmgrs()) {
            world.network().cut(primary.name(), member.name());
          }
          outages.afterwards(
              nanos(MIN_AWAY_MILLIS + random.nextInt(MAX_MORE_AWAY_MILLIS)), this::heal);
        });
  }

  /** A new copy is made over a slow link, and the primary dies when it has just been named. */
  private void justNamed(SimulatedManager primary, SimulatedManager backup) {
    backup.kill();
    world.network().latency(primary.name(), backup.name(), late());
    // A volume that has just lost its backup commits nothing alone for a while.
    startLater(backup, random.nextInt(MIN_AWAY_MILLIS + MAX_MORE_AWAY_MILLIS));
    await(
        () -> !hasBackup(),
        MAX_LOOKS,
        () -> await(this::hasBackup, MAX_LOOKS, () -> killForLong(primary)));
  }

  private void await(BooleanSupplier holds, int looks, Runnable then) {
    outages.afterwards(
        nanos(LOOK_MILLIS),
        () -> {
          if (holds.getAsBoolean()) {
            then.run();
          } else if (looks > 0) {
            await(holds, looks - 1, then);
          } else {
            heal();
          }
        });
  }

  /** What it says of its backup arrives after something newer, or while it is alone. */
  private void lateWords(SimulatedManager primary, SimulatedManager backup) {
    for (SysmgrNode member : world.sysmgrs()) {
      world.network().belate(primary.name(), member.name());
    }
    backup.kill();
    startLater(backup, random.nextInt(LEASE_MILLIS));
    outages.afterwards(
        nanos(MIN_AWAY_MILLIS + random.nextInt(MAX_MORE_AWAY_MILLIS)),
        () -> afterAnswer(() -> killForLong(primary)));
  }

  /** Its journal ends with what its backup lacks; it starts, and dies again a moment later. */
  private void startedTwice(SimulatedManager primary, SimulatedManager backup) {
    world.network().latency(primary.name(), backup.name(), late());
    outages.afterwards(
        nanos(random.nextInt(1_000)),
        () -> {
          long epoch = epoch();
          primary.kill();
          startLater(primary, random.nextInt(200));
          await(() -> epoch() > epoch, MAX_LOOKS, () -> dieBeforeSysmgrHears(primary));
        });
  }

  /** What it says at its start is on the way to SysMgr still. */
  private void dieBeforeSysmgrHears(SimulatedManager primary) {
    for (SysmgrNode member : world.sysmgrs()) {
      long nanos = nanos(LEASE_MILLIS / 2 + random.nextInt(LEASE_MILLIS / 3));
      world.network().latency(primary.name(), member.name(), nanos);
    }
    await(
        () -> !primary.isRunning() || primary.isServing(),
        LEASE_MILLIS / LOOK_MILLIS,
        () ->
            outages.afterwards(
                nanos(random.nextInt(LEASE_MILLIS / 4)), () -> killForLong(primary)));
  }

  private long epoch() {
    return world
        .configuration()
        .map(known -> known.volumes().get(Volume.ROOT).epoch())
        .orElse(Long.MAX_VALUE - 1);
  }

  /** SysMgr gets its heartbeats late or not at all, for about as long as its lease. */
  private void quiet(SimulatedManager primary, SimulatedManager backup) {
    boolean isLate = random.nextInt(3) == 0;
    long lateNanos = nanos(LEASE_MILLIS - 500L + random.nextInt(LEASE_MILLIS / 2));
    for (SysmgrNode member : world.sysmgrs()) {
      member.machine().slowDisk(nanos(1 + random.nextInt(MAX_SLOW_DISK_MILLIS)));
      if (isLate) {
        world.network().latency(primary.name(), member.name(), lateNanos);
      } else {
        world.network().cut(primary.name(), member.name());
      }
    }
    world.network().latency(primary.name(), backup.name(), late());
    // Mostly its heartbeats arrive again while its volume is being given to the backup.
    int least = random.nextInt(3) == 0 ? LEASE_MILLIS / 4 : LEASE_MILLIS - 500;
    outages.afterwards(
        nanos(least + random.nextInt(LEASE_MILLIS / 2)),
        () -> {
          heal();
          for (SysmgrNode member : world.sysmgrs()) {
            world.network().breakConnections(primary.name(), member.name());
          }
          outages.afterwards(
              nanos(LEASE_MILLIS),
              () -> world.sysmgrs().forEach(member -> member.machine().repair()));
        });
  }

  /** Both go with the power after an answer, and the backup alone comes back soon. */
  private void powerOfBoth(SimulatedManager primary, SimulatedManager backup) {
    afterAnswer(
        () -> {
          outages.note("power of " + primary.name() + " and " + backup.name());
          primary.machine().losePower();
          backup.machine().losePower();
          startLater(backup, random.nextInt(1_000));
          startLater(primary, 2L * MIN_AWAY_MILLIS + random.nextInt(MAX_MORE_AWAY_MILLIS));
        });
  }
}
