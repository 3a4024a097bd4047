package org.weft.sysmgr.service;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.NfsExportRow;
import org.weft.protocol.wire.NfsGatewayRow;
import org.weft.protocol.wire.NfsIdRow;
import org.weft.protocol.wire.NfsLockRow;
import org.weft.protocol.wire.NfsMemberRow;
import org.weft.protocol.wire.NfsWatchedRow;
import org.weft.sysmgr.configuration.nfs.NfsExport;
import org.weft.sysmgr.configuration.nfs.NfsMonitor;
import org.weft.sysmgr.configuration.nfs.NfsSquash;
import org.weft.sysmgr.configuration.nfs.NfsTable;
import org.weft.sysmgr.configuration.nfs.NfsWatched;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.liveness.HeardGateways;

/** What NFS gateways serve, as messages have it. */
final class NfsRows {
  /** Of locks in one reply. */
  private static final int MAX_LOCK_BYTES = 1 << 20;

  private NfsRows() {}

  static org.weft.protocol.wire.NfsTable table(NfsTable table) {
    var rows = org.weft.protocol.wire.NfsTable.newBuilder().setVersion(table.version());
    table.exports().values().forEach(export -> rows.addExports(row(export)));
    table.users().forEach((number, name) -> rows.addIds(id(false, number, name)));
    table.groups().forEach((number, name) -> rows.addIds(id(true, number, name)));
    table
        .members()
        .forEach(
            (user, groups) ->
                rows.addMembers(NfsMemberRow.newBuilder().setUser(user).addAllGroups(groups)));
    return rows.build();
  }

  private static NfsIdRow id(boolean group, long number, String name) {
    return NfsIdRow.newBuilder().setGroup(group).setNumber((int) number).setName(name).build();
  }

  private static NfsExportRow row(NfsExport export) {
    return NfsExportRow.newBuilder()
        .setExportId(export.id())
        .setPath(export.path())
        .addAllClients(export.clients())
        .setReadOnly(export.readOnly())
        .setSquash(squash(export.squash()))
        .setInsecure(export.insecure())
        .setManageGids(export.manageGids())
        .build();
  }

  private static org.weft.protocol.wire.NfsSquash squash(NfsSquash squash) {
    return switch (squash) {
      case ROOT -> org.weft.protocol.wire.NfsSquash.SQUASH_ROOT;
      case ALL -> org.weft.protocol.wire.NfsSquash.SQUASH_ALL;
      case NONE -> org.weft.protocol.wire.NfsSquash.SQUASH_NONE;
    };
  }

  /** Without their locks. */
  static List<NfsGatewayRow> gateways(HeardGateways<NfsGatewayRow> gateways, long nowNanos) {
    return gateways.all(nowNanos).stream()
        .map(
            heard ->
                heard.told().toBuilder()
                    .setSilentMillis(TimeUnit.NANOSECONDS.toMillis(nowNanos - heard.atNanos()))
                    .clearLocks()
                    .build())
        .toList();
  }

  /** With as many of their locks as there is room for, and the names of volumes. */
  static List<NfsGatewayRow> gateways(
      HeardGateways<NfsGatewayRow> gateways,
      long nowNanos,
      boolean withLocks,
      Configuration configuration) {
    List<NfsGatewayRow> rows = gateways(gateways, nowNanos);
    if (!withLocks) {
      return rows;
    }
    List<NfsGatewayRow> whole = new ArrayList<>();
    int leftBytes = MAX_LOCK_BYTES;
    List<HeardGateways.Heard<NfsGatewayRow>> heard = gateways.all(nowNanos);
    for (int i = 0; i < rows.size(); i++) {
      NfsGatewayRow.Builder row = rows.get(i).toBuilder();
      for (NfsLockRow lock : heard.get(i).told().getLocksList()) {
        Volume volume = configuration.volumes().get(new PartitionId(lock.getVolumeId()));
        NfsLockRow named =
            volume == null ? lock : lock.toBuilder().setVolume(volume.path()).build();
        leftBytes -= named.getSerializedSize();
        if (leftBytes > 0) {
          row.addLocks(named);
        }
      }
      whole.add(row.build());
    }
    return whole;
  }

  static List<NfsWatchedRow> watched(NfsMonitor monitor) {
    return monitor.watched().entrySet().stream()
        .map(each -> row(each.getKey(), each.getValue()))
        .toList();
  }

  static NfsWatchedRow row(NfsWatched watched, long sinceMillis) {
    return NfsWatchedRow.newBuilder()
        .setServer(watched.server().toMessage())
        .setClient(watched.client())
        .setName(watched.name())
        .setSinceMillis(sinceMillis)
        .build();
  }
}
