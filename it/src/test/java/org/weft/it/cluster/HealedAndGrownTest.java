package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.cli.quickstart.DaemonProcess;
import org.weft.it.process.AddedOsds;
import org.weft.it.process.Await;
import org.weft.it.process.DaemonCluster;
import org.weft.it.process.FileTree;
import org.weft.it.process.WeftCli;
import org.weft.it.process.WeftProcess;

/**
 * An operator's day with real daemons, by commands alone: an OSD is killed under a copy and its
 * directory deleted, and the cluster heals; it grows to nine OSDs, is balanced, and one OSD is
 * drained and removed, then a host with two (P 6.8, 6.8a, 6.8c). Every byte is compared in the end,
 * with another OSD dead.
 */
@Tag("long")
class HealedAndGrownTest {
  private static final int OSDS = 6;
  private static final int ADDED = 4;
  private static final int GROWN = OSDS - 1 + ADDED;
  private static final int FILES = 24;
  private static final int BYTES = 4_000_000;
  private static final int LOST = 3;
  private static final int DRAINED = 2;
  private static final int DEAD = 5;
  private static final String HOST = "pair";
  private static final String BAND = "0.3";
  private static final long DEADLINE_SECONDS = 300;

  private final ObjectMapper mapper = new ObjectMapper();
  @TempDir Path scratch;

  private Path source() throws IOException {
    Path source = Files.createDirectories(scratch.resolve("source"));
    Random random = new Random(34);
    for (int number = 0; number < FILES; number++) {
      byte[] content = new byte[BYTES + number];
      random.nextBytes(content);
      Files.write(source.resolve("file-" + number), content);
    }
    return source;
  }

  private JsonNode status(WeftCli cli) throws IOException {
    return mapper.readTree(cli.tryRun("status", "--json").output());
  }

  /** What each finding of that name is about. */
  private List<String> subjects(WeftCli cli, String finding) throws IOException {
    List<String> subjects = new ArrayList<>();
    for (JsonNode each : status(cli).path("problems")) {
      if (each.path("name").asText().equals(finding)) {
        subjects.add(each.path("subject").asText());
      }
    }
    return subjects;
  }

  private void assertAllComeBack(WeftCli cli, Path source, String into) throws IOException {
    Path copy = Files.createDirectories(scratch.resolve(into));
    cli.run("fs", "get", "/copy/source", copy.toString());
    for (int number = 0; number < FILES; number++) {
      String name = "file-" + number;
      assertArrayEquals(
          Files.readAllBytes(source.resolve(name)),
          Files.readAllBytes(copy.resolve("source").resolve(name)),
          name);
    }
    FileTree.delete(copy);
  }

  /** A copy that goes on while its OSD is lost. */
  private WeftProcess copying(DaemonCluster cluster, Path source) throws Exception {
    WeftCli cli = cluster.cli();
    cli.run("fs", "mkdir", "/copy");
    WeftProcess copy =
        WeftProcess.start(
            scratch,
            "fs",
            "put",
            source.toString(),
            "/copy",
            "--cluster",
            "127.0.0.1:" + cluster.port());
    Await.until(
        DEADLINE_SECONDS,
        () -> "the copy has made a file: " + copy.output(),
        () -> cli.tryRun("fs", "ls", "/copy/source").output().contains("file-"));
    assertTrue(copy.isAlive(), () -> "the copy was over too soon: " + copy.output());
    return copy;
  }

  private void lose(DaemonCluster cluster) throws Exception {
    WeftCli cli = cluster.cli();
    DaemonProcess osd = cluster.osd(LOST);
    DaemonCluster.kill(osd);
    FileTree.delete(cluster.dataOf(osd));
    Await.until(
        DEADLINE_SECONDS,
        () -> "osd-" + LOST + " is removed once it is down",
        () -> cli.tryRun("osd", "remove", "osd-" + LOST).exitCode() == 0);
    Await.until(
        DEADLINE_SECONDS,
        () -> "the status tells of the rebuild: " + cli.tryRun("status").output(),
        () -> !subjects(cli, "rebuild-running").isEmpty());
  }

  private void balance(WeftCli cli) throws Exception {
    Await.until(
        DEADLINE_SECONDS,
        () -> "nine OSDs have told what they hold: " + cli.tryRun("balance", "--plan").output(),
        () -> {
          JsonNode plan = mapper.readTree(cli.run("balance", "--plan", "--band", BAND, "--json"));
          return plan.path("osds").size() == GROWN
              && plan.path("waits").isEmpty()
              && plan.path("spreadPoints").asDouble() > Double.parseDouble(BAND);
        });
    cli.run("balance", "--band", BAND);
    Await.until(
        DEADLINE_SECONDS,
        () -> "the balance has ended: " + cli.tryRun("balance", "--status").output(),
        () ->
            mapper
                .readTree(cli.run("balance", "--status", "--json"))
                .path("state")
                .asText()
                .equals("ended"));
    JsonNode end = mapper.readTree(cli.run("balance", "--status", "--json"));
    assertTrue(end.path("componentsMoved").asLong() > 0, end::toString);
  }

  private void drainAndRemove(DaemonCluster cluster) throws Exception {
    WeftCli cli = cluster.cli();
    String name = "osd-" + DRAINED;
    cli.run("osd", "drain", name);
    Await.until(
        DEADLINE_SECONDS,
        () -> name + " is drained: " + cli.tryRun("status").output(),
        () -> subjects(cli, "osd-drained").contains(name));
    cluster.osd(DRAINED).stop();
    Await.until(
        DEADLINE_SECONDS,
        () -> name + " is removed once it is down",
        () -> cli.tryRun("osd", "remove", name).exitCode() == 0);
    FileTree.delete(cluster.dataOf(cluster.osd(DRAINED)));
  }

  /** Two OSDs of one host at once. */
  private void drainAndRemoveHost(WeftCli cli, List<WeftProcess> osds) throws Exception {
    String none = cli.tryRun("osd", "drain", "--host", "nowhere").output();
    assertTrue(none.contains("hosts with OSDs: ") && none.contains(HOST), none);
    String begun = cli.run("osd", "drain", "--host", HOST);
    List<String> names = begun.lines().map(line -> line.split(" ", 2)[0]).toList();
    assertEquals(osds.size(), names.size(), begun);
    Await.until(
        DEADLINE_SECONDS,
        () -> HOST + " is drained: " + cli.tryRun("status").output(),
        () -> subjects(cli, "osd-drained").containsAll(names));
    for (WeftProcess osd : osds) {
      assertEquals(0, osd.stop(), osd.output());
    }
    for (String name : names) {
      Await.until(
          DEADLINE_SECONDS,
          () -> name + " is removed once it is down",
          () -> cli.tryRun("osd", "remove", name).exitCode() == 0);
    }
  }

  private void awaitWhole(DaemonCluster cluster) throws Exception {
    Await.until(
        DEADLINE_SECONDS,
        () -> "no file lacks a component: " + cluster.cli().tryRun("status").output(),
        cluster.status()::isWhole);
  }

  @Test
  void aClusterThatLosesAnOsdUnderACopyHealsGrowsAndLetsAnotherOneGo() throws Exception {
    Path source = source();
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS, 2);
        AddedOsds added = new AddedOsds(scratch, cluster)) {
      WeftCli cli = cluster.cli();
      try (WeftProcess copy = copying(cluster, source)) {
        lose(cluster);
        assertEquals(0, copy.awaitEnd(), copy.output());
      }
      awaitWhole(cluster);
      assertAllComeBack(cli, source, "healed");
      List<WeftProcess> ofHost = new ArrayList<>();
      for (int number = 1; number <= ADDED; number++) {
        Path data = scratch.resolve("added-" + number);
        if (number <= 2) {
          ofHost.add(added.start(data, "osd.capacity=2g", "host=" + HOST));
        } else {
          var unused = added.start(data, "osd.capacity=2g");
        }
      }
      balance(cli);
      drainAndRemove(cluster);
      drainAndRemoveHost(cli, ofHost);
      awaitWhole(cluster);
      cli.run("volume", "check", "/");
      assertEvents(cli);
      DaemonCluster.kill(cluster.osd(DEAD));
      assertAllComeBack(cli, source, "grown");
    }
  }

  /** In this order. */
  private static void assertEvents(WeftCli cli) {
    String events = cli.run("events");
    int at = 0;
    for (String kind :
        new String[] {
          "osd-down",
          "osd-removed",
          "osd-joined",
          "balance-begun",
          "balance-ended",
          "osd-drain-begun",
          "osd-removed"
        }) {
      at = events.indexOf(kind, at);
      assertTrue(at >= 0, () -> kind + " is not there, or not in its order: " + events);
    }
  }
}
