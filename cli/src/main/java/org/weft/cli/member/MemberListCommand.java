package org.weft.cli.member;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Locale;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.cli.output.PrintableText;
import org.weft.protocol.wire.SysmgrRow;
import picocli.CommandLine.Command;

/** {@code weft sysmgr member list}. */
@Command(
    name = "list",
    description = "Lists the members of SysMgr, and the processes that wait to be added.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft sysmgr member list --cluster storage0:7300",
      "  weft sysmgr member list --json"
    })
@JsonFields(
    shape = "one object",
    value = {
      "members: an array of members, and of processes that wait to be added",
      "members.memberId: its number, never given again",
      "members.address: where clients and daemons reach it",
      "members.log: where other members reach it",
      "members.candidate: it waits to be added",
      "members.leader: it leads",
      "members.behindEntries: entries of the log that it does not have yet, as the leader knows",
      "members.silentMillis: since the leader heard it"
    })
final class MemberListCommand extends MemberAction {
  @Override
  protected void run(AdminView admin) {
    List<SysmgrRow> rows = rows(admin);
    if (json()) {
      out().println(Json.line(json(rows)));
      return;
    }
    for (SysmgrRow row : rows) {
      out()
          .printf(
              Locale.ROOT,
              "%3d  %-21s  log %-21s  %s%n",
              row.getMemberId(),
              PrintableText.of(rpc(row)),
              PrintableText.of(log(row)),
              MemberState.of(row));
    }
  }

  private static ObjectNode json(List<SysmgrRow> rows) {
    ObjectNode all = JsonNodeFactory.instance.objectNode();
    ArrayNode members = all.putArray("members");
    for (SysmgrRow row : rows) {
      members
          .addObject()
          .put("memberId", row.getMemberId())
          .put("address", rpc(row))
          .put("log", log(row))
          .put("candidate", row.getCandidate())
          .put("leader", row.getLeader())
          .put("behindEntries", row.getBehindEntries())
          .put("silentMillis", row.getSilentMillis());
    }
    return all;
  }
}
