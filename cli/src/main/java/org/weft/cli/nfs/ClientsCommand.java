package org.weft.cli.nfs;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.PrintableText;
import org.weft.client.cluster.NfsAdmin;
import org.weft.protocol.wire.GetNfsReply;
import org.weft.protocol.wire.NfsClientRow;
import org.weft.protocol.wire.NfsGatewayRow;
import org.weft.protocol.wire.NfsWatchedRow;
import picocli.CommandLine.Command;

/** Lists the clients of the gateways. */
@Command(
    name = "clients",
    description =
        "Lists the hosts that used NFS in the last day, up to 256 of each gateway, those that called last"
            + " first, and those that have locks, which are told when a gateway starts.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {"  weft nfs clients", "  weft nfs clients --json"})
@JsonFields(
    shape = "one object",
    value = {
      "clients: an array",
      "clients.gateway: address of the gateway",
      "clients.address: of the host",
      "clients.path: what it mounted last; empty if the gateway has started since",
      "clients.calls: since the gateway started",
      "clients.idleMillis: since its last call",
      "monitored: an array of those that have locks, and are told when a gateway starts",
      "monitored.server: the gateway's address that it calls",
      "monitored.client: its own address",
      "monitored.name: how it names itself",
      "monitored.sinceMillis: when it was recorded"
    })
public final class ClientsCommand extends NfsAction {
  private static final String ROW = "%-22s %-22s %14s %10s  %s%n";
  private static final String WATCHED = "%-22s %-22s %-20s  %s%n";

  @Override
  void run(NfsAdmin admin) {
    GetNfsReply known = admin.show().join();
    if (json()) {
      out().println(Json.line(json(known)));
      return;
    }
    out().printf(ROW, "Gateway", "Client", "Calls", "Idle", "Mounted last");
    for (NfsGatewayRow gateway : known.getGatewaysList()) {
      for (NfsClientRow client : gateway.getClientsList()) {
        out()
            .printf(
                Locale.ROOT,
                ROW,
                ExportListCommand.address(gateway),
                PrintableText.of(client.getAddress()),
                String.format(Locale.ROOT, "%,d", client.getCalls()),
                client.getIdleMillis() / 1_000 + " s",
                PrintableText.of(client.getPath()));
      }
    }
    if (known.getWatchedCount() > 0) {
      out().println();
      out().printf(WATCHED, "With locks at", "Client", "Since", "Name");
    }
    for (NfsWatchedRow row : known.getWatchedList()) {
      out()
          .printf(
              WATCHED,
              server(row),
              PrintableText.of(row.getClient()),
              Instant.ofEpochMilli(row.getSinceMillis()).truncatedTo(ChronoUnit.SECONDS),
              PrintableText.of(row.getName()));
    }
  }

  private static String server(NfsWatchedRow row) {
    return PrintableText.of(row.getServer().getHost()) + ":" + row.getServer().getPort();
  }

  private static ObjectNode json(GetNfsReply known) {
    ObjectNode all = JsonNodeFactory.instance.objectNode();
    ArrayNode clients = all.putArray("clients");
    for (NfsGatewayRow gateway : known.getGatewaysList()) {
      for (NfsClientRow client : gateway.getClientsList()) {
        clients
            .addObject()
            .put("gateway", ExportListCommand.address(gateway))
            .put("address", client.getAddress())
            .put("path", client.getPath())
            .put("calls", client.getCalls())
            .put("idleMillis", client.getIdleMillis());
      }
    }
    ArrayNode monitored = all.putArray("monitored");
    for (NfsWatchedRow row : known.getWatchedList()) {
      monitored
          .addObject()
          .put("server", server(row))
          .put("client", row.getClient())
          .put("name", row.getName())
          .put("sinceMillis", row.getSinceMillis());
    }
    return all;
  }
}
