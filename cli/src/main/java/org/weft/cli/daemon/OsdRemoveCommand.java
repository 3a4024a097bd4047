package org.weft.cli.daemon;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.weft.cli.cluster.AdminCommand;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.cluster.NodeName;
import org.weft.cli.output.JsonFields;
import org.weft.protocol.wire.RemoveOsdRequest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft osd remove}. */
@Command(
    name = "remove",
    description =
        "Says that an OSD which is down does not come back. Managers rebuild on others what it held, at once"
            + " and by themselves. It cannot be undone: the OSD is let in no more, but with an empty data"
            + " directory as a new one. Refused while another OSD of its BladeSet is not up: files that need"
            + " both would be lost; not of one that is drained, for nothing is on it.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft osd remove osd-3     after its disk was lost",
      "  weft osd remove --force 4     also while others are down that do not come back either",
      "",
      "`weft status` shows how far the rebuilding is."
    })
@JsonFields(
    shape = "one object",
    value = {"osdId: its number", "removed: true"})
public final class OsdRemoveCommand extends AdminCommand {
  @Parameters(paramLabel = "OSD", description = "The OSD, like osd-3 or 3.")
  private String osd;

  @Option(
      names = "--force",
      description =
          "Also while other OSDs of its BladeSet are not up. Files with more components on these than"
              + " they have parity units may be lost.")
  private boolean force;

  public OsdRemoveCommand() {
    super("remove");
  }

  private int number() {
    return number(NodeName.OSD, osd);
  }

  @Override
  protected void check() {
    number();
  }

  @Override
  protected void run(AdminView admin) {
    int id = number();
    var unused =
        admin
            .placement()
            .remove(
                RemoveOsdRequest.newBuilder()
                    .setUser(cluster().userName())
                    .addAllGroups(cluster().groups())
                    .setOsdId(id)
                    .setForce(force)
                    .build())
            .join();
    say(
        JsonNodeFactory.instance.objectNode().put("osdId", id).put("removed", true),
        "osd-" + id + " is removed; what it held is rebuilt on others.");
  }
}
