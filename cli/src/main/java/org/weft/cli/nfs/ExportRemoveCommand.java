package org.weft.cli.nfs;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.weft.cli.output.JsonFields;
import org.weft.client.cluster.NfsAdmin;
import org.weft.protocol.wire.ChangeNfsExportRequest;
import org.weft.protocol.wire.NfsExportChange;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Removes an export. */
@Command(
    name = "remove",
    description =
        "A directory is exported no more. The files stay; clients that have it mounted are told that"
            + " their handles are stale.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  weft nfs export remove /projects",
      "",
      "Only the superuser and members of supergroup may."
    })
@JsonFields(
    shape = "one object",
    value = {"removed: its path"})
final class ExportRemoveCommand extends NfsAction {
  @Parameters(paramLabel = "PATH", description = "The directory.")
  private String argument;

  @Override
  protected void check() {
    path(argument);
  }

  @Override
  void run(NfsAdmin admin) {
    String path = path(argument);
    boolean there =
        admin.show().join().getTable().getExportsList().stream()
            .anyMatch(row -> row.getPath().equals(path));
    if (!there) {
      throw missing(path + " is not exported; `weft nfs export list` shows what is");
    }
    admin
        .change(
            ChangeNfsExportRequest.newBuilder()
                .setUser(cluster().userName())
                .addAllGroups(cluster().groups())
                .setChange(NfsExportChange.REMOVE_EXPORT)
                .setPath(path)
                .build())
        .join();
    say(JsonNodeFactory.instance.objectNode().put("removed", path), path + " is exported no more.");
  }
}
