package org.weft.simulator.harm;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.weft.protocol.id.ManagerId;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.simulator.workload.ClientWorkload;
import org.weft.simulator.world.World;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * A primary does not reach some or all OSDs for long, and in half of the cases its backup (P 6.2).
 * SysMgr and the other managers reach all of them. A manager must serve all the same, also if the
 * primary started after the cut. It happens in some of the seeds with pairs of managers and a bad
 * network.
 */
final class LongBadCable extends LongHarm {
  /**
   * The seeds that have it, modulo 32. No seed lies there that was kept before this harm existed.
   */
  private static final Set<Long> SHARE = Set.of(4L, 15L);

  private final Set<String> unreached = new LinkedHashSet<>();
  private SimulatedManager cutOff;
  private Wait serves;

  LongBadCable(World world, ClientWorkload workload, Outages outages, boolean mayBe) {
    super(
        world,
        workload,
        outages,
        "a manager and most OSDs",
        mayBe
            && world.options().pairs()
            && !world.options().lone()
            && SHARE.contains(Math.floorMod(world.options().seed(), 32L)));
  }

  /** The links stay cut. */
  boolean keeps(String from, String to) {
    return lasts()
        && (from.equals(cutOff.name()) && unreached.contains(to)
            || to.equals(cutOff.name()) && unreached.contains(from));
  }

  @Override
  boolean harm() {
    Optional<SimulatedManager> serving =
        world.managers().stream()
            .filter(each -> each.isRunning() && !each.isPaused() && each.isServing())
            .findFirst();
    Optional<Volume> row = world.configuration().map(known -> known.volumes().get(Volume.ROOT));
    if (serving.isEmpty() || row.isEmpty() || row.get().backup().manager().isEmpty()) {
      return false;
    }
    cutOff = serving.get();
    serves = new Wait("a volume waits for ever for OSDs that its backup reaches");
    List<SimulatedOsd> osds = new ArrayList<>(world.osds());
    int left = random.nextInt(osds.size());
    for (int spared = 0; spared < left; spared++) {
      osds.remove(random.nextInt(osds.size()));
    }
    outages.note("nothing between " + cutOff.name() + " and " + osds.size() + " OSDs for long");
    for (SimulatedOsd osd : osds) {
      unreached.add(osd.name());
      world.network().separate(cutOff.name(), osd.name());
    }
    if (random.nextBoolean()) {
      String backup = host(row.get().backup().manager().get());
      outages.note("nor between " + cutOff.name() + " and " + backup);
      unreached.add(backup);
      world.network().separate(cutOff.name(), backup);
    }
    if (random.nextBoolean()) {
      outages.note("kill " + cutOff.name());
      cutOff.kill();
    }
    return true;
  }

  private String host(ManagerId manager) {
    return world
        .configuration()
        .orElseThrow()
        .managers()
        .get(manager)
        .node()
        .addresses()
        .get(0)
        .host();
  }

  @Override
  void look() {
    boolean good =
        othersAreThere(osd -> false)
            && world.managers().stream().allMatch(each -> each.isRunning() && !each.isPaused());
    serves.look(
        good && world.managers().stream().noneMatch(SimulatedManager::isServing),
        cutOff.name() + " does not reach " + unreached + ": " + cutOff.problems());
  }

  @Override
  void end() {
    outages.note(cutOff.name() + " and the OSDs reach each other again");
    world.network().healBut((from, to) -> false);
  }
}
