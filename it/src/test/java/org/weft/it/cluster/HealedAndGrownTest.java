package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.soak.process.AddedOsds;
import org.weft.soak.process.DaemonCluster;
import org.weft.soak.process.FileTree;
import org.weft.soak.process.WeftCli;
import org.weft.soak.process.WeftProcess;
import org.weft.testkit.process.Await;

/**
 * Real daemons, and an operator that does what docs/operations.md says. An OSD and its disk are
 * lost under a copy, and its components are rebuilt. The cluster grows to nine OSDs and is
 * balanced. Another OSD is drained under a second copy, and removed. All files compare, the check
 * finds nothing, and every event and alert is told (P 6.8).
 */
@Tag("long")
class HealedAndGrownTest {
  private static final int OSDS = 6;
  private static final int AT_LAST = 9;
  private static final int LOST = 3;
  private static final int DRAINED = 1;
  private static final int FILES = 150;
  private static final int[] SIZES = {3_000, 300_000, 1_200_000};
  private static final int FIRST_COPIED = 20;
  private static final String CAPACITY = "osd.capacity=2g";
  private static final String BAND = "0.3";
  private static final long DEADLINE_SECONDS = 300;

  @TempDir Path scratch;

  private final ObjectMapper mapper = new ObjectMapper();

  /** Names of findings, and what they are about, of all looks at the status. */
  private final Set<String> findings = new TreeSet<>();

  private WeftCli cli;

  private Path tree(String name) throws IOException {
    Path tree = Files.createDirectories(scratch.resolve(name));
    for (int number = 0; number < FILES; number++) {
      Path directory = Files.createDirectories(tree.resolve("part-" + number % 7));
      byte[] content = new byte[SIZES[number % SIZES.length] + number];
      new Random(name.hashCode() + number).nextBytes(content);
      Files.write(directory.resolve("file-" + number), content);
    }
    return tree;
  }

  private WeftProcess copying(DaemonCluster cluster, Path tree) throws Exception {
    WeftProcess copy =
        WeftProcess.start(
            scratch,
            "fs",
            "put",
            tree.toString(),
            "/tmp",
            "--cluster",
            "127.0.0.1:" + cluster.port());
    Await.until(
        DEADLINE_SECONDS,
        () -> "files come: " + copy.output(),
        () -> names("/tmp/" + tree.getFileName()) >= FIRST_COPIED);
    return copy;
  }

  private long names(String path) {
    WeftCli.Result found = cli.tryRun("fs", "find", path);
    return found.exitCode() == 0 ? found.output().lines().count() : 0;
  }

  private JsonNode look() throws IOException {
    JsonNode status = mapper.readTree(cli.tryRun("status", "--json").output());
    for (JsonNode problem : status.path("problems")) {
      findings.add(subject(problem));
    }
    return status;
  }

  private static String subject(JsonNode problem) {
    return (problem.path("name").asText() + " " + problem.path("subject").asText()).strip();
  }

  private static JsonNode osd(JsonNode status, int id) {
    for (JsonNode osd : status.at("/table/osds")) {
      if (osd.path("id").asInt() == id) {
        return osd;
      }
    }
    throw new AssertionError("no osd-" + id + " in " + status);
  }

  private void awaitDown(int id) throws Exception {
    Await.until(
        DEADLINE_SECONDS,
        () -> "osd-" + id + " is down",
        () -> osd(look(), id).path("state").asText().equals("DOWN"));
  }

  private void awaitText(String text) throws Exception {
    Await.until(
        DEADLINE_SECONDS,
        () -> "the status says " + text + ": " + cli.tryRun("status").output(),
        () -> {
          var unused = look();
          return cli.tryRun("status").output().contains(text);
        });
  }

  private void lose(DaemonCluster cluster) throws Exception {
    DaemonCluster.kill(cluster.osd(LOST));
    FileTree.delete(cluster.dataOf(cluster.osd(LOST)));
    awaitDown(LOST);
    awaitEvent("alert", "osd-down osd-3");
  }

  private void assertItHeals(DaemonCluster cluster) throws Exception {
    assertEquals(
        "osd-3 is removed; what it held is rebuilt on others.",
        cli.run("osd", "remove", "osd-3").strip());
    awaitText("rebuilds on others what was on OSDs that are lost [3]");
    Await.until(
        DEADLINE_SECONDS,
        () -> "no file lacks a component: " + cli.tryRun("status").output(),
        () -> {
          JsonNode status = look();
          assertTrue(osd(status, LOST).path("removed").asBoolean(), status::toString);
          return cluster.status().isWhole() && !named(status).contains("rebuild-running volume /");
        });
    assertTrue(findings.contains("rebuild-running volume /"), findings::toString);
  }

  private static Set<String> named(JsonNode status) {
    Set<String> named = new TreeSet<>();
    status.path("problems").forEach(problem -> named.add(subject(problem)));
    return named;
  }

  private List<WeftProcess> grow(AddedOsds added) throws Exception {
    List<WeftProcess> joined = new ArrayList<>();
    for (int number = OSDS; number <= AT_LAST; number++) {
      joined.add(added.start(scratch.resolve("added-" + number), CAPACITY, "host=localhost"));
    }
    awaitText(AT_LAST + " of " + AT_LAST + " OSDs up");
    return joined;
  }

  private JsonNode balance(String what) throws IOException {
    return mapper.readTree(cli.run("balance", what, "--band", BAND, "--json"));
  }

  private void assertItIsBalanced() throws Exception {
    Await.until(
        DEADLINE_SECONDS,
        () -> "the plan has something to move: " + cli.run("balance", "--plan"),
        () -> {
          JsonNode plan = balance("--plan");
          return plan.path("waits").isEmpty() && plan.path("bytesToMove").asLong() > 0;
        });
    assertTrue(cli.run("balance", "--plan", "--band", BAND).contains("would move"));
    assertEquals("none", balance("--status").path("state").asText(), "a plan moves nothing");
    assertTrue(cli.run("balance", "--band", BAND).contains("is running"));
    Await.until(
        DEADLINE_SECONDS,
        () -> "the balance has ended: " + cli.run("balance", "--status"),
        () -> balance("--status").path("state").asText().equals("ended"));
    for (int id = OSDS + 1; id <= AT_LAST + 1; id++) {
      assertTrue(osd(look(), id).path("usedBytes").asLong() > 0, "osd-" + id + " holds nothing");
    }
  }

  private void assertItIsDrainedAndGoes(DaemonCluster cluster) throws Exception {
    assertEquals(
        "osd-1 is being drained; `weft status` shows how far that is.",
        cli.run("osd", "drain", "osd-1").strip());
    awaitText("osd-1 is drained: no file has anything on it any more");
    assertTrue(findings.contains("osd-draining osd-1"), findings::toString);
    JsonNode row = osd(look(), DRAINED);
    assertTrue(row.path("drained").asBoolean(), row::toString);
    assertTrue(row.path("drainWaits").isEmpty(), row::toString);
    awaitEvent("alert", "osd-drained osd-1");
    cluster.osd(DRAINED).stop();
    awaitDown(DRAINED);
    cli.run("osd", "remove", "osd-1");
    FileTree.delete(cluster.dataOf(cluster.osd(DRAINED)));
    awaitText((AT_LAST - 1) + " of " + (AT_LAST - 1) + " OSDs up");
  }

  private void assertComesBack(Path tree) throws IOException {
    Path copy = scratch.resolve("copy of " + tree.getFileName());
    cli.run("fs", "get", "/tmp/" + tree.getFileName(), copy.toString());
    for (int number = 0; number < FILES; number++) {
      Path file = Path.of("part-" + number % 7, "file-" + number);
      assertEquals(-1, Files.mismatch(tree.resolve(file), copy.resolve(file)), file.toString());
    }
  }

  private List<String> events() throws IOException {
    List<String> events = new ArrayList<>();
    for (String line : cli.run("events", "--json").lines().toList()) {
      JsonNode event = mapper.readTree(line);
      events.add(event.path("kind").asText() + ": " + event.path("subject").asText());
    }
    return events;
  }

  private void awaitEvent(String kind, String subject) throws Exception {
    Await.until(
        DEADLINE_SECONDS,
        () -> kind + " of " + subject + " is among the events",
        () -> events().contains(kind + ": " + subject));
  }

  /** What has begun, has not ended, and is no finding of the status any more. */
  private Set<String> alertsWithoutEnd() throws IOException {
    Set<String> open = new TreeSet<>();
    for (String event : events()) {
      if (event.startsWith("alert: ")) {
        open.add(event.substring("alert: ".length()));
      } else if (event.startsWith("alert-ended: ")) {
        open.remove(event.substring("alert-ended: ".length()));
      }
    }
    open.removeAll(named(look()));
    return open;
  }

  private void assertAllWasTold() throws Exception {
    List<String> events = events();
    List<String> expected = new ArrayList<>();
    expected.addAll(List.of("osd-down: osd-3", "alert: osd-down osd-3", "osd-removed: osd-3"));
    IntStream.rangeClosed(OSDS + 1, AT_LAST + 1)
        .forEach(number -> expected.add("osd-joined: osd-" + number));
    expected.addAll(List.of("balance-begun: BladeSet default", "balance-ended: BladeSet default"));
    expected.addAll(List.of("osd-drain-begun: osd-1", "alert: osd-drained osd-1"));
    expected.addAll(List.of("osd-down: osd-1", "osd-removed: osd-1"));
    int from = 0;
    for (String event : expected) {
      int at = from + events.subList(from, events.size()).indexOf(event);
      assertTrue(at >= from, event + " does not follow in " + events);
      from = event.startsWith("osd-joined") ? from : at;
    }
    Await.until(
        DEADLINE_SECONDS,
        () -> "each alert ends: " + cli.run("events"),
        () -> alertsWithoutEnd().isEmpty());
    for (String finding : named(look())) {
      boolean isOfOurs =
          finding.startsWith("osd-") || finding.startsWith("rebuild") || finding.contains("lost");
      assertFalse(isOfOurs, finding);
    }
  }

  private void assertStoresAreSound(DaemonCluster cluster) {
    List<Path> stores = new ArrayList<>();
    IntStream.rangeClosed(1, OSDS)
        .filter(number -> number != LOST && number != DRAINED)
        .forEach(number -> stores.add(cluster.dataOf(cluster.osd(number))));
    IntStream.rangeClosed(OSDS, AT_LAST)
        .forEach(number -> stores.add(scratch.resolve("added-" + number)));
    for (Path store : stores) {
      WeftCli.Result check = WeftCli.runWithoutCluster("osd", "check", store.toString());
      assertEquals(0, check.exitCode(), check::output);
    }
  }

  @Test
  void clusterHealsGrowsBalancesAndReleasesAnOsd() throws Exception {
    Path first = tree("first");
    Path second = tree("second");
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS);
        AddedOsds added = new AddedOsds(scratch, cluster)) {
      cli = cluster.cli();
      try (WeftProcess copy = copying(cluster, first)) {
        lose(cluster);
        assertItHeals(cluster);
        assertEquals(0, copy.awaitEnd(), copy::output);
      }
      List<WeftProcess> joined = grow(added);
      assertItIsBalanced();
      try (WeftProcess copy = copying(cluster, second)) {
        assertItIsDrainedAndGoes(cluster);
        assertEquals(0, copy.awaitEnd(), copy::output);
      }
      assertComesBack(first);
      assertComesBack(second);
      WeftCli.Result check = cli.tryRun("volume", "check", "/", "--parity");
      assertEquals(0, check.exitCode(), check::output);
      assertAllWasTold();
      cluster.status().awaitWhole(DEADLINE_SECONDS);
      cluster.stop();
      for (WeftProcess osd : joined) {
        assertEquals(0, osd.stop(), osd::output);
      }
      assertStoresAreSound(cluster);
    }
  }
}
