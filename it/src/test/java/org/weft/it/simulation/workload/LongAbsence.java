package org.weft.it.simulation.workload;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.it.simulation.world.ManagerNode;
import org.weft.it.simulation.world.OsdNode;
import org.weft.it.simulation.world.SimNode;
import org.weft.it.simulation.world.World;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.sysmgr.configuration.Liveness;

/**
 * The manager of one volume is away for long, and an OSD comes back meanwhile that was given up, in
 * some of the seeds with two volumes (P 5.8). The OSD serves the other volume all the same.
 */
final class LongAbsence extends LongHarm {
  /** Of the seeds, by 32: none lies there that was kept before there was such a thing. */
  private static final Set<Long> SHARE = Set.of(3L, 19L, 27L);

  private ManagerNode away;
  private OsdNode returning;
  private boolean wasGivenUp;
  private Wait serves;

  LongAbsence(World world, Workload workload, Saboteur saboteur, Intensity intensity) {
    super(
        world,
        workload,
        saboteur,
        "a volume without its manager",
        intensity.has(Intensity.PROCESSES)
            && world.options().secondVolume()
            && !world.options().pairs()
            && SHARE.contains(Math.floorMod(world.options().seed(), 32L)));
  }

  @Override
  boolean harm() {
    List<ManagerNode> serving =
        world.managers().stream().filter(each -> each.isRunning() && each.isServing()).toList();
    if (serving.size() < 2 || world.osds().stream().anyMatch(osd -> !osd.isServing())) {
      return false;
    }
    away = serving.get(random.nextInt(serving.size()));
    returning = world.osds().get(random.nextInt(world.osds().size()));
    saboteur.note(away.name() + " is away for long, and " + returning.name() + " until it is down");
    away.kill();
    returning.kill();
    serves = new Wait("an OSD keeps out of a volume for ever, because of another one's manager");
    return true;
  }

  /** The OSD stays away until it was given up. */
  @Override
  boolean mayRun(SimNode node) {
    wasGivenUp |= row().filter(each -> each.node().liveness() == Liveness.DOWN).isPresent();
    return node != away && (node != returning || wasGivenUp);
  }

  private Optional<org.weft.sysmgr.configuration.OsdNode> row() {
    return world.configuration().map(known -> known.osds().get(new OsdId(returning.osdId())));
  }

  @Override
  void look() {
    SortedSet<PartitionId> served = new TreeSet<>();
    for (ManagerNode manager : world.managers()) {
      if (manager.isRunning() && !manager.isPaused() && manager.isServing()) {
        for (VolumeHealth volume : manager.health()) {
          served.add(new PartitionId(volume.getVolumeId()));
        }
      }
    }
    boolean good =
        !served.isEmpty()
            && returning.isRunning()
            && !returning.isPaused()
            && wasGivenUp
            && othersAreThere(osd -> osd.value() == returning.osdId());
    serves.look(good && !row().map(each -> isOpen(each, served)).orElse(true), words(served));
  }

  private static boolean isOpen(
      org.weft.sysmgr.configuration.OsdNode row, SortedSet<PartitionId> served) {
    return row.node().liveness() == Liveness.UP || row.quarantine().open().containsAll(served);
  }

  private String words(SortedSet<PartitionId> served) {
    return returning.name() + " is " + row() + ", served are " + served;
  }

  @Override
  void end() {
    saboteur.note(away.name() + " is back");
    away.start();
    returning.start();
  }
}
