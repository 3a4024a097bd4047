package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.cli.quickstart.DaemonProcess;
import org.weft.client.CreateOptions;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftClient;
import org.weft.client.WeftFiles;
import org.weft.client.WeftOutputStream;
import org.weft.client.WeftPath;
import org.weft.client.internal.ClientParts;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.NodeState;
import org.weft.soak.process.AddedOsds;
import org.weft.soak.process.ClusterWatch;
import org.weft.soak.process.DaemonCluster;
import org.weft.soak.process.FileTree;
import org.weft.soak.process.WeftCli;
import org.weft.soak.process.WeftProcess;
import org.weft.testkit.process.Await;

/**
 * Real daemons: in the middle of a rebuild the only spare dies with its disk, or that disk is full.
 * Nothing is lost, the rebuild ends once there is another OSD, and then another loss is borne (P
 * 6.8).
 */
@Tag("long")
class RebuildUnderHarmTest {
  private static final int OSDS = 3;
  private static final int LOST = 1;
  private static final int FIRST_SPARE = OSDS + 1;
  private static final int SECOND_SPARE = OSDS + 2;
  private static final int FILES = 60;
  private static final int BYTES = 1_000_000;
  private static final String SMALL_DISK = "size=24m";
  private static final LayoutSpec WIDE = LayoutSpec.of(2, 1, 64 << 10);
  private static final long DEADLINE_SECONDS = 300;

  @TempDir Path scratch;

  private static WeftPath path(int number) {
    return WeftPath.of("/file-" + number);
  }

  private static byte[] content(int number) {
    byte[] content = new byte[BYTES + number];
    new Random(number).nextBytes(content);
    return content;
  }

  private static void fill(WeftFiles files) throws Exception {
    for (int number = 0; number < FILES; number++) {
      try (WeftOutputStream out =
          files.create(path(number), CreateOptions.newFile().withLayout(WIDE))) {
        new ByteArrayInputStream(content(number)).transferTo(out);
      }
    }
  }

  private static void assertAllIsRead(WeftFiles files) throws IOException {
    for (int number = 0; number < FILES; number++) {
      try (InputStream in = files.open(path(number))) {
        assertArrayEquals(content(number), in.readAllBytes(), path(number).toString());
      }
    }
  }

  private static boolean isOn(WeftFiles files, int number, int osd) throws IOException {
    return files.attributes(path(number)).map().orElseThrow().components().contains(new OsdId(osd));
  }

  private static long componentsOn(WeftFiles files, int osd) throws IOException {
    long components = 0;
    for (int number = 0; number < FILES; number++) {
      components += isOn(files, number, osd) ? 1 : 0;
    }
    return components;
  }

  /** The OSD loses its process and its disk, and is removed from the cluster. */
  private void lose(DaemonCluster cluster, ClusterWatch watch) throws Exception {
    DaemonProcess osd = cluster.osd(LOST);
    DaemonCluster.kill(osd);
    FileTree.delete(cluster.dataOf(osd));
    remove(cluster.cli(), watch, LOST);
  }

  private static void remove(WeftCli cli, ClusterWatch watch, int osd) throws Exception {
    watch.awaitState(DEADLINE_SECONDS, osd, NodeState.DOWN);
    cli.run("osd", "remove", "osd-" + osd);
  }

  private static void awaitWhole(DaemonCluster cluster, WeftFiles files) throws Exception {
    Await.until(
        DEADLINE_SECONDS,
        () -> "no file lacks a component: " + cluster.cli().tryRun("status").output(),
        () -> componentsOn(files, LOST) == 0 && cluster.status().isWhole());
  }

  /** A new client reads all of it, with one OSD of three dead. */
  private static void assertAnotherLossIsBorne(
      DaemonCluster cluster, SystemEnvironment system, OwnedExecutor callbacks) throws Exception {
    DaemonCluster.kill(cluster.osd(OSDS));
    try (WeftClient stranger =
        DaemonCluster.connect(cluster.port(), "stranger", system, callbacks)) {
      assertAllIsRead(stranger.files());
    }
  }

  /** Not one of them, and not all, have moved. */
  private static void awaitMiddle(WeftFiles files) throws Exception {
    Await.until(
        DEADLINE_SECONDS,
        () -> "something is on the spare",
        () -> {
          for (int number = 0; number < FILES; number++) {
            if (isOn(files, number, FIRST_SPARE)) {
              return true;
            }
          }
          return false;
        });
  }

  @Test
  void anotherOsdTakesOverFromASpareThatDies() throws Exception {
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS);
        AddedOsds added = new AddedOsds(scratch, cluster);
        SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("callbacks");
        WeftClient client = DaemonCluster.connect(cluster.port(), "dying", system, callbacks)) {
      ClusterWatch watch = new ClusterWatch(ClientParts.of(client).cluster());
      fill(client.files());
      Path disk = scratch.resolve("first");
      WeftProcess spare = added.start(disk, "osd.capacity=2g");
      watch.awaitState(DEADLINE_SECONDS, FIRST_SPARE, NodeState.UP);
      lose(cluster, watch);
      awaitMiddle(client.files());
      spare.kill();
      FileTree.delete(disk);
      long moved = componentsOn(client.files(), FIRST_SPARE);
      assertTrue(moved < FILES, "all of it had been rebuilt before");
      // What had moved lacks what the spare had, and the rest what the first one had.
      assertAllIsRead(client.files());
      remove(cluster.cli(), watch, FIRST_SPARE);
      var unused = added.start(scratch.resolve("second"), "osd.capacity=2g");
      watch.awaitState(DEADLINE_SECONDS, SECOND_SPARE, NodeState.UP);
      awaitWhole(cluster, client.files());
      assertEquals(0, componentsOn(client.files(), FIRST_SPARE), "named though it is removed");
      assertEquals(FILES, componentsOn(client.files(), SECOND_SPARE));
      assertAnotherLossIsBorne(cluster, system, callbacks);
    }
  }

  @Test
  void anotherOsdTakesWhatAFullSpareCannot() throws Exception {
    Path disk = Files.createDirectories(scratch.resolve("small"));
    String why = run("mount", "-t", "tmpfs", "-o", SMALL_DISK, "none", disk.toString());
    assumeTrue(why.isEmpty(), "nothing can be mounted here: " + why);
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS);
        AddedOsds added = new AddedOsds(scratch, cluster);
        SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("callbacks");
        WeftClient client = DaemonCluster.connect(cluster.port(), "full", system, callbacks)) {
      ClusterWatch watch = new ClusterWatch(ClientParts.of(client).cluster());
      fill(client.files());
      WeftProcess spare = added.start(disk.resolve("osd"), "osd.capacity=2g");
      watch.awaitState(DEADLINE_SECONDS, FIRST_SPARE, NodeState.UP);
      lose(cluster, watch);
      Await.until(
          DEADLINE_SECONDS,
          () -> "the status tells of the full disk: " + cluster.cli().tryRun("status").output(),
          () -> isToldFull(cluster.cli().tryRun("status", "--json").output()));
      assertTrue(componentsOn(client.files(), FIRST_SPARE) < FILES, "all of it found room");
      assertAllIsRead(client.files());
      var unused = added.start(scratch.resolve("second"), "osd.capacity=2g");
      watch.awaitState(DEADLINE_SECONDS, SECOND_SPARE, NodeState.UP);
      if (cluster.cli().tryRun("osd", "remove", "osd-" + FIRST_SPARE).exitCode() == 0) {
        // Its store takes no changes any more: SysMgr calls it down.
        spare.kill();
      }
      awaitWhole(cluster, client.files());
      assertTrue(componentsOn(client.files(), SECOND_SPARE) > 0, "nothing is on the other OSD");
      assertAnotherLossIsBorne(cluster, system, callbacks);
    } finally {
      assertEquals("", run("umount", disk.toString()));
    }
  }

  private static boolean isToldFull(String status) {
    return status.contains("rebuild-without-spare") || status.contains("osd-store-failed");
  }

  /** Empty, or why it failed. */
  private static String run(String... command) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int exitCode = process.waitFor();
      return exitCode == 0 ? "" : String.join(" ", command) + " says " + said.strip();
    } catch (IOException e) {
      return e.toString();
    }
  }
}
