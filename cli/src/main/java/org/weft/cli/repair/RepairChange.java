package org.weft.cli.repair;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletionException;
import org.weft.cli.cluster.AdminView;
import org.weft.cli.cluster.ClusterOptions;
import org.weft.cli.output.Json;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.PauseRepairsReply;
import org.weft.protocol.wire.PauseRepairsRequest;
import org.weft.protocol.wire.RepairPauseRow;

/** Asks SysMgr to pause rebuilds or to let them go on, and says what is in force then. */
final class RepairChange {
  private RepairChange() {}

  /**
   * @return the exit code
   */
  static int run(ClusterOptions cluster, PauseRepairsRequest wanted, boolean json, PrintWriter out)
      throws IOException {
    PauseRepairsReply reply;
    try (AdminView admin = AdminView.open(cluster, "repair")) {
      reply = admin.repairs().change(wanted).join();
    } catch (CompletionException e) {
      throw WeftException.of(e);
    }
    out.println(json ? Json.line(object(reply)) : sentence(reply));
    out.flush();
    return 0;
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
