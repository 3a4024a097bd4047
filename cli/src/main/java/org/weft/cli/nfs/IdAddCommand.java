package org.weft.cli.nfs;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.weft.cli.output.JsonFields;
import org.weft.client.cluster.NfsAdmin;
import org.weft.protocol.wire.ChangeNfsIdRequest;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Gives a user or group its number. */
@Command(
    name = "add",
    description = "A number of NFS stands for this user or group from now on.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft nfs id add --uid 1000 alice",
      "  weft nfs id add --gid 100 users",
      "  weft nfs id add --uid $(id -u) $(id -un)      the user that runs this",
      "",
      "Only the superuser and members of supergroup may."
    })
@JsonFields(
    shape = "one object",
    value = {"group: else it is a user", "number: its number", "name: its name"})
final class IdAddCommand extends NfsAction {
  @ArgGroup(exclusive = true, multiplicity = "1")
  private IdNumber number;

  @Parameters(paramLabel = "NAME", description = "The user or group as Weft names it.")
  private String name;

  @Override
  protected void check() {
    if (!number.fault().isEmpty()) {
      throw wrong(number.fault());
    }
    if (name.isEmpty()) {
      throw wrong("a name has at least one character");
    }
  }

  @Override
  void run(NfsAdmin admin) {
    admin
        .change(
            ChangeNfsIdRequest.newBuilder()
                .setUser(cluster().userName())
                .addAllGroups(cluster().groups())
                .setId(number.row().setName(name))
                .build())
        .join();
    say(
        JsonNodeFactory.instance
            .objectNode()
            .put("group", number.isGroup())
            .put("number", number.number())
            .put("name", name),
        number + " is " + name + ".");
  }
}
