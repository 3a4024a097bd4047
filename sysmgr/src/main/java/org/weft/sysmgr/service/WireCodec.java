package org.weft.sysmgr.service;

import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Optional;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.ReplicatedLog.Member;
import org.weft.protocol.wire.AddressMessage;
import org.weft.protocol.wire.BladeSetRow;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OperationState;
import org.weft.protocol.wire.OsdRow;
import org.weft.protocol.wire.PartitionKeys;
import org.weft.protocol.wire.RecoveryOrder;
import org.weft.protocol.wire.VolumeOperation;
import org.weft.protocol.wire.VolumeRow;
import org.weft.protocol.wire.VolumeState;
import org.weft.protocol.wire.WorkingKey;
import org.weft.sysmgr.balance.Balance;
import org.weft.sysmgr.bladeset.BladeSet;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.ManagerNode;
import org.weft.sysmgr.configuration.node.Node;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.state.PlacementOrders;
import org.weft.sysmgr.configuration.volume.EndedOperation;
import org.weft.sysmgr.configuration.volume.Partition;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.configuration.volume.VolumeMove;
import org.weft.sysmgr.configuration.volume.VolumeStage;
import org.weft.sysmgr.liveness.HeartbeatTable;
import org.weft.sysmgr.liveness.NodeReport;

/** Our records as messages of sysmgr.proto. */
final class WireCodec {
  private WireCodec() {}

  /**
   * The table; what changes with every heartbeat (space used) is as last heard, without a new
   * version.
   */
  static ClusterTable table(Configuration configuration, HeartbeatTable heartbeats) {
    ClusterTable.Builder table = ClusterTable.newBuilder().setVersion(configuration.tableVersion());
    configuration
        .cluster()
        .ifPresent(
            cluster -> table.setClusterId(cluster.id().value()).setClusterName(cluster.name()));
    for (OsdNode osd : configuration.osds().values()) {
      OsdRow.Builder row =
          osd(osd, heartbeats.report(NodeKey.of(osd.id())))
              .setRemoved(configuration.history().placement().removed().contains(osd.id()))
              .setDraining(configuration.history().placement().drainingOsds().contains(osd.id()))
              .setDrainNumber(configuration.history().placement().drainOf(osd.id()));
      configuration
          .history()
          .placement()
          .balance(osd.bladeSet())
          .filter(Balance::isUnderWay)
          .ifPresent(
              balance ->
                  row.setBalanceLeavePpm(balance.plan().leavePpm().getOrDefault(osd.id(), 0))
                      .setBalanceComingBytes(
                          balance.plan().comingBytes().getOrDefault(osd.id(), 0L)));
      configuration.awaited(osd).forEach(volume -> row.addAwaitedVolume(volume.value()));
      if (osd.node().liveness() != Liveness.DOWN) {
        osd.quarantine().open().forEach(volume -> row.addOpenVolume(volume.value()));
      }
      table.addOsds(row);
    }
    table.addAllSysmgrs(sysmgrs(configuration));
    for (BladeSet set : configuration.bladeSets().values()) {
      table.addBladeSets(
          BladeSetRow.newBuilder()
              .setName(set.name())
              .setDomainValue(set.domain().number())
              .addAllComingOsd(set.coming().stream().map(OsdId::value).toList()));
    }
    PlacementOrders placement = configuration.history().placement();
    placement
        .balances()
        .forEach((name, balance) -> table.addBalances(BalanceHandlers.row(name, balance)));
    placement.repairPause().ifPresent(pause -> table.setRepairPause(RepairPauses.row(pause)));
    for (ManagerNode manager : configuration.managers().values()) {
      table.addManagers(manager(manager).setDraining(placement.draining().contains(manager.id())));
    }
    String superuser = configuration.cluster().map(cluster -> cluster.superuser()).orElse("");
    for (Volume volume : configuration.volumes().values()) {
      VolumeMove move = placement.moves().get(volume.id());
      VolumeRow row = volume(volume, superuser);
      table.addVolumes(
          move == null
              ? row
              : row.toBuilder()
                  .setMoveTo(move.target().value())
                  .setMoveFailure(move.failure())
                  .build());
    }
    return table.build();
  }

  /** Where SysMgr's members answer, as far as they are noted. */
  static List<AddressMessage> sysmgrs(Configuration configuration) {
    return addresses(configuration.sysmgr().members().stream().map(Member::rpc).toList());
  }

  /** One that is given up begins a new one as soon as it is back. */
  static long quarantine(OsdNode osd) {
    return osd.toldQuarantine();
  }

  static boolean isQuarantined(OsdNode osd) {
    return osd.quarantine().active() || osd.isGivenUp();
  }

  /**
   * Volumes that the OSD's quarantine does not close; none are listed where it is in no quarantine.
   */
  static List<Long> openVolumes(Configuration configuration, OsdNode osd) {
    return isQuarantined(osd)
        ? configuration.open(osd).stream().map(PartitionId::value).toList()
        : List.of();
  }

  private static OsdRow.Builder osd(OsdNode osd, Optional<NodeReport> report) {
    Node node = osd.node();
    OsdRow.Builder row =
        OsdRow.newBuilder()
            .setOsdId(osd.id().value())
            .addAllAddresses(addresses(node.addresses()))
            .setState(state(node.liveness()))
            .setHost(node.host())
            .setIncarnation(node.incarnation())
            .setBladeSet(osd.bladeSet())
            .setCapacityBytes(osd.capacityBytes())
            .setQuarantine(osd.quarantine().number())
            .setLostWrites(osd.quarantine().lostWrites())
            .setIdentity(node.identity())
            .setStoreFailure(node.storeFailure())
            .setRack(osd.rack());
    osd.unusable()
        .ifPresent(
            unusable ->
                unusable.managers().forEach(each -> row.addUnusableToManager(each.value())));
    report.ifPresent(
        said ->
            row.setCapacityBytes(said.capacityBytes())
                .setUsedBytes(said.usedBytes())
                .setReserveBytes(said.reserveBytes())
                .setObjects(said.objects())
                .setDurableCheckpoint(said.durableCheckpoint()));
    return row;
  }

  private static ManagerRow.Builder manager(ManagerNode manager) {
    Node node = manager.node();
    return ManagerRow.newBuilder()
        .setManagerId(manager.id().value())
        .addAllAddresses(addresses(node.addresses()))
        .setState(state(node.liveness()))
        .setHost(node.host())
        .setIdentity(node.identity());
  }

  static VolumeRow volume(Volume volume, String superuser) {
    VolumeRow.Builder row = VolumeRow.newBuilder();
    volume
        .recovery()
        .ifPresent(
            ordered ->
                row.setRecovery(
                    RecoveryOrder.newBuilder()
                        .setFirstEpoch(ordered.firstEpoch())
                        .setReason(ordered.reason())
                        .setSinceMillis(ordered.sinceMillis())));
    return row.setVolumeId(volume.id().value())
        .setPath(volume.path())
        .setManagerId(volume.owner().map(ManagerId::value).orElse(0))
        .setEpoch(volume.epoch())
        .setMaxParity(volume.maxParity())
        .setBladeSet(volume.bladeSet())
        .setFormatted(volume.formatted())
        .setDefaultDataUnits(volume.defaultDataUnits())
        .setDefaultParityUnits(volume.defaultParityUnits())
        .setSuperuser(superuser)
        .setState(state(volume.stage()))
        .setParentVolumeId(volume.life().parent().map(PartitionId::value).orElse(0L))
        .setOperation(volume.life().operation())
        .setBackupId(volume.backup().manager().map(ManagerId::value).orElse(0))
        .build();
  }

  private static VolumeState state(VolumeStage stage) {
    return switch (stage) {
      case CREATING -> VolumeState.CREATING;
      case FORMATTED -> VolumeState.FORMATTED;
      case ACTIVE -> VolumeState.ACTIVE;
      case DELETING -> VolumeState.DELETING;
      case EMPTIED -> VolumeState.EMPTIED;
    };
  }

  static VolumeOperation operation(EndedOperation ended) {
    VolumeOperation.Builder message =
        VolumeOperation.newBuilder()
            .setOperation(ended.operation())
            .setVolumeId(ended.volume().value())
            .setPath(ended.path())
            .setDeletion(ended.deletion())
            .setState(ended.failure().isEmpty() ? OperationState.DONE : OperationState.FAILED)
            .setEndedMillis(ended.endedMillis());
    ended
        .failure()
        .ifPresent(
            failure -> message.setError(failure.code().number()).setMessage(failure.message()));
    return message.build();
  }

  static PartitionKeys partition(Partition partition) {
    PartitionKeys.Builder keys =
        PartitionKeys.newBuilder()
            .setPartitionId(partition.id().value())
            .setFenceEpoch(partition.fenceEpoch());
    for (Partition.Key key : partition.keys()) {
      keys.addKeys(
          WorkingKey.newBuilder()
              .setVersion(key.version())
              .setKey(ByteString.copyFrom(key.secret().bytes())));
    }
    return keys.build();
  }

  static List<PartitionKeys> partitions(Configuration configuration) {
    return configuration.partitions().values().stream().map(WireCodec::partition).toList();
  }

  private static List<AddressMessage> addresses(List<Endpoint> endpoints) {
    return endpoints.stream().map(Endpoint::toMessage).toList();
  }

  private static NodeState state(Liveness liveness) {
    return switch (liveness) {
      case UP -> NodeState.UP;
      case SUSPECT -> NodeState.SUSPECT;
      case DOWN -> NodeState.DOWN;
      case QUARANTINED -> NodeState.QUARANTINED;
    };
  }
}
