package org.weft.sysmgr.liveness;

import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.ManagerNode;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * Which OSDs the managers reach, as those say that are up and were heard a moment ago (P 5.8, 6.2).
 * One of an older release says nothing. Pure.
 *
 * @param nowNanos of the leader's monotonic clock
 */
public record OsdLooks(Configuration configuration, HeartbeatTable heartbeats, long nowNanos) {
  /** The words of a manager that was not heard for longer are of before. */
  static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

  /** The manager is up, and was heard a moment ago. */
  boolean hears(ManagerId manager) {
    ManagerNode node = configuration.managers().get(manager);
    return node != null
        && node.node().liveness() == Liveness.UP
        && silentNanos(manager) < FRESH_NANOS;
  }

  private long silentNanos(ManagerId manager) {
    return heartbeats.silentNanos(NodeKey.of(manager), nowNanos).orElse(Long.MAX_VALUE);
  }

  /** What the manager said just now of all OSDs; empty: nothing, or not of all yet. */
  Optional<OsdLook> of(ManagerId manager) {
    return hears(manager)
        ? heartbeats
            .report(NodeKey.of(manager))
            .flatMap(NodeReport::look)
            .filter(look -> !look.underWay())
        : Optional.empty();
  }

  /** The same, if the manager began to ask the OSDs at that time or later. */
  Optional<OsdLook> since(ManagerId manager, long sinceNanos) {
    return of(manager)
        .filter(
            look ->
                look.ageNanos()
                    .filter(age -> nowNanos - silentNanos(manager) - age >= sinceNanos)
                    .isPresent());
  }

  /** OSDs of the BladeSet that managers use, as far as SysMgr is concerned. */
  List<OsdNode> heard(String bladeSet) {
    return configuration.osds().values().stream()
        .filter(osd -> osd.bladeSet().equals(bladeSet) && isHeard(osd))
        .toList();
  }

  private static boolean isHeard(OsdNode osd) {
    Liveness liveness = osd.node().liveness();
    return osd.unusable().isEmpty()
        && (liveness == Liveness.UP || liveness == Liveness.QUARANTINED);
  }

  /** The manager says that it reaches all OSDs of the BladeSet. */
  boolean reachesAll(ManagerId manager, String bladeSet) {
    return of(manager).filter(look -> heard(bladeSet).stream().noneMatch(look::lacks)).isPresent();
  }

  /** OSDs of the BladeSet that the manager says it does not reach. */
  private List<OsdNode> lacked(ManagerId manager, String bladeSet) {
    return of(manager)
        .map(look -> heard(bladeSet).stream().filter(look::lacks).toList())
        .orElseGet(List::of);
  }

  /** OSDs that the manager would lack if it had the volume, and that the volume's owner reaches. */
  public List<OsdId> lackedAt(ManagerId manager, Volume volume) {
    Optional<OsdLook> owners = volume.owner().flatMap(this::of);
    return lacked(manager, volume.bladeSet()).stream()
        .filter(osd -> owners.filter(look -> look.lacks(osd)).isEmpty())
        .map(OsdNode::id)
        .toList();
  }

  /** Managers that say that they do not reach an OSD of that BladeSet. */
  public SortedSet<ManagerId> cutOffFrom(String bladeSet) {
    SortedSet<ManagerId> cutOff = new TreeSet<>();
    for (ManagerId manager : configuration.managers().keySet()) {
      if (!lacked(manager, bladeSet).isEmpty()) {
        cutOff.add(manager);
      }
    }
    return cutOff;
  }

  /** Managers that say that they do not reach an OSD of any BladeSet. */
  SortedSet<ManagerId> cutOff() {
    SortedSet<ManagerId> cutOff = new TreeSet<>();
    configuration.bladeSets().keySet().forEach(each -> cutOff.addAll(cutOffFrom(each)));
    return cutOff;
  }
}
