package org.weft.simulator.world;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.weft.protocol.wire.BladeSetGrowth;
import org.weft.protocol.wire.ChangeBladeSetRequest;
import org.weft.protocol.wire.DomainWish;
import org.weft.protocol.wire.VolumeOperation;
import org.weft.simulator.base.SimContext;
import org.weft.simulator.node.ClusterPlace;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.Configuration;

/**
 * Operators that put an OSD into a BladeSet of its own, and merge that into the one that all
 * clients work in. Each of them may die at any step.
 */
public final class BladeSets {
  /** The one that is merged again and again. */
  public static final String OTHER = "other";

  private final OperatorView cluster;
  private final OsdDrains drains;
  private final SimContext setting;
  private final ClusterPlace place;
  private final RandomGenerator random;
  private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

  BladeSets(OperatorView cluster, OsdDrains drains, SimContext setting, ClusterPlace place) {
    this.cluster = cluster;
    this.drains = drains;
    this.setting = setting;
    this.place = place;
    this.random = setting.random("blade sets");
  }

  private Operator operator() {
    return new Operator(setting, place, random.nextLong());
  }

  private CompletableFuture<Void> change(String what, ChangeBladeSetRequest.Builder wanted) {
    setting.trace().note("operator", () -> what);
    return operator()
        .changeBladeSet(wanted)
        .whenComplete(
            (done, failure) ->
                setting
                    .trace()
                    .note("operator", () -> what + ": " + (failure == null ? "done" : failure)));
  }

  /** Makes the BladeSet; completes when it exists. */
  public CompletableFuture<Void> create(String name) {
    return change(
        "makes " + name,
        ChangeBladeSetRequest.newBuilder().setName(name).setCreate(DomainWish.DOMAIN_AUTO));
  }

  /** Completes when the OSD is in the BladeSet: once it holds nothing. */
  public CompletableFuture<Void> grow(String name, int osd) {
    return change(
        "grows " + name + " by osd-" + osd,
        ChangeBladeSetRequest.newBuilder()
            .setName(name)
            .setGrow(BladeSetGrowth.newBuilder().addOsdId(osd)));
  }

  /** Completes when all of it is in the other one. */
  public CompletableFuture<Void> merge(String from, String into) {
    return change(
        "merges " + from + " into " + into,
        ChangeBladeSetRequest.newBuilder().setName(from).setMergeInto(into));
  }

  /** Completes when a volume of the BladeSet can be used. */
  public CompletableFuture<VolumeOperation> createVolume(String path, String bladeSet) {
    setting.trace().note("operator", () -> "makes " + path + " in " + bladeSet);
    return operator().createVolume(path, 1, bladeSet);
  }

  /** As SysMgr's leader knows; empty while no member leads. */
  private Optional<Configuration> known() {
    return cluster.configuration();
  }

  /** There is another one beside the default. */
  public boolean isSplit() {
    return known().filter(state -> state.bladeSets().containsKey(OTHER)).isPresent();
  }

  /** The OSD is in the BladeSet of the volume that all clients work in, as far as is known. */
  public boolean serves(int osd) {
    return known()
        .map(
            state ->
                state.osds().values().stream()
                    .filter(row -> row.id().value() == osd)
                    .map(OsdNode::bladeSet)
                    .allMatch(state.volumes().get(cluster.homeVolume()).bladeSet()::equals))
        .orElse(true);
  }

  /** Some OSD is to leave, or what has left comes back by a merge. */
  public boolean any() {
    if (!last.isDone()) {
      return false;
    }
    if (isSplit()) {
      last = merge(OTHER, Configuration.DEFAULT_BLADE_SET);
      return true;
    }
    List<SimulatedOsd> joined = cluster.osds().stream().filter(osd -> osd.osdId() > 0).toList();
    if (joined.isEmpty() || !drains.draining().isEmpty()) {
      return false;
    }
    int osd = joined.get(random.nextInt(joined.size())).osdId();
    last =
        create(OTHER)
            .thenCompose(made -> operator().drainOsd(osd, false))
            .thenCompose(drained -> grow(OTHER, osd));
    return true;
  }
}
