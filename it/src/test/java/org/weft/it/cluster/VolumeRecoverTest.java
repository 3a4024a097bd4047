package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.AttributeChanges;
import org.weft.client.FileStatus;
import org.weft.client.WeftClient;
import org.weft.client.WeftFiles;
import org.weft.client.WeftInputStream;
import org.weft.client.WeftPath;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.soak.process.DaemonCluster;
import org.weft.soak.process.FileTree;
import org.weft.soak.process.WeftProcess;

/**
 * The manager of a volume loses its disk: a new one recovers it from its OSDs, although it is
 * killed on the way (P 6.8e).
 */
@Tag("long")
class VolumeRecoverTest {
  private static final int OSDS = 4;
  private static final int DIRECTORIES = 3;
  private static final int FILES = 12;
  private static final int MAX_BYTES = 200_000;
  private static final int WIDE_BYTES = 3_000_000;
  private static final WeftPath TOP = WeftPath.of("/tree");

  @TempDir Path scratch;

  /** Files of all sizes, with modes of their own. */
  private static Map<WeftPath, byte[]> populate(WeftFiles files) throws IOException {
    Random random = new Random(95_610_000);
    Map<WeftPath, byte[]> contents = new TreeMap<>(Comparator.comparing(WeftPath::toString));
    for (int directory = 0; directory < DIRECTORIES; directory++) {
      WeftPath in = TOP.child("d" + directory).child("below");
      var unused = files.mkdirs(in, 0750);
      for (int file = 0; file < FILES; file++) {
        byte[] content = new byte[file == 0 ? 0 : random.nextInt(MAX_BYTES)];
        random.nextBytes(content);
        contents.put(in.child("f" + file), content);
      }
    }
    byte[] wide = new byte[WIDE_BYTES];
    random.nextBytes(wide);
    contents.put(TOP.child("wide"), wide);
    for (Map.Entry<WeftPath, byte[]> each : contents.entrySet()) {
      var unused = files.write(each.getKey(), new ByteArrayInputStream(each.getValue()));
      int mode = each.getValue().length % 2 == 0 ? 0640 : 0755;
      var unusedToo = files.setAttributes(each.getKey(), AttributeChanges.none().withMode(mode));
    }
    return contents;
  }

  /** All below a directory, as a stranger sees it. */
  private static List<String> tree(WeftFiles files, WeftPath directory) throws IOException {
    List<String> all = new ArrayList<>();
    for (FileStatus each : files.listAll(directory)) {
      all.add(
          "%s %s %o %s:%s %d %d"
              .formatted(
                  each.path(),
                  each.type(),
                  each.mode(),
                  each.owner(),
                  each.group(),
                  each.sizeBytes(),
                  each.mtimeMillis()));
      if (each.isDirectory()) {
        all.addAll(tree(files, each.path()));
      }
    }
    return all;
  }

  @Test
  void aVolumeWhoseManagerLostItsDiskComesBackFromItsOsds() throws Exception {
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS);
        SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("callbacks")) {
      Map<WeftPath, byte[]> contents;
      List<String> before;
      try (WeftClient client = DaemonCluster.connect(cluster.port(), "maker", system, callbacks)) {
        contents = populate(client.files());
        before = tree(client.files(), TOP);
      }
      // In order, so that all of it is on OSDs.
      cluster.manager(1).stop();
      FileTree.delete(cluster.dataOf(cluster.manager(1)));
      cluster.manager(1).start();
      try (WeftProcess recovery =
          WeftProcess.start(
              scratch, "volume", "recover", "/", "--cluster", "127.0.0.1:" + cluster.port())) {
        recovery.awaitLine(line -> line.contains("volume recover: /"));
        DaemonCluster.kill(cluster.manager(1));
        cluster.manager(1).start();
        assertEquals(0, recovery.awaitEnd(), recovery::output);
        assertTrue(recovery.output().contains("Volume / is recovered"), recovery::output);
      }
      try (WeftClient client = DaemonCluster.connect(cluster.port(), "reader", system, callbacks)) {
        assertEquals(before, tree(client.files(), TOP));
        for (Map.Entry<WeftPath, byte[]> each : contents.entrySet()) {
          try (WeftInputStream in = client.files().open(each.getKey())) {
            assertArrayEquals(each.getValue(), in.readAllBytes(), each.getKey()::toString);
          }
        }
      }
    }
  }
}
