package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.CreateOptions;
import org.weft.client.FileStatus;
import org.weft.client.LayoutWish;
import org.weft.client.WeftClient;
import org.weft.client.WeftFiles;
import org.weft.client.WeftOutputStream;
import org.weft.client.WeftPath;
import org.weft.it.process.Await;
import org.weft.it.process.DaemonCluster;
import org.weft.it.process.WeftCli;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;

/**
 * {@code weft volume check} on real daemons: it finds nothing in a healthy volume beside a writer,
 * and names what was done to the stores of stopped OSDs (P 6.8d).
 */
class CheckTest {
  private static final int OSDS = 4;
  private static final int UNIT = 64 << 10;
  private static final int EXIT_FOUND = 12;
  private static final long DEADLINE_SECONDS = 60;
  private static final LayoutWish WIDE = LayoutWish.of(2, 1, UNIT);
  private static final LayoutWish MIRROR = LayoutWish.of(1, 1, UNIT);
  private static final WeftPath WITHOUT_COMPONENT = WeftPath.of("/tmp/without-component");
  private static final WeftPath WITH_WRONG_UNIT = WeftPath.of("/tmp/with-wrong-unit");
  private static final WeftPath GONE = WeftPath.of("/tmp/gone");

  @TempDir Path scratch;

  private static void write(WeftFiles files, WeftPath path, LayoutWish layout, int length)
      throws IOException {
    byte[] content = new byte[length];
    new Random(length).nextBytes(content);
    try (WeftOutputStream out = files.create(path, CreateOptions.newFile().withLayout(layout))) {
      new ByteArrayInputStream(content).transferTo(out);
    }
  }

  /** Makes, moves and removes files until it is told to end; how many. */
  private static int keepBusy(WeftFiles files, AtomicBoolean ended) throws IOException {
    WeftPath busy = WeftPath.of("/tmp/busy");
    var unused = files.mkdirs(busy, 0755);
    int turn = 0;
    for (; !ended.get(); turn++) {
      write(files, busy.child("made-" + turn), MIRROR, 1 + turn % 20_000);
      files.rename(busy.child("made-" + turn), busy.child("moved-" + turn), false);
      if (turn >= 10) {
        files.unlink(busy.child("moved-" + (turn - 10)));
      }
    }
    return turn;
  }

  private static List<StoreHarm> harms(WeftFiles files) throws IOException {
    FileStatus gone = files.attributes(GONE);
    StorageMap map = gone.map().orElseThrow();
    SortedSet<OsdId> holders = new TreeSet<>(map.components());
    holders.addAll(map.attributeOsds());
    List<StoreHarm> all = new ArrayList<>();
    holders.forEach(osd -> all.add(new StoreHarm(gone, osd, true)));
    for (WeftPath path : List.of(WITHOUT_COMPONENT, WITH_WRONG_UNIT)) {
      FileStatus file = files.attributes(path);
      List<OsdId> components = file.map().orElseThrow().components();
      OsdId osd = components.stream().filter(holders::contains).findFirst().orElseThrow();
      all.add(new StoreHarm(file, osd, path.equals(WITHOUT_COMPONENT)));
    }
    return all;
  }

  private static void harm(DaemonCluster cluster, List<StoreHarm> harms, SystemEnvironment system)
      throws Exception {
    // What the manager remembers of attributes would hide that they are gone.
    cluster.manager(1).stop();
    StoreHarm.toAll(cluster, harms, system);
    cluster.manager(1).start();
  }

  /** "kind path" of each finding. */
  private static SortedSet<String> found(String lines) throws IOException {
    SortedSet<String> all = new TreeSet<>();
    for (String line : lines.lines().filter(each -> each.startsWith("{")).toList()) {
      JsonNode node = new ObjectMapper().readTree(line);
      if (node.has("nextStep")) {
        String kind = node.get("kind").asText();
        assertTrue(all.add(kind + " " + node.get("path").asText()), "twice: " + line);
      }
    }
    // Some components are copies of attributes as well.
    all.remove("attributes-absent " + WITHOUT_COMPONENT);
    return all;
  }

  private static void assertNothingIsFoundBesideAWriter(WeftCli cli, WeftFiles files)
      throws Exception {
    AtomicBoolean ended = new AtomicBoolean();
    FutureTask<Integer> writer = new FutureTask<>(() -> keepBusy(files, ended));
    Thread thread = new Thread(writer, "busy");
    thread.start();
    WeftCli.Result beside;
    try {
      beside = cli.tryRun("volume", "check", "/", "--json");
    } finally {
      ended.set(true);
    }
    assertTrue(writer.get() > 0, "the writer has written");
    assertEquals(0, beside.exitCode(), beside::output);
  }

  @Test
  void whatIsWrongInStoresIsNamedAndNothingElse() throws Exception {
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS);
        SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("callbacks")) {
      WeftCli cli = cluster.cli();
      List<StoreHarm> harms;
      try (WeftClient client = DaemonCluster.connect(cluster.port(), "check", system, callbacks)) {
        WeftFiles files = client.files();
        write(files, WITHOUT_COMPONENT, WIDE, 300_000);
        write(files, WITH_WRONG_UNIT, WIDE, 300_001);
        write(files, GONE, MIRROR, 5_000);
        assertNothingIsFoundBesideAWriter(cli, files);
        WeftCli.Result healthy = cli.tryRun("volume", "check", "/", "--parity");
        assertEquals(0, healthy.exitCode(), healthy::output);
        harms = harms(files);
      }
      harm(cluster, harms, system);
      SortedSet<String> wanted =
          new TreeSet<>(
              List.of(
                  "component-absent " + WITHOUT_COMPONENT,
                  // What is absent reads as zeros.
                  "parity-differs " + WITHOUT_COMPONENT,
                  "name-without-object " + GONE,
                  "parity-differs " + WITH_WRONG_UNIT));
      WeftCli.Result[] last = {new WeftCli.Result(0, "")};
      Await.until(
          DEADLINE_SECONDS,
          () -> wanted + ": " + last[0].output(),
          () -> {
            // An OSD that is not back yet is not asked.
            last[0] = cli.tryRun("volume", "check", "/", "--parity", "--json");
            return last[0].exitCode() == EXIT_FOUND && found(last[0].output()).equals(wanted);
          });
    } catch (CompletionException e) {
      throw new AssertionError("a store took no harm", e);
    }
  }
}
