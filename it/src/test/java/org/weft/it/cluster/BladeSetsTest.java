package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.CreateOptions;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftClient;
import org.weft.client.WeftFiles;
import org.weft.client.WeftOutputStream;
import org.weft.client.WeftPath;
import org.weft.client.internal.ClientParts;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.soak.process.DaemonCluster;
import org.weft.soak.process.WeftCli;
import org.weft.soak.process.WeftProcess;
import org.weft.testkit.process.Await;

/**
 * Real daemons: two BladeSets in one cluster with a volume in each (P 4.5). They are grown and
 * merged while files are written, and SysMgr is killed in the merge.
 */
@Tag("long")
class BladeSetsTest {
  private static final int OSDS = 4;
  private static final int OTHERS = 3;
  private static final int FIRST_PORT = 24_000;
  private static final int PORTS = 900;
  private static final long DEADLINE_SECONDS = 120;
  private static final int BYTES = 400_000;
  private static final LayoutSpec NARROW = LayoutSpec.of(1, 1, 64 << 10);

  @TempDir Path scratch;

  private WeftProcess startOther(DaemonCluster cluster, int number, int port) throws Exception {
    Path token;
    try (Stream<Path> all = Files.walk(scratch.resolve("data"), 3)) {
      token = all.filter(each -> each.endsWith("join-token")).findFirst().orElseThrow();
    }
    WeftProcess osd =
        WeftProcess.start(
            scratch,
            "osd",
            "--data",
            scratch.resolve("other-" + number).toString(),
            "--listen",
            "127.0.0.1:" + port,
            "--metrics",
            "off",
            "--capacity",
            "1g",
            "--set",
            "cluster.sysmgr=127.0.0.1:" + cluster.port(),
            "--set",
            "cluster.join-token-file=" + token,
            "--set",
            "host=other-" + number,
            "--set",
            "osd.rack=rack-" + number,
            "--set",
            "osd.bladeset=fast");
    osd.awaitLine(line -> line.contains("listens on"));
    return osd;
  }

  private static byte[] content(int number) {
    byte[] content = new byte[BYTES];
    new Random(number).nextBytes(content);
    return content;
  }

  private static void put(WeftFiles files, WeftPath path, int number) throws Exception {
    try (WeftOutputStream out = files.create(path, CreateOptions.newFile().withLayout(NARROW))) {
      new ByteArrayInputStream(content(number)).transferTo(out);
    }
  }

  private static Set<Integer> osdsOf(WeftFiles files, WeftPath path) throws Exception {
    StorageMap map = files.attributes(path).map().orElseThrow();
    Set<Integer> osds = new HashSet<>();
    map.components().forEach(each -> osds.add(each.value()));
    map.attributeOsds().stream().map(OsdId::value).forEach(osds::add);
    return osds;
  }

  private static JsonNode listed(WeftCli weft, String name) throws Exception {
    JsonNode all = new ObjectMapper().readTree(weft.run("bladeset", "list", "--json"));
    for (JsonNode each : all.path("bladeSets")) {
      if (each.path("name").asText().equals(name)) {
        return each;
      }
    }
    throw new AssertionError("no BladeSet " + name + " in " + all);
  }

  @Test
  void filesStayInTheirBladeSetThroughGrowthAndMerge() throws Exception {
    int port = FIRST_PORT + new Random().nextInt(PORTS);
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS);
        SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("callbacks")) {
      WeftCli weft = cluster.cli();
      weft.run("bladeset", "create", "fast");
      try (WeftProcess first = startOther(cluster, 1, port);
          WeftProcess second = startOther(cluster, 2, port + 1);
          WeftProcess third = startOther(cluster, 3, port + 2);
          WeftClient client = DaemonCluster.connect(cluster.port(), "sets", system, callbacks)) {
        weft.run("volume", "create", "/apart", "--bladeset", "fast");
        JsonNode fast = listed(weft, "fast");
        assertEquals(OTHERS, fast.path("osdsUp").asInt(), fast::toString);
        assertEquals(OTHERS, fast.path("racks").asInt(), fast::toString);
        assertEquals("rack", fast.path("domain").asText(), fast::toString);
        assertEquals("/apart", fast.path("volumes").path(0).asText(), fast::toString);
        WeftFiles files = client.files();
        SortedMap<String, Integer> written = new TreeMap<>();
        for (int number = 0; number < 8; number++) {
          String here = "/tmp/" + number;
          String apart = "/apart/" + number;
          put(files, WeftPath.of(here), number);
          put(files, WeftPath.of(apart), 100 + number);
          written.put(here, number);
          written.put(apart, 100 + number);
          assertTrue(osdsOf(files, WeftPath.of(here)).stream().allMatch(id -> id <= OSDS));
          assertTrue(osdsOf(files, WeftPath.of(apart)).stream().allMatch(id -> id > OSDS));
        }
        grow(weft, client, written);
        merge(cluster, weft, files, written);
        for (var each : written.entrySet()) {
          try (InputStream in = files.open(WeftPath.of(each.getKey()))) {
            assertArrayEquals(content(each.getValue()), in.readAllBytes(), each.getKey());
          }
        }
        assertTrue(List.of(first, second, third).stream().allMatch(WeftProcess::isAlive));
      }
    }
  }

  /** An OSD in use is refused; drained, it goes over. */
  private static void grow(WeftCli weft, WeftClient client, SortedMap<String, Integer> written)
      throws Exception {
    WeftFiles files = client.files();
    int used = osdsOf(files, WeftPath.of("/tmp/0")).iterator().next();
    Await.until(
        DEADLINE_SECONDS,
        () -> "osd-" + used + " has said that it holds objects",
        () ->
            ClientParts.of(client).cluster().status().join().getTable().getOsdsList().stream()
                .anyMatch(row -> row.getOsdId() == used && row.getObjects() > 0));
    WeftCli.Result refused = weft.tryRun("bladeset", "grow", "fast", "osd-" + used);
    assertTrue(refused.exitCode() != 0 && refused.output().contains("drain it"), refused::output);
    weft.run("osd", "drain", "osd-" + used);
    weft.run("bladeset", "grow", "fast", "osd-" + used);
    assertEquals(OTHERS + 1, listed(weft, "fast").path("osds").asInt());
    for (String path : written.keySet()) {
      boolean isApart = path.startsWith("/apart");
      Set<Integer> osds = osdsOf(files, WeftPath.of(path));
      assertTrue(
          osds.stream().allMatch(id -> (id > OSDS || id == used) == isApart),
          () -> path + " is on " + osds);
    }
  }

  private static void merge(
      DaemonCluster cluster, WeftCli weft, WeftFiles files, SortedMap<String, Integer> written)
      throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    CompletableFuture<Integer> writer =
        CompletableFuture.supplyAsync(
            () -> {
              int number = 0;
              try {
                while (!stop.get()) {
                  put(files, WeftPath.of("/apart/during-" + number), 1_000 + number);
                  number++;
                }
              } catch (Exception e) {
                throw new IllegalStateException("file " + number, e);
              }
              return number;
            });
    CompletableFuture<WeftCli.Result> merged =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return weft.tryRun("bladeset", "merge", "fast", "default");
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    DaemonCluster.killAndRestart(cluster.sysmgr());
    WeftCli.Result first = merged.get();
    // Whatever became of the first request, a repeat is answered once SysMgr is there again.
    Await.until(
        DEADLINE_SECONDS,
        () -> "the BladeSets are merged, after " + first,
        () -> weft.tryRun("bladeset", "merge", "fast", "default").exitCode() == 0);
    DaemonCluster.killAndRestart(cluster.sysmgr());
    Await.until(
        DEADLINE_SECONDS,
        () -> "SysMgr answers",
        () -> weft.tryRun("bladeset", "list").exitCode() == 0);
    assertEquals(OSDS + OTHERS, listed(weft, "default").path("osds").asInt());
    boolean isSpread = false;
    for (int number = 0; number < 60 && !isSpread; number++) {
      String path = "/apart/after-" + number;
      put(files, WeftPath.of(path), number);
      written.put(path, number);
      isSpread = osdsOf(files, WeftPath.of(path)).stream().anyMatch(id -> id <= OSDS);
    }
    assertTrue(isSpread, "new files use what was merged");
    stop.set(true);
    int during = writer.get();
    for (int number = 0; number < during; number++) {
      written.put("/apart/during-" + number, 1_000 + number);
    }
    assertTrue(weft.run("events").contains("was merged into default"));
  }
}
