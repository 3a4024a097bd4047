package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.soak.process.DaemonCluster;
import org.weft.soak.process.WeftCli;
import org.weft.soak.process.WeftProcess;
import org.weft.testkit.process.Await;

/** Real daemons: what happens to a cluster is told in its order, also after a kill of SysMgr. */
@Tag("long")
class EventsTest {
  private static final long DEADLINE_SECONDS = 120;

  @TempDir Path scratch;

  private static List<JsonNode> events(WeftCli cli) throws IOException {
    try {
      List<JsonNode> events = new ArrayList<>();
      ObjectMapper mapper = new ObjectMapper();
      for (String line : cli.run("events", "--json").lines().toList()) {
        events.add(mapper.readTree(line));
      }
      return events;
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  private static boolean has(List<JsonNode> events, String kind, String subject) {
    return events.stream()
        .anyMatch(
            each ->
                each.path("kind").asText().equals(kind)
                    && each.path("subject").asText().equals(subject));
  }

  private static void await(WeftCli cli, String kind, String subject) throws Exception {
    Await.until(
        DEADLINE_SECONDS,
        () -> kind + " of " + subject + " is among the events",
        () -> has(events(cli), kind, subject));
  }

  @Test
  void eventsKeepTheirOrderThroughAKillOfSysmgr() throws Exception {
    try (DaemonCluster cluster = DaemonCluster.start(scratch, 3);
        WeftProcess follower =
            WeftProcess.start(
                scratch, "events", "--follow", "--cluster", "127.0.0.1:" + cluster.port())) {
      WeftCli cli = cluster.cli();
      follower.awaitLine(line -> line.contains("osd-3 joined"));
      DaemonCluster.kill(cluster.osd(2));
      await(cli, "osd-down", "osd-2");
      await(cli, "alert", "osd-down osd-2");
      List<JsonNode> before = events(cli);
      DaemonCluster.killAndRestart(cluster.sysmgr());
      Await.until(
          DEADLINE_SECONDS,
          () -> "SysMgr answers again",
          () -> cli.tryRun("events", "--json").exitCode() == 0);
      assertEquals(before, events(cli).subList(0, before.size()));
      cluster.osd(2).start();
      await(cli, "osd-up", "osd-2");
      await(cli, "alert-ended", "osd-down osd-2");
      AtomicBoolean down = new AtomicBoolean();
      follower.awaitLine(
          line -> {
            down.compareAndSet(false, line.contains("osd-2 is down"));
            return down.get() && line.contains("osd-2 is up");
          });
      List<JsonNode> all = events(cli);
      for (int each = 0; each < all.size(); each++) {
        assertEquals(each + 1, all.get(each).path("number").asLong(), all.toString());
      }
      assertTrue(cli.run("events", "--since", "1h").contains("osd-2 is down"));
      WeftCli.Result wrong = cli.tryRun("events", "--since", "yesterday");
      assertTrue(wrong.exitCode() == 2 && wrong.output().contains("yesterday"), wrong::output);
    }
  }
}
