package org.weft.simulator.world;

import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.weft.protocol.id.OsdId;
import org.weft.simulator.base.SimContext;
import org.weft.simulator.node.ClusterPlace;
import org.weft.simulator.node.SimulatedOsd;

/** Operators that have OSDs emptied while they are used, one OSD at a time. */
public final class OsdDrains {
  private static final int DROPPED_OF = 3;

  private final OperatorView cluster;
  private final SimContext setting;
  private final ClusterPlace place;
  private final RandomGenerator random;
  private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);
  private int drained;

  OsdDrains(OperatorView cluster, SimContext setting, ClusterPlace place) {
    this.cluster = cluster;
    this.setting = setting;
    this.place = place;
    this.random = setting.random("drains");
  }

  /** OSDs that are drained, as far as SysMgr's leader knows, ascending. */
  public SortedSet<Integer> draining() {
    SortedSet<Integer> draining = new TreeSet<>();
    cluster.configuration().stream()
        .flatMap(known -> known.history().placement().drainingOsds().stream())
        .map(OsdId::value)
        .forEach(draining::add);
    return draining;
  }

  /** An operator asks that an OSD is drained; completes when that is recorded. */
  public CompletableFuture<Void> drain(SimulatedOsd osd) {
    return ask(osd.osdId(), false);
  }

  /** An operator asks that an OSD is used again; completes when that is recorded. */
  public CompletableFuture<Void> undrain(int osd) {
    return ask(osd, true);
  }

  /** An operator removes an OSD, without force; completes when that is recorded. */
  public CompletableFuture<Void> remove(SimulatedOsd osd) {
    setting.trace().note("operator", () -> "removes osd-" + osd.osdId());
    return new Operator(setting, place, random.nextLong()).removeOsd(osd.osdId());
  }

  private CompletableFuture<Void> ask(int osd, boolean undrain) {
    setting.trace().note("operator", () -> (undrain ? "undrains" : "drains") + " osd-" + osd);
    return new Operator(setting, place, random.nextLong()).drainOsd(osd, undrain);
  }

  /** Some OSD that has joined is drained; where one is already, that is undone or goes on. */
  public boolean any() {
    if (!last.isDone()) {
      return false;
    }
    if (drained != 0) {
      boolean drops = random.nextInt(DROPPED_OF) == 0;
      if (drops) {
        last = undrain(drained);
        drained = 0;
      }
      return drops;
    }
    List<SimulatedOsd> joined = cluster.osds().stream().filter(osd -> osd.osdId() > 0).toList();
    if (joined.isEmpty()) {
      return false;
    }
    SimulatedOsd osd = joined.get(random.nextInt(joined.size()));
    drained = osd.osdId();
    last = drain(osd);
    return true;
  }
}
