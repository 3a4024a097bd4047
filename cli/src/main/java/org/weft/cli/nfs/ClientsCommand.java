package org.weft.cli.nfs;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.PrintableText;
import org.weft.client.cluster.NfsAdmin;
import org.weft.protocol.wire.GetNfsReply;
import org.weft.protocol.wire.NfsClientRow;
import org.weft.protocol.wire.NfsGatewayRow;
import picocli.CommandLine.Command;

/** Lists the clients of the gateways. */
@Command(
    name = "clients",
    description =
        "Lists the hosts that used NFS in the last day, up to 256 of each gateway, those that called last"
            + " first.",
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
      "clients.idleMillis: since its last call"
    })
public final class ClientsCommand extends NfsAction {
  private static final String ROW = "%-22s %-22s %14s %10s  %s%n";

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
    return all;
  }
}
