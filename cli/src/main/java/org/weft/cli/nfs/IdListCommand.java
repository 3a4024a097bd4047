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
import org.weft.protocol.wire.NfsMemberRow;
import org.weft.protocol.wire.NfsTable;
import picocli.CommandLine.Command;

/** Lists numbers of users and groups. */
@Command(
    name = "list",
    description =
        "Lists the numbers of users and groups that were given. Beside them user 0 is the cluster's"
            + " superuser (`cluster.superuser`), group 0 supergroup, and 65534 nobody and nogroup.",
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
      "groups.name: its name",
      "members: an array of users whose groups were named",
      "members.user: the user",
      "members.groups: an array of all groups of the user"
    })
final class IdListCommand extends NfsAction {
  @Override
  void run(NfsAdmin admin) {
    NfsTable table = admin.show().join().getTable();
    List<NfsIdRow> rows = table.getIdsList();
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
      ArrayNode members = all.putArray("members");
      for (NfsMemberRow row : table.getMembersList()) {
        ArrayNode of = members.addObject().put("user", row.getUser()).putArray("groups");
        row.getGroupsList().forEach(of::add);
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
    for (NfsMemberRow row : table.getMembersList()) {
      out()
          .printf(
              "%-6s %10s  %s%n",
              "in",
              PrintableText.of(row.getUser()),
              PrintableText.of(String.join(", ", row.getGroupsList())));
    }
  }
}
