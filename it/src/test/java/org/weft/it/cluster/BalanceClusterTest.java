package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.CreateOptions;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftClient;
import org.weft.client.WeftFiles;
import org.weft.client.WeftOutputStream;
import org.weft.client.WeftPath;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.soak.process.DaemonCluster;
import org.weft.soak.process.WeftCli;
import org.weft.soak.process.WeftProcess;
import org.weft.testkit.process.Await;

/**
 * Real daemons: two OSDs join a cluster that holds files, and come to hold their share, although a
 * manager is killed in the middle. Every file is read as it was written (P 6.8c).
 */
@Tag("long")
class BalanceClusterTest {
  private static final int OSDS = 3;
  private static final int FILES = 60;
  private static final int BYTES = 2_000_000;
  private static final String BAND = "0.5";
  private static final int NEW_OSD_PORT = 60;
  private static final long DEADLINE_SECONDS = 240;
  private static final LayoutSpec WIDE = LayoutSpec.of(2, 1, 64 << 10);

  @TempDir Path scratch;

  private WeftProcess newOsd(int base, int number) throws Exception {
    return WeftProcess.start(
        scratch,
        "osd",
        "--data",
        scratch.resolve("new-osd-" + number).toString(),
        "--listen",
        "127.0.0.1:" + (base + NEW_OSD_PORT + number),
        "--metrics",
        "off",
        "--set",
        "osd.capacity=2g",
        "--set",
        "cluster.sysmgr=127.0.0.1:" + base,
        "--set",
        "cluster.join-token-file=" + scratch.resolve("data/sysmgr-1/join-token"),
        "--set",
        "security.trusted-network=true");
  }

  private static byte[] content(int number) {
    byte[] content = new byte[BYTES + number];
    new Random(number).nextBytes(content);
    return content;
  }

  private static JsonNode status(WeftCli cli, String what) throws Exception {
    return new ObjectMapper().readTree(cli.run("balance", what, "--band", BAND, "--json"));
  }

  @Test
  void newOsdsComeToHoldTheirShareAlthoughAManagerIsKilled() throws Exception {
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS);
        SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("callbacks");
        WeftClient client = DaemonCluster.connect(cluster.port(), "balance", system, callbacks)) {
      WeftFiles files = client.files();
      for (int number = 0; number < FILES; number++) {
        WeftPath path = WeftPath.of("/file-" + number);
        try (WeftOutputStream out = files.create(path, CreateOptions.newFile().withLayout(WIDE))) {
          new ByteArrayInputStream(content(number)).transferTo(out);
        }
      }
      WeftCli cli = cluster.cli();
      List<WeftProcess> joined = new ArrayList<>();
      try {
        for (int number = 1; number <= 2; number++) {
          joined.add(newOsd(cluster.port(), number));
        }
        Await.until(
            DEADLINE_SECONDS,
            () -> "five OSDs have told what they hold, and something is to move",
            () -> {
              JsonNode plan = status(cli, "--plan");
              return plan.get("osds").size() == OSDS + 2
                  && plan.get("waits").isEmpty()
                  && plan.get("spreadPoints").asDouble() > 1;
            });
        JsonNode plan = status(cli, "--plan");
        assertEquals("none", plan.get("state").asText());
        assertTrue(plan.get("bytesToMove").asLong() > BYTES, plan::toString);
        assertTrue(cli.run("balance", "--plan", "--band", BAND).contains("would move"));
        assertTrue(cli.run("balance", "--band", BAND).contains("is running"));
        Await.until(
            DEADLINE_SECONDS,
            () -> "something has moved",
            () -> status(cli, "--status").get("componentsMoved").asLong() > 0);
        assertTrue(cli.run("status").contains("balance   BladeSet default"));
        DaemonCluster.killAndRestart(cluster.manager());
        Await.until(
            DEADLINE_SECONDS,
            () -> "the balance has ended",
            () -> status(cli, "--status").get("state").asText().equals("ended"));
        JsonNode end = status(cli, "--status");
        assertTrue(end.get("words").asText().startsWith("no OSD is further"), end::toString);
        assertTrue(end.get("spreadPoints").asDouble() <= 0.5, end::toString);
        int onNew = 0;
        for (int number = 0; number < FILES; number++) {
          WeftPath path = WeftPath.of("/file-" + number);
          StorageMap map = files.attributes(path).map().orElseThrow();
          assertTrue(map.missing().isEmpty(), map::toString);
          onNew += (int) map.components().stream().filter(osd -> osd.value() > OSDS).count();
          try (InputStream in = files.open(path)) {
            assertArrayEquals(content(number), in.readAllBytes(), path.toString());
          }
        }
        assertTrue(onNew > 0, "components on the new OSDs: " + onNew);
        assertTrue(cli.run("events").contains("balance-ended"));
      } finally {
        for (WeftProcess osd : joined) {
          assertEquals(0, osd.stop(), osd.output());
        }
      }
    }
  }
}
