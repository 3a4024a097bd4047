package org.weft.sysmgr.service;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.wire.NfsExportRow;
import org.weft.protocol.wire.NfsGatewayRow;
import org.weft.protocol.wire.NfsIdRow;
import org.weft.sysmgr.configuration.NfsExport;
import org.weft.sysmgr.configuration.NfsSquash;
import org.weft.sysmgr.configuration.NfsTable;
import org.weft.sysmgr.liveness.HeardGateways;

/** What NFS gateways serve, as messages have it. */
final class NfsRows {
  private NfsRows() {}

  static org.weft.protocol.wire.NfsTable table(NfsTable table) {
    var rows = org.weft.protocol.wire.NfsTable.newBuilder().setVersion(table.version());
    table.exports().values().forEach(export -> rows.addExports(row(export)));
    table.users().forEach((number, name) -> rows.addIds(id(false, number, name)));
    table.groups().forEach((number, name) -> rows.addIds(id(true, number, name)));
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
        .build();
  }

  private static org.weft.protocol.wire.NfsSquash squash(NfsSquash squash) {
    return switch (squash) {
      case ROOT -> org.weft.protocol.wire.NfsSquash.SQUASH_ROOT;
      case ALL -> org.weft.protocol.wire.NfsSquash.SQUASH_ALL;
      case NONE -> org.weft.protocol.wire.NfsSquash.SQUASH_NONE;
    };
  }

  static List<NfsGatewayRow> gateways(HeardGateways<NfsGatewayRow> gateways, long nowNanos) {
    return gateways.all(nowNanos).stream()
        .map(
            heard ->
                heard.told().toBuilder()
                    .setSilentMillis(TimeUnit.NANOSECONDS.toMillis(nowNanos - heard.atNanos()))
                    .build())
        .toList();
  }
}
