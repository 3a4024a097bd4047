package org.weft.cli.nfs;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.PrintableText;
import org.weft.client.cluster.NfsAdmin;
import org.weft.protocol.wire.NfsIdRow;
import picocli.CommandLine.Command;

/** Lists numbers of users and groups. */
@Command(
    name = "list",
    description =
        "Lists the numbers of users and groups that were given. Beside them user 0 is who made the"
            + " cluster, group 0 supergroup, and 65534 nobody and nogroup.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {"  weft nfs id list", "  weft nfs id list --json"})
@JsonFields(
    shape = "one object",
    value = {
      "users: an array",
      "users.number: its number",
      "users.name: its name",
      "groups: an array",
      "groups.number: its number",
      "groups.name: its name"
    })
final class IdListCommand extends NfsAction {
  @Override
  void run(NfsAdmin admin) {
    List<NfsIdRow> rows = admin.show().join().getTable().getIdsList();
    if (json()) {
      ObjectNode all = JsonNodeFactory.instance.objectNode();
      ArrayNode users = all.putArray("users");
      ArrayNode groups = all.putArray("groups");
      for (NfsIdRow row : rows) {
        (row.getGroup() ? groups : users)
            .addObject()
            .put("number", Integer.toUnsignedLong(row.getNumber()))
            .put("name", row.getName());
      }
      out().println(Json.line(all));
      return;
    }
    for (NfsIdRow row : rows) {
      out()
          .printf(
              "%-6s %10s  %s%n",
              row.getGroup() ? "group" : "user",
              Integer.toUnsignedString(row.getNumber()),
              PrintableText.of(row.getName()));
    }
  }
}
