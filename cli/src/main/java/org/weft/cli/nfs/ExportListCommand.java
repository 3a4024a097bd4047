package org.weft.cli.nfs;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.PrintableText;
import org.weft.client.cluster.NfsAdmin;
import org.weft.protocol.wire.AddressMessage;
import org.weft.protocol.wire.GetNfsReply;
import org.weft.protocol.wire.NfsExportRow;
import org.weft.protocol.wire.NfsGatewayRow;
import picocli.CommandLine.Command;

/** Lists the exports and the gateways. */
@Command(
    name = "list",
    description = "Lists what is exported by NFS, and the gateways that serve it.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {"  weft nfs export list", "  weft nfs export list --json"})
@JsonFields(
    shape = "one object",
    value = {
      "version: of the table; it grows with each change",
      "exports: an array, in the order of their paths",
      "exports.path: the directory",
      "exports.exportId: its number, never given again",
      "exports.clients: an array of addresses and ranges",
      "exports.readOnly: changes are refused",
      "exports.squash: root, all or none",
      "exports.insecure: calls from ports from 1024 on are taken",
      "exports.manageGids: groups of users are looked up",
      "gateways: an array of those that were heard in the last 30 seconds",
      "gateways.address: where clients reach it",
      "gateways.host: where it runs",
      "gateways.version: of the table that is in force there",
      "gateways.silentMillis: since it was heard",
      "gateways.problems: an array of sentences"
    })
final class ExportListCommand extends NfsAction {
  private static final String ROW = "%-28s %-6s %-7s %-9s %-9s %s%n";
  private static final long SILENT_MILLIS = 3_000;

  @Override
  void run(NfsAdmin admin) {
    GetNfsReply known = admin.show().join();
    if (json()) {
      out().println(Json.line(json(known)));
    } else {
      print(known);
    }
  }

  private void print(GetNfsReply known) {
    out().printf(ROW, "Path", "Access", "Squash", "Ports", "Groups", "Clients");
    for (NfsExportRow row : known.getTable().getExportsList()) {
      out()
          .printf(
              ROW,
              PrintableText.of(row.getPath()),
              row.getReadOnly() ? "ro" : "rw",
              SquashName.of(row.getSquash()),
              row.getInsecure() ? "any" : "below1024",
              row.getManageGids() ? "looked-up" : "stated",
              PrintableText.of(String.join(", ", row.getClientsList())));
    }
    out().println();
    if (known.getGatewaysCount() == 0) {
      out().println("No gateway is heard; `weft nfs --config FILE` starts one.");
    }
    for (NfsGatewayRow row : known.getGatewaysList()) {
      out()
          .printf(
              "gateway %s on %s: %s%n",
              address(row), PrintableText.of(row.getHost()), state(known, row));
      row.getProblemsList().forEach(problem -> out().println("    " + PrintableText.of(problem)));
    }
  }

  static String address(NfsGatewayRow row) {
    AddressMessage address = row.getAddress();
    return PrintableText.of(address.getHost()) + ":" + address.getPort();
  }

  private static String state(GetNfsReply known, NfsGatewayRow row) {
    if (row.getSilentMillis() > SILENT_MILLIS) {
      return "not heard for " + row.getSilentMillis() / 1_000 + " s";
    }
    return row.getInForce() == known.getTable().getVersion()
        ? "serves all of this"
        : "has not heard of the last change yet";
  }

  private static ObjectNode json(GetNfsReply known) {
    ObjectNode all = JsonNodeFactory.instance.objectNode();
    all.put("version", known.getTable().getVersion());
    ArrayNode exports = all.putArray("exports");
    for (NfsExportRow row : known.getTable().getExportsList()) {
      ObjectNode export =
          exports
              .addObject()
              .put("path", row.getPath())
              .put("exportId", row.getExportId())
              .put("readOnly", row.getReadOnly())
              .put("squash", SquashName.of(row.getSquash()))
              .put("insecure", row.getInsecure())
              .put("manageGids", row.getManageGids());
      ArrayNode clients = export.putArray("clients");
      row.getClientsList().forEach(clients::add);
    }
    ArrayNode gateways = all.putArray("gateways");
    for (NfsGatewayRow row : known.getGatewaysList()) {
      ObjectNode gateway =
          gateways
              .addObject()
              .put("address", address(row))
              .put("host", row.getHost())
              .put("version", row.getInForce())
              .put("silentMillis", row.getSilentMillis());
      ArrayNode problems = gateway.putArray("problems");
      row.getProblemsList().forEach(problems::add);
    }
    return all;
  }
}
