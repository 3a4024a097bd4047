package org.weft.cli.manager;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.cluster.ClusterOptions;
import org.weft.cli.output.Json;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.DrainManagerRequest;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What draining a manager and undraining it have in common. */
abstract class DrainAction implements Callable<Integer> {
  private final boolean undrain;

  @Spec private CommandSpec spec;
  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Parameters(paramLabel = "MANAGER", description = "The manager, like manager-2 or 2.")
  private String manager;

  @Option(names = "--json", description = "Write JSON for programs.")
  private boolean json;

  @SuppressWarnings("UnusedVariable") // The parser reads it.
  @Option(names = "--help", usageHelp = true, description = "Shows this help and ends.")
  private boolean help;

  DrainAction(boolean undrain) {
    this.undrain = undrain;
  }

  @Override
  public final Integer call() throws IOException {
    int id =
        ManagerName.parse(manager)
            .orElseThrow(
                () ->
                    new ParameterException(
                        spec.commandLine(),
                        "weft: manager " + spec.name() + ": " + ManagerName.fault(manager)));
    try (AdminView admin = AdminView.open(cluster, "drain")) {
      var unused =
          admin
              .placement()
              .drain(
                  DrainManagerRequest.newBuilder()
                      .setUser(cluster.userName())
                      .addAllGroups(cluster.groups())
                      .setManagerId(id)
                      .setUndrain(undrain)
                      .build())
              .join();
    } catch (CompletionException e) {
      throw RpcException.of(e);
    }
    say(id);
    return 0;
  }

  private void say(int id) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(
          Json.line(
              JsonNodeFactory.instance
                  .objectNode()
                  .put("managerId", id)
                  .put("draining", !undrain)));
    } else {
      out.println(
          undrain
              ? "manager-" + id + " may have volumes again."
              : "manager-" + id + " serves no volume, and gets no new ones.");
    }
    out.flush();
  }
}
