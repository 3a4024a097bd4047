package org.weft.cli.nfs;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.weft.cli.output.JsonFields;
import org.weft.client.cluster.NfsAdmin;
import org.weft.protocol.wire.ChangeNfsIdRequest;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;

/** Takes a number from a user or group. */
@Command(
    name = "remove",
    description = "A number of NFS stands for itself again. Owners of files stay as they are.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft nfs id remove --uid 1000",
      "",
      "Only the superuser and members of supergroup may."
    })
@JsonFields(
    shape = "one object",
    value = {"group: else it is a user", "removed: its number"})
final class IdRemoveCommand extends NfsAction {
  @ArgGroup(exclusive = true, multiplicity = "1")
  private IdNumber number;

  @Override
  protected void check() {
    if (!number.fault().isEmpty()) {
      throw wrong(number.fault());
    }
  }

  @Override
  void run(NfsAdmin admin) {
    boolean there =
        admin.show().join().getTable().getIdsList().stream()
            .anyMatch(
                row ->
                    row.getGroup() == number.isGroup()
                        && Integer.toUnsignedLong(row.getNumber()) == number.number());
    if (!there) {
      throw missing(number + " has no name; `weft nfs id list` shows those that have");
    }
    admin
        .change(
            ChangeNfsIdRequest.newBuilder()
                .setUser(cluster().userName())
                .addAllGroups(cluster().groups())
                .setId(number.row())
                .build())
        .join();
    say(
        JsonNodeFactory.instance
            .objectNode()
            .put("group", number.isGroup())
            .put("removed", number.number()),
        number + " has no name any more.");
  }
}
