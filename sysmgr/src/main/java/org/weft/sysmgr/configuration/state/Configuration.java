package org.weft.sysmgr.configuration.state;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.sysmgr.bladeset.BladeSet;
import org.weft.sysmgr.configuration.cluster.Cluster;
import org.weft.sysmgr.configuration.cluster.SysmgrMembers;
import org.weft.sysmgr.configuration.nfs.NfsTable;
import org.weft.sysmgr.configuration.node.ManagerNode;
import org.weft.sysmgr.configuration.node.Node;
import org.weft.sysmgr.configuration.node.NodeHistory;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OpenVolumes;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.volume.Partition;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * The whole state after some entry of the log. Immutable.
 *
 * @param cluster empty until it is made
 * @param tableVersion grows with every change that shows in the cluster's table
 * @param partitionsVersion grows with every change of a key or a fence epoch
 * @param lastOsdId ids up to here have been given out; never given again
 * @param lastManagerId like lastOsdId
 * @param history what is remembered of volumes beyond their rows
 * @param sysmgr SysMgr's own members
 * @param histories what has been heard of the last start of each node; shows in no table, and in no
 *     version
 * @param version grows with every other change
 * @param nfs what NFS gateways serve; shows in no table
 */
public record Configuration(
    Optional<Cluster> cluster,
    SortedMap<String, BladeSet> bladeSets,
    SortedMap<OsdId, OsdNode> osds,
    SortedMap<ManagerId, ManagerNode> managers,
    SortedMap<PartitionId, Volume> volumes,
    SortedMap<PartitionId, Partition> partitions,
    long tableVersion,
    long partitionsVersion,
    int lastOsdId,
    int lastManagerId,
    VolumeHistory history,
    SysmgrMembers sysmgr,
    SortedMap<NodeKey, NodeHistory> histories,
    long version,
    NfsTable nfs) {
  /** The BladeSet that every cluster has. */
  public static final String DEFAULT_BLADE_SET = "default";

  /** The state before the first entry. */
  public static final Configuration EMPTY =
      new Configuration(
          Optional.empty(),
          new TreeMap<>(),
          new TreeMap<>(),
          new TreeMap<>(),
          new TreeMap<>(),
          new TreeMap<>(),
          0,
          0,
          0,
          0,
          VolumeHistory.EMPTY,
          SysmgrMembers.NONE,
          new TreeMap<>(),
          0,
          NfsTable.EMPTY);

  public Configuration {
    bladeSets = Collections.unmodifiableSortedMap(new TreeMap<>(bladeSets));
    osds = Collections.unmodifiableSortedMap(new TreeMap<>(osds));
    managers = Collections.unmodifiableSortedMap(new TreeMap<>(managers));
    volumes = Collections.unmodifiableSortedMap(new TreeMap<>(volumes));
    partitions = Collections.unmodifiableSortedMap(new TreeMap<>(partitions));
    histories = Collections.unmodifiableSortedMap(new TreeMap<>(histories));
  }

  /** This one after a change. */
  public Configuration changed() {
    return with(histories, version + 1);
  }

  /** With other histories of nodes; the version stays. */
  public Configuration with(SortedMap<NodeKey, NodeHistory> newHistories) {
    return with(newHistories, version);
  }

  /** A command of that number stands in the log (P 6.8.155). */
  public Configuration using(int command) {
    SysmgrMembers using = sysmgr.using(command);
    return using.equals(sysmgr) ? this : with(using, histories, version + 1);
  }

  private Configuration with(SortedMap<NodeKey, NodeHistory> newHistories, long newVersion) {
    return with(sysmgr, newHistories, newVersion);
  }

  private Configuration with(
      SysmgrMembers newSysmgr, SortedMap<NodeKey, NodeHistory> newHistories, long newVersion) {
    return new Configuration(
        cluster,
        bladeSets,
        osds,
        managers,
        volumes,
        partitions,
        tableVersion,
        partitionsVersion,
        lastOsdId,
        lastManagerId,
        history,
        newSysmgr,
        newHistories,
        newVersion,
        nfs);
  }

  /** What is known of an OSD or manager; empty if it has not joined. */
  public Optional<Node> node(NodeKey key) {
    return switch (key.kind()) {
      case OSD -> Optional.ofNullable(osds.get(key.osdId())).map(OsdNode::node);
      case MANAGER -> Optional.ofNullable(managers.get(key.managerId())).map(ManagerNode::node);
    };
  }

  /** Volumes whose managers an OSD in quarantine waits for; empty if it is in none. */
  public SortedSet<PartitionId> awaited(OsdNode osd) {
    return ClosedVolumes.awaited(osd, volumes);
  }

  /** Volumes whose clients an OSD may serve: all, but those that its quarantine is not over for. */
  public SortedSet<PartitionId> open(OsdNode osd) {
    return ClosedVolumes.open(osd, volumes);
  }

  /** Of what an OSD says that it serves while it is in quarantine: what it may, as to be noted. */
  public SortedSet<PartitionId> served(OsdNode osd, OpenVolumes said) {
    return ClosedVolumes.served(osd, said, volumes);
  }

  /** Every OSD, then every manager. */
  public SortedMap<NodeKey, Node> nodes() {
    SortedMap<NodeKey, Node> nodes = new TreeMap<>();
    osds.forEach((id, osd) -> nodes.put(NodeKey.of(id), osd.node()));
    managers.forEach((id, manager) -> nodes.put(NodeKey.of(id), manager.node()));
    return nodes;
  }
}
