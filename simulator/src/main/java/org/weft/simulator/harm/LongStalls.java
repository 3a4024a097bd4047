package org.weft.simulator.harm;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.simulator.workload.ClientThread;
import org.weft.simulator.workload.ClientWorker;
import org.weft.simulator.workload.ClientWorkload;
import org.weft.simulator.workload.Intensity;
import org.weft.simulator.workload.OpenUnit;
import org.weft.simulator.workload.WorkloadBias;
import org.weft.simulator.world.World;

/**
 * OSDs freeze, one after another, until they are given up (P 5.8). Meanwhile a client that reads a
 * file there sleeps, and others change what it is about to read. It happens in some of the seeds in
 * which all work is at a few places and processes die. Nothing else goes wrong. When both go on,
 * the client reads that unit at once, by its old map, and its request waits in the OSD's sockets.
 */
final class LongStalls extends LongHarm {
  /**
   * The seeds that have it, modulo 32. No seed lies there that was kept before this harm existed.
   */
  private static final Set<Long> SHARE = Set.of(2L, 3L, 13L, 18L, 20L, 21L, 28L, 30L);

  private static final long GIVEN_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(6_800);
  private static final long MAX_CHANGING_NANOS = TimeUnit.MILLISECONDS.toNanos(6_000);
  private static final long MAX_BETWEEN_WAKINGS_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long MAX_BREATH_NANOS = TimeUnit.SECONDS.toNanos(2);

  LongStalls(World world, ClientWorkload workload, Outages outages, Intensity intensity) {
    super(
        world,
        workload,
        outages,
        "OSDs that stand still",
        intensity == Intensity.PROCESSES
            && workload.geometry().has(WorkloadBias.HOT)
            && SHARE.contains(Math.floorMod(world.options().seed(), 32L)));
  }

  @Override
  boolean harm() {
    outages.afterwards(1, this::stall);
    return true;
  }

  private void stall() {
    List<ClientWorker> awake =
        workload.workers().stream()
            .filter(worker -> worker.isConnected() && !worker.node().isPaused())
            .toList();
    List<ClientWorker> readers =
        awake.stream().filter(worker -> reading(worker).isPresent()).toList();
    if (readers.isEmpty()) {
      again();
      return;
    }
    ClientWorker sleeper = readers.get(random.nextInt(readers.size()));
    ClientThread reader = reading(sleeper).orElseThrow();
    OpenUnit unit = reader.unitOfReading(random).orElseThrow();
    SimulatedOsd osd =
        world.osds().stream()
            .filter(each -> each.osdId() == unit.osd().value())
            .findFirst()
            .orElseThrow();
    if (!osd.isRunning() || osd.isPaused()) {
      again();
      return;
    }
    outages.note(osd.name() + " stands still while " + sleeper.node().name() + " sleeps");
    osd.pause();
    sleeper.node().pause();
    reader.readAtOnce(unit);
    List<ClientWorker> others = awake.stream().filter(worker -> worker != sleeper).toList();
    outages.afterwards(
        GIVEN_UP_NANOS,
        () ->
            others.stream()
                .filter(ClientWorker::isConnected)
                .flatMap(worker -> worker.hands().stream())
                .forEach(hand -> hand.change(unit)));
    long wakesNanos = GIVEN_UP_NANOS + random.nextLong(MAX_CHANGING_NANOS);
    outages.afterwards(wakesNanos, () -> outages.resume(sleeper.node()));
    outages.afterwards(
        wakesNanos + random.nextLong(MAX_BETWEEN_WAKINGS_NANOS),
        () -> {
          outages.resume(osd);
          again();
        });
  }

  private void again() {
    outages.afterwards(
        random.nextLong(MAX_BREATH_NANOS),
        () -> {
          if (lasts()) {
            stall();
          }
        });
  }

  private Optional<ClientThread> reading(ClientWorker worker) {
    return worker.hands().stream()
        .filter(hand -> hand.unitOfReading(random).isPresent())
        .findFirst();
  }

  /** What clients read is compared with what was written, as always. */
  @Override
  void look() {}

  @Override
  void end() {
    outages.note("OSDs stand still no more");
  }
}
