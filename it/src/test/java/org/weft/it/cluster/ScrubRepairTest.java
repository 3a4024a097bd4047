package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.CreateOptions;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftClient;
import org.weft.client.WeftOutputStream;
import org.weft.client.WeftPath;
import org.weft.client.internal.ClientParts;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.NodeState;
import org.weft.soak.process.ClusterWatch;
import org.weft.soak.process.DaemonCluster;
import org.weft.soak.process.WeftCli;
import org.weft.testkit.process.Await;

/**
 * Real daemons: bits flip in the segment files of a running OSD. It is told to read all that it
 * stores, and everything is whole again. Then another OSD dies (P 6.8b).
 */
@Tag("long")
class ScrubRepairTest {
  private static final int OSDS = 6;
  private static final int UNIT = 64 << 10;
  private static final int BLOCK = 4096;
  private static final LayoutSpec WIDE = LayoutSpec.of(4, 1, UNIT);
  private static final LayoutSpec MIRROR = LayoutSpec.of(1, 1, UNIT);
  private static final int FILES = 8;
  private static final int LARGE_BYTES = 3_000_000;
  private static final int SMALL_BYTES = 3_000;
  private static final int HARMED_BLOCKS = 150;
  private static final long DEADLINE_SECONDS = 120;

  @TempDir Path scratch;

  /** Flips a bit in blocks that hold something, spread over all that do. */
  private static int harm(Path segments) throws IOException {
    int harmed = 0;
    try (Stream<Path> files = Files.list(segments)) {
      for (Path each : files.sorted().toList()) {
        try (RandomAccessFile file = new RandomAccessFile(each.toFile(), "rw")) {
          byte[] block = new byte[BLOCK];
          for (long at = 0;
              at + BLOCK <= file.length() && harmed < HARMED_BLOCKS;
              at += 5 * BLOCK) {
            file.seek(at);
            file.readFully(block);
            if (block[100] != 0 && block[200] != 0) {
              file.seek(at + 100);
              file.write(block[100] ^ 4);
              harmed++;
            }
          }
        }
      }
    }
    return harmed;
  }

  private static String scrubbed(WeftCli cli, Path token, String... more) throws Exception {
    Stream<String> words =
        Stream.concat(
            Stream.of("osd", "scrub", "osd-1", "--json", "--join-token-file", token.toString()),
            Stream.of(more));
    return cli.run(words.toArray(String[]::new));
  }

  private static boolean isWell(WeftCli cli, Path token) throws IOException {
    try {
      String now = scrubbed(cli, token);
      return now.contains("\"underWay\":false") && now.contains("\"badBlocks\":0");
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  @Test
  void scrubRepairsDamageAndAnotherOsdLossIsBorne() throws Exception {
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS);
        SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("callbacks")) {
      SortedMap<WeftPath, byte[]> contents =
          new TreeMap<>(Comparator.comparing(WeftPath::toString));
      WeftCli cli = cluster.cli();
      Path token;
      try (Stream<Path> all = Files.walk(scratch)) {
        token =
            all.filter(each -> each.endsWith("join-token") && Files.isRegularFile(each))
                .findFirst()
                .orElseThrow();
      }
      try (WeftClient client = DaemonCluster.connect(cluster.port(), "scrub", system, callbacks)) {
        client.files().mkdirs(WeftPath.of("/tmp/a"), 0755);
        for (int number = 0; number < FILES; number++) {
          byte[] content = new byte[number % 2 == 0 ? LARGE_BYTES : SMALL_BYTES];
          new Random(number).nextBytes(content);
          WeftPath path = WeftPath.of("/tmp/a/" + number);
          CreateOptions options =
              CreateOptions.newFile().withLayout(number % 3 == 0 ? MIRROR : WIDE);
          try (WeftOutputStream out = client.files().create(path, options)) {
            new ByteArrayInputStream(content).transferTo(out);
          }
          contents.put(path, content);
        }
        int harmed = harm(cluster.dataOf(cluster.osd(1)).resolve("segments"));
        assertTrue(harmed > 10, "too little is stored on the OSD: " + harmed);
        assertTrue(scrubbed(cli, token, "--now").contains("\"underWay\":true"));
        Await.until(
            DEADLINE_SECONDS,
            () -> "all blocks are found and written anew",
            () -> !scrubbed(cli, token).contains("\"passes\":0") && isWell(cli, token));
        String status = cli.run("status", "--json");
        assertTrue(status.contains("\"hopelessBlocks\" : 0"), status);
        assertTrue(status.matches("(?s).*\"repairedBlocks\" : [1-9].*"), status);
        String damage = cli.run("volume", "damage", "/");
        assertFalse(damage.contains("/tmp/"), damage);
        DaemonCluster.kill(cluster.osd(2));
        new ClusterWatch(ClientParts.of(client).cluster())
            .awaitState(DEADLINE_SECONDS, 2, NodeState.DOWN);
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
