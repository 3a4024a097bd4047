package org.weft.cli.manager;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.cluster.ClusterOptions;
import org.weft.cli.output.Json;
import org.weft.client.cluster.PlacementAdmin;
import org.weft.protocol.error.WeftException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** A request to SysMgr about one manager: what draining, undraining and removing have in common. */
abstract class ManagerAction implements Callable<Integer> {
  private final String client;

  @Spec private CommandSpec spec;
  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Parameters(paramLabel = "MANAGER", description = "The manager, like manager-2 or 2.")
  private String manager;

  @Option(names = "--json", description = "Write JSON for programs.")
  private boolean json;

  @SuppressWarnings("UnusedVariable") // The parser reads it.
  @Option(names = "--help", usageHelp = true, description = "Shows this help and ends.")
  private boolean help;

  /**
   * @param client the name of this client in logs
   */
  ManagerAction(String client) {
    this.client = client;
  }

  /** Asks for it; completes when SysMgr has recorded it. */
  abstract CompletionStage<?> ask(PlacementAdmin admin, ClusterOptions by, int managerId);

  /** What is true now, for programs. */
  abstract void add(ObjectNode object);

  /** What is true now, for people. */
  abstract String sentence(int managerId);

  @Override
  public final Integer call() throws IOException {
    int id =
        ManagerName.parse(manager)
            .orElseThrow(
                () ->
                    new ParameterException(
                        spec.commandLine(),
                        "weft: manager " + spec.name() + ": " + ManagerName.fault(manager)));
    try (AdminView admin = AdminView.open(cluster, client)) {
      var unused = ask(admin.placement(), cluster, id).toCompletableFuture().join();
    } catch (CompletionException e) {
      throw WeftException.of(e);
    }
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      ObjectNode object = JsonNodeFactory.instance.objectNode().put("managerId", id);
      add(object);
      out.println(Json.line(object));
    } else {
      out.println(sentence(id));
    }
    out.flush();
    return 0;
  }
}
