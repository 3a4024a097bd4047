package org.weft.cli.volume;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.output.JsonFields;
import org.weft.protocol.wire.DeleteVolumeRequest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Deletes a volume. */
@Command(
    name = "delete",
    description = "Deletes a volume that is empty, and waits until it is gone.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft fs rm -r '/archive/*'          remove what is in it",
      "  weft volume delete /archive         then the volume itself",
      "",
      "One that is still being made is given up. Only the superuser and members of supergroup may."
    })
@JsonFields(
    shape = "one object",
    value = {"deleted: its path"})
final class VolumeDeleteCommand extends VolumeAction {
  @Parameters(paramLabel = "PATH", description = "Where it stands.")
  private String argument;

  @Override
  protected void check() {
    path(argument);
  }

  @Override
  protected void run(AdminView admin) {
    String path = path(argument);
    DeleteVolumeRequest wanted =
        DeleteVolumeRequest.newBuilder()
            .setUser(cluster().userName())
            .addAllGroups(cluster().groups())
            .setPath(path)
            .build();
    var unused = admin.volumes().delete(wanted).join();
    say(JsonNodeFactory.instance.objectNode().put("deleted", path), "Volume " + path + " is gone.");
  }
}
