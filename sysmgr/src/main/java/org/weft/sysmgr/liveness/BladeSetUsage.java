package org.weft.sysmgr.liveness;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.BalanceProgress;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.sysmgr.balance.Balance;
import org.weft.sysmgr.balance.OsdUsage;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.configuration.volume.VolumeStage;

/**
 * What the OSDs of a BladeSet hold, as the last heartbeats say (P 6.8c). It also says how far its
 * volumes' managers are with a round of its balance. Immutable.
 *
 * @param osds that take part in a balance, by id
 * @param apart why others do not
 * @param waits why the next round cannot be planned now; empty: it can
 */
public record BladeSetUsage(
    SortedMap<OsdId, OsdUsage> osds, SortedMap<OsdId, String> apart, List<String> waits) {
  public BladeSetUsage {
    osds = Collections.unmodifiableSortedMap(new TreeMap<>(osds));
    apart = Collections.unmodifiableSortedMap(new TreeMap<>(apart));
    waits = List.copyOf(waits);
  }

  /**
   * @param reports the last heartbeats
   */
  public static BladeSetUsage of(
      Configuration state, String bladeSet, Function<NodeKey, Optional<NodeReport>> reports) {
    SortedMap<OsdId, OsdUsage> osds = new TreeMap<>();
    SortedMap<OsdId, String> apart = new TreeMap<>();
    List<String> waits = new ArrayList<>();
    for (OsdNode osd : state.osds().values()) {
      boolean isRemoved = state.history().placement().removed().contains(osd.id());
      if (!osd.bladeSet().equals(bladeSet) || isRemoved) {
        continue;
      }
      Optional<NodeReport> report = reports.apply(NodeKey.of(osd.id()));
      if (state.history().placement().drains().containsKey(osd.id())) {
        apart.put(osd.id(), "drained");
      } else if (osd.node().liveness() != Liveness.UP || osd.isGivenUp()) {
        apart.put(osd.id(), "not up");
        waits.add(
            "osd-%s is not up; start it, or remove it (weft osd remove osd-%s)"
                .formatted(osd.id(), osd.id()));
      } else if (report.filter(said -> said.capacityBytes() > 0).isEmpty()) {
        apart.put(osd.id(), "has not said what it holds");
        waits.add("osd-%s has not said yet what it holds".formatted(osd.id()));
      } else {
        NodeReport said = report.get();
        osds.put(
            osd.id(),
            new OsdUsage(
                osd.id(),
                Math.max(0, said.usedBytes()),
                said.capacityBytes(),
                Math.max(0, said.objects())));
      }
    }
    return new BladeSetUsage(osds, apart, waits);
  }

  /** What managers say of the round of the balance, each under the epoch that it serves with. */
  public static List<BalanceProgress> reports(
      Configuration state,
      String bladeSet,
      Balance balance,
      Function<NodeKey, Optional<NodeReport>> reports) {
    return state.volumes().values().stream()
        .filter(volume -> volume.bladeSet().equals(bladeSet))
        .flatMap(volume -> report(volume, balance, reports).stream())
        .toList();
  }

  /** All volumes of the BladeSet are through with the round. */
  public static boolean isRoundOver(
      Configuration state,
      String bladeSet,
      Balance balance,
      Function<NodeKey, Optional<NodeReport>> reports) {
    return balance.round() == 0
        || state.volumes().values().stream()
            .filter(volume -> volume.bladeSet().equals(bladeSet))
            .filter(volume -> volume.stage() == VolumeStage.ACTIVE)
            .allMatch(
                volume ->
                    report(volume, balance, reports).filter(BalanceProgress::getDone).isPresent());
  }

  private static Optional<BalanceProgress> report(
      Volume volume, Balance balance, Function<NodeKey, Optional<NodeReport>> reports) {
    return volume
        .owner()
        .flatMap(owner -> reports.apply(NodeKey.of(owner)))
        .flatMap(report -> report.of(volume))
        .map(VolumeReport::health)
        .filter(VolumeHealth::hasBalance)
        .map(VolumeHealth::getBalance)
        .filter(said -> said.getRound() == balance.round());
  }
}
