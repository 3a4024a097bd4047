package org.weft.sysmgr.configuration.stored;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.ConfigurationSnapshot;
import org.weft.protocol.wire.StoredCluster;
import org.weft.protocol.wire.StoredKey;
import org.weft.protocol.wire.StoredManager;
import org.weft.protocol.wire.StoredNode;
import org.weft.protocol.wire.StoredOsd;
import org.weft.protocol.wire.StoredPartition;
import org.weft.protocol.wire.StoredQuarantine;
import org.weft.sysmgr.configuration.cluster.Cluster;
import org.weft.sysmgr.configuration.cluster.EventLog;
import org.weft.sysmgr.configuration.cluster.SysmgrMembers;
import org.weft.sysmgr.configuration.nfs.NfsTable;
import org.weft.sysmgr.configuration.node.ManagerNode;
import org.weft.sysmgr.configuration.node.Node;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.node.Quarantine;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Partition;
import org.weft.sysmgr.configuration.volume.Volume;

/** The whole state as it is stored: one {@code ConfigurationSnapshot} of sysmgr-state.proto. */
public final class SnapshotCodec {
  private static final int FORMAT_VERSION = 2;

  /**
   * While a volume is to be recovered. A release that does not know the order would serve the
   * journal that is being made as if it were whole.
   */
  private static final int RECOVERING_FORMAT = 3;

  /**
   * The newest format that a release may read which understands commands up to the newest number (P
   * 6.8.160). A state in which commands of number N may have set something has format 3 + N. A
   * release that does not know them would drop that, and differ from the other members from then
   * on.
   */
  private static final int NEWEST_FORMAT = RECOVERING_FORMAT + CommandNumbers.NEWEST;

  /** A quarantine named the volumes that had compared the OSD, not those that had not. */
  private static final int COMPARED_BY_FORMAT = 1;

  private SnapshotCodec() {}

  /** Without events. */
  public static void write(Configuration state, OutputStream target) throws IOException {
    write(state, EventLog.EMPTY, target);
  }

  /**
   * The events of a snapshot.
   *
   * @throws IOException if the bytes are no snapshot
   */
  public static EventLog readEvents(byte[] snapshot) throws IOException {
    return EventCodec.log(ConfigurationSnapshot.parseFrom(snapshot));
  }

  /**
   * Writes the state and its events.
   *
   * @throws IOException of the target
   */
  public static void write(Configuration state, EventLog events, OutputStream target)
      throws IOException {
    ConfigurationSnapshot.Builder stored =
        ConfigurationSnapshot.newBuilder()
            .setFormatVersion(format(state))
            .setTableVersion(state.tableVersion())
            .setPartitionsVersion(state.partitionsVersion())
            .setLastOsdId(state.lastOsdId())
            .setLastManagerId(state.lastManagerId())
            .setVersion(state.version())
            .setRelease(Release.current());
    if (!state.sysmgr().equals(SysmgrMembers.NONE)) {
      stored.setSysmgr(MemberCodec.stored(state.sysmgr()));
    }
    if (!state.nfs().equals(NfsTable.EMPTY)) {
      stored.setNfs(NfsCodec.stored(state.nfs()));
    }
    state.cluster().ifPresent(cluster -> stored.setCluster(cluster(cluster)));
    state.bladeSets().values().forEach(set -> stored.addBladeSets(BladeSetCodec.stored(set)));
    state.osds().values().forEach(osd -> stored.addOsds(osd(osd)));
    state.managers().values().forEach(manager -> stored.addManagers(manager(manager)));
    VolumeCodec.write(state, stored);
    state.partitions().values().forEach(partition -> stored.addPartitions(partition(partition)));
    stored.addAllHistories(HistoryCodec.stored(state.histories()));
    EventCodec.write(events, stored);
    stored.build().writeTo(target);
  }

  private static int format(Configuration state) {
    int used = state.sysmgr().commandsUsed();
    if (used > CommandNumbers.OLDEST) {
      return RECOVERING_FORMAT + used;
    }
    boolean recovers =
        state.volumes().values().stream().anyMatch(volume -> volume.recovery().isPresent());
    return recovers ? RECOVERING_FORMAT : FORMAT_VERSION;
  }

  /**
   * The state of a snapshot, without its events.
   *
   * @throws IOException if the bytes are no snapshot, or of a format that this release cannot read
   */
  public static Configuration read(InputStream source) throws IOException {
    ConfigurationSnapshot stored = ConfigurationSnapshot.parseFrom(source);
    int version = stored.getFormatVersion();
    if (version < COMPARED_BY_FORMAT || version > NEWEST_FORMAT) {
      throw unknown(version, stored.getRelease());
    }
    SortedMap<ManagerId, ManagerNode> managers = new TreeMap<>();
    stored.getManagersList().stream()
        .map(SnapshotCodec::manager)
        .forEach(manager -> managers.put(manager.id(), manager));
    SortedMap<PartitionId, Volume> volumes = new TreeMap<>();
    stored.getVolumesList().stream()
        .map(VolumeCodec::volume)
        .forEach(volume -> volumes.put(volume.id(), volume));
    SortedMap<OsdId, OsdNode> osds = new TreeMap<>();
    stored.getOsdsList().stream()
        .map(osd -> osd(osd, version, volumes))
        .forEach(osd -> osds.put(osd.id(), osd));
    SortedMap<PartitionId, Partition> partitions = new TreeMap<>();
    stored.getPartitionsList().stream()
        .map(SnapshotCodec::partition)
        .forEach(partition -> partitions.put(partition.id(), partition));
    return new Configuration(
        stored.hasCluster() ? Optional.of(cluster(stored.getCluster())) : Optional.empty(),
        BladeSetCodec.bladeSets(stored.getBladeSetsList()),
        osds,
        managers,
        volumes,
        partitions,
        stored.getTableVersion(),
        stored.getPartitionsVersion(),
        stored.getLastOsdId(),
        stored.getLastManagerId(),
        VolumeCodec.history(stored, volumes),
        MemberCodec.members(stored.getSysmgr()),
        HistoryCodec.histories(stored.getHistoriesList()),
        stored.getVersion(),
        stored.hasNfs() ? NfsCodec.table(stored.getNfs()) : NfsTable.EMPTY);
  }

  private static IOException unknown(int version, String release) {
    String writer = release.isEmpty() ? "the release that wrote it" : "release '" + release + "'";
    return new IOException(
        "the configuration's snapshot has format "
            + version
            + (release.isEmpty() ? "" : " of release '" + release + "'")
            + ", release '"
            + Release.current()
            + "' reads formats up to "
            + NEWEST_FORMAT
            + "; run "
            + writer
            + " or a newer one");
  }

  private static StoredCluster cluster(Cluster cluster) {
    return StoredCluster.newBuilder()
        .setClusterId(cluster.id().value())
        .setClusterName(cluster.name())
        .setJoinToken(StoredValueCodec.bytes(cluster.joinToken()))
        .setSuperuser(cluster.superuser())
        .setCreatedMillis(cluster.createdMillis())
        .build();
  }

  private static Cluster cluster(StoredCluster stored) {
    return new Cluster(
        new ClusterId(stored.getClusterId()),
        stored.getClusterName(),
        StoredValueCodec.secret(stored.getJoinToken()),
        stored.getSuperuser(),
        stored.getCreatedMillis());
  }

  private static StoredNode node(Node node) {
    return StoredNode.newBuilder()
        .setIdentity(node.identity())
        .addAllAddresses(StoredValueCodec.addresses(node.addresses()))
        .setHost(node.host())
        .setIncarnation(node.incarnation())
        .setLiveness(StoredValueCodec.liveness(node.liveness()))
        .setSinceMillis(node.sinceMillis())
        .setStopped(node.stopped())
        .setStoreFailure(node.storeFailure())
        .build();
  }

  private static Node node(StoredNode stored) {
    return new Node(
        stored.getIdentity(),
        StoredValueCodec.endpoints(stored.getAddressesList()),
        stored.getHost(),
        stored.getIncarnation(),
        StoredValueCodec.liveness(stored.getLiveness()),
        stored.getSinceMillis(),
        stored.getStopped(),
        stored.getStoreFailure());
  }

  private static StoredOsd osd(OsdNode osd) {
    StoredOsd.Builder stored =
        StoredOsd.newBuilder()
            .setOsdId(osd.id().value())
            .setNode(node(osd.node()))
            .setBladeSet(osd.bladeSet())
            .setCapacityBytes(osd.capacityBytes())
            .setUncleanMillis(osd.uncleanMillis())
            .setRack(osd.rack());
    if (!osd.quarantine().equals(Quarantine.NONE)) {
      stored.setQuarantine(quarantine(osd.quarantine()));
    }
    osd.unusable().ifPresent(unusable -> stored.setUnusable(UnusableOsdCodec.stored(unusable)));
    return stored.build();
  }

  private static OsdNode osd(
      StoredOsd stored, int version, SortedMap<PartitionId, Volume> volumes) {
    SortedSet<PartitionId> own = new TreeSet<>();
    volumes.values().stream()
        .filter(volume -> volume.bladeSet().equals(stored.getBladeSet()))
        .forEach(volume -> own.add(volume.id()));
    return new OsdNode(
        new OsdId(stored.getOsdId()),
        node(stored.getNode()),
        stored.getBladeSet(),
        stored.getCapacityBytes(),
        stored.getUncleanMillis(),
        stored.hasQuarantine() ? quarantine(stored.getQuarantine(), version, own) : Quarantine.NONE,
        stored.hasUnusable()
            ? Optional.of(UnusableOsdCodec.unusable(stored.getUnusable()))
            : Optional.empty(),
        stored.getRack());
  }

  private static StoredQuarantine quarantine(Quarantine quarantine) {
    return StoredQuarantine.newBuilder()
        .setNumber(quarantine.number())
        .setActive(quarantine.active())
        .setLostWrites(quarantine.lostWrites())
        .setSinceMillis(quarantine.sinceMillis())
        .addAllClosed(StoredValueCodec.ids(quarantine.closed()))
        .addAllOpen(StoredValueCodec.ids(quarantine.open()))
        .build();
  }

  /**
   * @param own volumes of the OSD's BladeSet
   */
  private static Quarantine quarantine(
      StoredQuarantine stored, int version, SortedSet<PartitionId> own) {
    SortedSet<PartitionId> closed = StoredValueCodec.volumes(stored.getClosedList());
    if (version == COMPARED_BY_FORMAT && stored.getActive()) {
      closed.addAll(own);
      closed.removeAll(StoredValueCodec.volumes(stored.getReadmittedByList()));
    }
    return new Quarantine(
        stored.getNumber(),
        stored.getActive(),
        stored.getLostWrites(),
        closed,
        StoredValueCodec.volumes(stored.getOpenList()),
        stored.getSinceMillis());
  }

  private static StoredManager manager(ManagerNode manager) {
    return StoredManager.newBuilder()
        .setManagerId(manager.id().value())
        .setNode(node(manager.node()))
        .addAllNonces(manager.nonces())
        .build();
  }

  private static ManagerNode manager(StoredManager stored) {
    return new ManagerNode(
        new ManagerId(stored.getManagerId()), node(stored.getNode()), stored.getNoncesList());
  }

  private static StoredPartition partition(Partition partition) {
    StoredPartition.Builder stored =
        StoredPartition.newBuilder()
            .setPartitionId(partition.id().value())
            .setFenceEpoch(partition.fenceEpoch());
    for (Partition.Key key : partition.keys()) {
      stored.addKeys(
          StoredKey.newBuilder()
              .setVersion(key.version())
              .setKey(StoredValueCodec.bytes(key.secret())));
    }
    return stored.build();
  }

  private static Partition partition(StoredPartition stored) {
    return new Partition(
        new PartitionId(stored.getPartitionId()),
        stored.getKeysList().stream()
            .map(key -> new Partition.Key(key.getVersion(), StoredValueCodec.secret(key.getKey())))
            .toList(),
        stored.getFenceEpoch());
  }
}
