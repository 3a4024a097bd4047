package org.weft.cli.nfs;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.client.cluster.NfsAdmin;
import org.weft.protocol.wire.ChangeNfsGroupsRequest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Says of which groups a user is. */
@Command(
    name = "groups",
    description =
        "Names all groups of a user, for exports with --manage-gids; in place of those named before."
            + " The groups of users that are not named are looked up on the hosts of the gateways.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft nfs id groups alice users ops",
      "  weft nfs id groups alice --unnamed      the hosts know them again",
      "",
      "Only the superuser and members of supergroup may."
    })
@JsonFields(
    shape = "one object",
    value = {"user: the user", "groups: an array; none: the hosts are asked"})
final class IdGroupsCommand extends NfsAction {
  @Parameters(index = "0", paramLabel = "USER", description = "The user as Weft names it.")
  private String member;

  @Parameters(index = "1..*", paramLabel = "GROUP", description = "A group as Weft names it.")
  private List<String> groups = new ArrayList<>();

  @Option(names = "--unnamed", description = "Nothing is said of the user any more.")
  private boolean unnamed;

  @Override
  protected void check() {
    if (unnamed != groups.isEmpty()) {
      throw wrong("name the groups of the user, or say --unnamed");
    }
    if (member.isEmpty() || groups.contains("")) {
      throw wrong("a name has at least one character");
    }
  }

  @Override
  void run(NfsAdmin admin) {
    admin
        .change(
            ChangeNfsGroupsRequest.newBuilder()
                .setUser(cluster().userName())
                .addAllGroups(cluster().groups())
                .setMember(member)
                .addAllOf(groups)
                .build())
        .join();
    if (json()) {
      ObjectNode said = JsonNodeFactory.instance.objectNode().put("user", member);
      ArrayNode of = said.putArray("groups");
      groups.forEach(of::add);
      out().println(Json.line(said));
    } else if (unnamed) {
      out().println("The groups of " + member + " are those that the gateways' hosts know.");
    } else {
      out().println(member + " is in " + String.join(", ", groups) + ".");
    }
  }
}
