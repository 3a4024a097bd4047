package org.weft.sysmgr.rest;

import java.util.List;
import java.util.Locale;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.NfsExportRow;
import org.weft.protocol.wire.NfsGatewayRow;

/** What is exported by NFS, and the gateways that serve it, as REST shows them. */
record NfsView(List<Export> exports, List<Gateway> gateways) {
  private static final String SQUASH = "SQUASH_";

  /**
   * An export.
   *
   * @param squash root, all or none
   */
  record Export(
      int id,
      String path,
      List<String> clients,
      boolean readOnly,
      String squash,
      boolean insecure,
      boolean manageGids) {
    static Export of(NfsExportRow row) {
      return new Export(
          row.getExportId(),
          row.getPath(),
          row.getClientsList(),
          row.getReadOnly(),
          row.getSquash().name().replace(SQUASH, "").toLowerCase(Locale.ROOT),
          row.getInsecure(),
          row.getManageGids());
    }
  }

  /**
   * A gateway that was heard lately.
   *
   * @param version of the exports that is in force there
   * @param manager in whose process it runs; 0: it has one of its own
   */
  record Gateway(
      String address,
      String host,
      long version,
      long silentMillis,
      long calls,
      int manager,
      List<String> problems) {
    static Gateway of(NfsGatewayRow row) {
      return new Gateway(
          Endpoint.fromMessage(row.getAddress()).toString(),
          row.getHost(),
          row.getInForce(),
          row.getSilentMillis(),
          row.getCalls(),
          row.getManagerId(),
          row.getProblemsList());
    }
  }

  static NfsView of(ClusterStatus status) {
    return new NfsView(
        status.getNfsExportsList().stream().map(Export::of).toList(),
        status.getNfsGatewaysList().stream().map(Gateway::of).toList());
  }
}
