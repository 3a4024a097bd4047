package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
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
import org.weft.protocol.wire.NodeState;
import org.weft.soak.process.ClusterWatch;
import org.weft.soak.process.DaemonCluster;
import org.weft.soak.process.FileTree;
import org.weft.soak.process.WeftCli;
import org.weft.testkit.process.Await;

/**
 * Real daemons: an OSD is killed and its directory deleted, an operator reports it, and its
 * components come to be on others. Then another OSD dies, and every file can still be read (P 6.8).
 */
@Tag("long")
class LostForGoodTest {
  private static final int OSDS = 6;
  private static final int UNIT = 64 << 10;
  private static final LayoutSpec WIDE = LayoutSpec.of(4, 1, UNIT);
  private static final LayoutSpec MIRROR = LayoutSpec.of(1, 1, UNIT);
  private static final int FILES = 12;
  private static final int LARGE_BYTES = 5_000_000;
  private static final int SMALL_BYTES = 3_000;
  private static final long DEADLINE_SECONDS = 120;

  @TempDir Path scratch;

  private static boolean isElsewhere(WeftFiles files, WeftPath path, int lost) throws IOException {
    StorageMap map = files.attributes(path).map().orElseThrow();
    return map.missing().isEmpty()
        && !map.components().contains(new OsdId(lost))
        && !map.attributeOsds().contains(new OsdId(lost));
  }

  @Test
  void goneOsdIsRebuiltAndASecondLossIsBorne() throws Exception {
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS);
        SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("callbacks")) {
      SortedMap<WeftPath, byte[]> contents =
          new TreeMap<>(Comparator.comparing(WeftPath::toString));
      try (WeftClient client =
          DaemonCluster.connect(cluster.port(), "lost-for-good", system, callbacks)) {
        WeftFiles files = client.files();
        files.mkdirs(WeftPath.of("/tmp/a/b"), 0755);
        for (int number = 0; number < FILES; number++) {
          byte[] content = new byte[number % 2 == 0 ? LARGE_BYTES : SMALL_BYTES];
          new Random(number).nextBytes(content);
          WeftPath path = WeftPath.of("/tmp/a/b/" + number);
          LayoutSpec layout = number % 3 == 0 ? MIRROR : WIDE;
          try (WeftOutputStream out =
              files.create(path, CreateOptions.newFile().withLayout(layout))) {
            new ByteArrayInputStream(content).transferTo(out);
          }
          contents.put(path, content);
        }
        StorageMap map = files.attributes(WeftPath.of("/tmp/a/b/2")).map().orElseThrow();
        int lost = map.osdOf(0).value();
        WeftCli cli = new WeftCli(cluster.port());
        WeftCli.Result early = cli.tryRun("osd", "remove", "osd-" + lost);
        assertTrue(early.exitCode() != 0 && early.output().contains("down"), early::output);
        DaemonCluster.kill(cluster.osd(lost));
        FileTree.delete(scratch.resolve("data").resolve("osd-" + lost));
        ClusterWatch watch = new ClusterWatch(ClientParts.of(client).cluster());
        watch.awaitState(DEADLINE_SECONDS, lost, NodeState.DOWN);
        assertEquals(
            "osd-" + lost + " is removed; what it held is rebuilt on others.",
            cli.run("osd", "remove", "osd-" + lost).strip());
        for (WeftPath path : contents.keySet()) {
          Await.until(
              DEADLINE_SECONDS,
              () -> path + " is on OSDs that are there",
              () -> isElsewhere(files, path, lost));
        }
        List<OsdId> now =
            files.attributes(WeftPath.of("/tmp/a/b/2")).map().orElseThrow().components();
        int second = now.get(1).value();
        DaemonCluster.kill(cluster.osd(second));
      }
      try (WeftClient stranger =
          DaemonCluster.connect(cluster.port(), "stranger", system, callbacks)) {
        for (var each : contents.entrySet()) {
          try (InputStream in = stranger.files().open(each.getKey())) {
            assertArrayEquals(each.getValue(), in.readAllBytes(), each.getKey().toString());
          }
        }
      }
    }
  }
}
