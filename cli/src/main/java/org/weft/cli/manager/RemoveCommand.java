package org.weft.cli.manager;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.CompletionStage;
import org.weft.cli.cluster.ClusterOptions;
import org.weft.cli.output.JsonFields;
import org.weft.client.cluster.PlacementAdmin;
import org.weft.protocol.wire.RemoveManagerRequest;
import picocli.CommandLine.Command;

/** {@code weft manager remove}. */
@Command(
    name = "remove",
    description =
        "Says that a manager which is down does not come back. It leaves the table, the status and the"
            + " alerts. It cannot be undone: the manager is let in no more, but with an empty data directory"
            + " as a new one. Refused while it is the primary of a volume, which may have the only copy of"
            + " the volume's journal: drain the manager first. While it is named as a backup the command"
            + " waits until the primary has named another one, or none.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft manager drain manager-2      its volumes move to others; then stop its process",
      "  weft manager remove manager-2     its data directory can be deleted",
      "",
      "`weft status` shows which managers were removed; `weft events` shows when and by which user."
    })
@JsonFields(
    shape = "one object",
    value = {"managerId: its number", "removed: true"})
public final class RemoveCommand extends ManagerAction {
  public RemoveCommand() {
    super("remove");
  }

  @Override
  CompletionStage<?> ask(PlacementAdmin admin, ClusterOptions by, int managerId) {
    return admin.remove(
        RemoveManagerRequest.newBuilder()
            .setUser(by.userName())
            .addAllGroups(by.groups())
            .setManagerId(managerId)
            .build());
  }

  @Override
  void add(ObjectNode object) {
    object.put("removed", true);
  }

  @Override
  String sentence(int managerId) {
    return "manager-" + managerId + " is removed; its data directory can be deleted.";
  }
}
