package org.weft.sysmgr.configuration;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.sysmgr.bladeset.BladeSet;
import org.weft.sysmgr.configuration.cluster.Cluster;
import org.weft.sysmgr.configuration.cluster.SysmgrMembers;
import org.weft.sysmgr.configuration.nfs.NfsTable;
import org.weft.sysmgr.configuration.node.ManagerNode;
import org.weft.sysmgr.configuration.node.NodeHistory;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.ClosedVolumes;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.state.PlacementOrders;
import org.weft.sysmgr.configuration.state.VolumeHistory;
import org.weft.sysmgr.configuration.volume.EndedOperation;
import org.weft.sysmgr.configuration.volume.Partition;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * A configuration being changed by one command. {@link #freeze} counts the versions up by what
 * changed.
 */
final class ConfigurationDraft {
  final SortedMap<String, BladeSet> bladeSets;
  final SortedMap<OsdId, OsdNode> osds;
  final SortedMap<ManagerId, ManagerNode> managers;
  final SortedMap<PartitionId, Volume> volumes;
  final SortedMap<PartitionId, Partition> partitions;
  final SortedMap<NodeKey, NodeHistory> histories;
  private final Configuration before;
  private Optional<Cluster> cluster;
  private int lastOsdId;
  private int lastManagerId;
  private VolumeHistory history;
  private SysmgrMembers sysmgr;
  private NfsTable nfs;

  ConfigurationDraft(Configuration before) {
    this.before = before;
    this.cluster = before.cluster();
    this.bladeSets = new TreeMap<>(before.bladeSets());
    this.osds = new TreeMap<>(before.osds());
    this.managers = new TreeMap<>(before.managers());
    this.volumes = new TreeMap<>(before.volumes());
    this.partitions = new TreeMap<>(before.partitions());
    this.histories = new TreeMap<>(before.histories());
    this.lastOsdId = before.lastOsdId();
    this.lastManagerId = before.lastManagerId();
    this.history = before.history();
    this.sysmgr = before.sysmgr();
    this.nfs = before.nfs();
  }

  void cluster(Cluster made) {
    cluster = Optional.of(made);
  }

  void sysmgr(SysmgrMembers members) {
    sysmgr = members;
  }

  void nfs(NfsTable next) {
    nfs = next;
  }

  PlacementOrders placement() {
    return history.placement();
  }

  void placement(PlacementOrders next) {
    history = history.with(next);
  }

  /** The volume has another primary. */
  void handedOver(Volume volume) {
    volumes.put(volume.id(), volume);
    placement(history.placement().handedOver(volume.id(), volume.owner().orElseThrow()));
  }

  OsdId issueOsdId() {
    lastOsdId = Math.incrementExact(lastOsdId);
    return new OsdId(lastOsdId);
  }

  ManagerId issueManagerId() {
    lastManagerId = Math.incrementExact(lastManagerId);
    return new ManagerId(lastManagerId);
  }

  PartitionId issueVolumeId() {
    long id = Math.incrementExact(history.lastVolumeId());
    history = history.issued(id, history.lastOperation());
    return new PartitionId(id);
  }

  long issueOperation() {
    long operation = Math.incrementExact(history.lastOperation());
    history = history.issued(history.lastVolumeId(), operation);
    return operation;
  }

  /** The operation under way on the volume is over; empty failure: as it was meant. */
  void ended(
      Volume volume, boolean deletion, Optional<EndedOperation.Failure> failure, long nowMillis) {
    history =
        history.with(
            new EndedOperation(
                volume.life().operation(),
                volume.id(),
                volume.path(),
                deletion,
                failure,
                volume.life().nonce(),
                nowMillis));
  }

  /** The volume's row goes, and with it the keys: OSDs drop its objects. */
  void removeVolume(PartitionId id) {
    volumes.remove(id);
    placement(history.placement().without(id));
    partitions.remove(id);
  }

  /**
   * Takes addresses away from every node: one port has one listener, and another node announces
   * that port.
   */
  void vacate(List<Endpoint> addresses) {
    osds.replaceAll((id, osd) -> osd.with(osd.node().without(addresses)));
    managers.replaceAll((id, manager) -> manager.with(manager.node().without(addresses)));
  }

  /** One that is drained no more, or was removed, stays where it is. */
  private SortedSet<OsdId> stillComing(SortedSet<OsdId> coming) {
    SortedSet<OsdId> left = new TreeSet<>(coming);
    left.retainAll(history.placement().drainingOsds());
    return left;
  }

  /** An OSD that joined, or came from another BladeSet, holds little yet. */
  private void balanceAmongMore() {
    for (var each : history.placement().balances().entrySet()) {
      if (!each.getValue().isUnderWay()) {
        continue;
      }
      String name = each.getKey();
      boolean gained =
          osds.values().stream()
              .filter(osd -> osd.bladeSet().equals(name))
              .map(osd -> before.osds().get(osd.id()))
              .anyMatch(then -> then == null || !then.bladeSet().equals(name));
      if (gained) {
        placement(placement().with(name, each.getValue().amongMore()));
      }
    }
  }

  Configuration freeze() {
    osds.replaceAll((id, osd) -> ClosedVolumes.settled(osd, volumes));
    balanceAmongMore();
    bladeSets.replaceAll((name, set) -> set.withComing(stillComing(set.coming())));
    boolean tableChanged =
        !cluster.equals(before.cluster())
            || !osds.equals(before.osds())
            || !managers.equals(before.managers())
            || !volumes.equals(before.volumes())
            || !bladeSets.equals(before.bladeSets())
            || !history.placement().equals(before.history().placement())
            || !sysmgr.members().equals(before.sysmgr().members());
    boolean partitionsChanged = !partitions.equals(before.partitions());
    Configuration after =
        new Configuration(
            cluster,
            bladeSets,
            osds,
            managers,
            volumes,
            partitions,
            before.tableVersion() + (tableChanged ? 1 : 0),
            before.partitionsVersion() + (partitionsChanged ? 1 : 0),
            lastOsdId,
            lastManagerId,
            history,
            sysmgr,
            before.histories(),
            before.version(),
            nfs);
    Configuration counted = after.equals(before) ? before : after.changed();
    return histories.equals(before.histories()) ? counted : counted.with(histories);
  }
}
