package org.weft.cli.manager;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.CompletionStage;
import org.weft.cli.cluster.AdminCommand;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.cluster.ClusterOptions;
import org.weft.cli.cluster.NodeName;
import org.weft.client.cluster.PlacementAdmin;
import picocli.CommandLine.Parameters;

/** A request to SysMgr about one manager: what draining, undraining and removing have in common. */
abstract class ManagerAction extends AdminCommand {
  @Parameters(paramLabel = "MANAGER", description = "The manager, like manager-2 or 2.")
  private String manager;

  /**
   * @param client the name of this client in logs
   */
  ManagerAction(String client) {
    super(client);
  }

  /** Asks for it; completes when SysMgr has recorded it. */
  abstract CompletionStage<?> ask(PlacementAdmin admin, ClusterOptions by, int managerId);

  /** What is true now, for programs. */
  abstract void add(ObjectNode object);

  /** What is true now, for people. */
  abstract String sentence(int managerId);

  private int managerId() {
    return number(NodeName.MANAGER, manager);
  }

  @Override
  protected final void check() {
    managerId();
  }

  @Override
  protected final void run(AdminView admin) {
    int id = managerId();
    var unused = ask(admin.placement(), cluster(), id).toCompletableFuture().join();
    ObjectNode object = JsonNodeFactory.instance.objectNode().put("managerId", id);
    add(object);
    say(object, sentence(id));
  }
}
