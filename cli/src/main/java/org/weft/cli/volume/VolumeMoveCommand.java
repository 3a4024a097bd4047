package org.weft.cli.volume;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.cluster.NodeName;
import org.weft.cli.output.JsonFields;
import org.weft.protocol.wire.MoveVolumeRequest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Moves a volume to another manager. */
@Command(
    name = "move",
    description =
        "Moves a volume to another manager while it is used, and waits until that one serves it. Clients go"
            + " on there.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft volume move /archive manager-2",
      "  weft volume move / 1                the root volume goes to manager-1",
      "",
      "A move that is interrupted goes on by itself; `weft status` shows it. To the manager that has the",
      "volume: a move under way is called off. Only the superuser and members of supergroup may."
    })
@JsonFields(
    shape = "one object",
    value = {"moved: its path", "managerId: the manager that serves it"})
final class VolumeMoveCommand extends VolumeAction {
  @Parameters(index = "0", paramLabel = "PATH", description = "Where it stands.")
  private String argument;

  @Parameters(
      index = "1",
      paramLabel = "MANAGER",
      description = "Its new manager, like manager-2 or 2.")
  private String manager;

  @Override
  protected void check() {
    path(argument);
    managerId();
  }

  private int managerId() {
    return number(NodeName.MANAGER, manager);
  }

  @Override
  protected void run(AdminView admin) {
    String path = path(argument);
    MoveVolumeRequest wanted =
        MoveVolumeRequest.newBuilder()
            .setUser(cluster().userName())
            .addAllGroups(cluster().groups())
            .setPath(path)
            .setManagerId(managerId())
            .build();
    var unused = admin.placement().move(wanted).join();
    say(
        JsonNodeFactory.instance.objectNode().put("moved", path).put("managerId", managerId()),
        "Volume " + path + " is served by manager-" + managerId() + ".");
  }
}
