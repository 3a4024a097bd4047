package org.weft.cli.manager;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.cluster.ClusterOptions;
import org.weft.cli.output.Json;
import org.weft.cli.output.JsonFields;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.RemoveManagerRequest;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

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
      "`weft status` shows which managers were removed; `weft events` shows when and by whom."
    })
@JsonFields(
    shape = "one object",
    value = {"managerId: its number", "removed: true"})
public final class RemoveCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Parameters(paramLabel = "MANAGER", description = "The manager, like manager-2 or 2.")
  private String manager;

  @Option(names = "--json", description = "Write JSON for programs.")
  private boolean json;

  @SuppressWarnings("UnusedVariable") // The parser reads it.
  @Option(names = "--help", usageHelp = true, description = "Shows this help and ends.")
  private boolean help;

  @Override
  public Integer call() throws IOException {
    int id =
        ManagerName.parse(manager)
            .orElseThrow(
                () ->
                    new ParameterException(
                        spec.commandLine(), "weft: manager remove: " + ManagerName.fault(manager)));
    try (AdminView admin = AdminView.open(cluster, "remove")) {
      var unused =
          admin
              .placement()
              .remove(
                  RemoveManagerRequest.newBuilder()
                      .setUser(cluster.userName())
                      .addAllGroups(cluster.groups())
                      .setManagerId(id)
                      .build())
              .join();
    } catch (CompletionException e) {
      throw RpcException.of(e);
    }
    PrintWriter out = spec.commandLine().getOut();
    out.println(
        json
            ? Json.line(
                JsonNodeFactory.instance.objectNode().put("managerId", id).put("removed", true))
            : "manager-" + id + " is removed; its data directory can be deleted.");
    out.flush();
    return 0;
  }
}
