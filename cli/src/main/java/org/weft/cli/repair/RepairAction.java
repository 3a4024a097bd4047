package org.weft.cli.repair;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.weft.cli.cluster.AdminCommand;
import org.weft.cli.cluster.AdminView;
import org.weft.protocol.wire.PauseRepairsReply;
import org.weft.protocol.wire.PauseRepairsRequest;
import org.weft.protocol.wire.RepairPauseRow;

/** Asks SysMgr to pause or resume rebuilds, and prints which is in force then. */
abstract class RepairAction extends AdminCommand {
  RepairAction() {
    super("repair");
  }

  /** Adds what is wanted; a mistake of the operator is wrong usage. */
  abstract void ask(PauseRepairsRequest.Builder wanted);

  @Override
  protected final void check() {
    ask(PauseRepairsRequest.newBuilder());
  }

  @Override
  protected final void run(AdminView admin) {
    PauseRepairsRequest.Builder wanted =
        PauseRepairsRequest.newBuilder()
            .setUser(cluster().userName())
            .addAllGroups(cluster().groups());
    ask(wanted);
    PauseRepairsReply reply = admin.repairs().change(wanted.build()).join();
    say(object(reply), sentence(reply));
  }

  private static ObjectNode object(PauseRepairsReply reply) {
    ObjectNode object = JsonNodeFactory.instance.objectNode().put("paused", reply.hasPause());
    if (reply.hasPause()) {
      RepairPauseRow pause = reply.getPause();
      object
          .put("reason", pause.getReason())
          .put("user", pause.getUser())
          .put("sinceMillis", pause.getSinceMillis())
          .put("endMillis", pause.getEndMillis());
    }
    return object;
  }

  private static String sentence(PauseRepairsReply reply) {
    return reply.hasPause()
        ? "Rebuilds and drains are paused until "
            + Instant.ofEpochMilli(reply.getPause().getEndMillis()).truncatedTo(ChronoUnit.SECONDS)
            + ". When the work is done: weft repair resume."
        : "Rebuilds and drains go on.";
  }
}
