package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.CreateOptions;
import org.weft.client.WeftClient;
import org.weft.client.WeftFile;
import org.weft.client.WeftPath;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.soak.process.DaemonCluster;
import org.weft.soak.process.WeftProcess;
import org.weft.testkit.process.Await;

/**
 * A shared file is truncated and grown on real daemons, beside a client that reads and writes it (P
 * 6.5.75 to 6.5.81). The truncating client is also killed with {@code kill -9} meanwhile.
 */
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SharedCutClusterTest {
  private static final int OSDS = 5;
  private static final int ROUNDS = 4;
  private static final int CUTS = 12;
  private static final int WAIT_SECONDS = 120;

  private final SystemEnvironment system = SystemEnvironment.create();
  private final OwnedExecutor callbacks =
      system.environment().scheduler().newSerialExecutor("callbacks");
  private final byte[] content = CuttingClient.content();
  private DaemonCluster cluster;
  private WeftClient first;
  private WeftClient second;

  @BeforeAll
  void start(@TempDir Path scratch) throws Exception {
    cluster = DaemonCluster.start(scratch, OSDS);
    first = DaemonCluster.connect(cluster.port(), "first", system, callbacks);
    second = DaemonCluster.connect(cluster.port(), "second", system, callbacks);
  }

  @AfterAll
  void stop() throws Exception {
    first.close();
    second.close();
    callbacks.close();
    system.close();
    cluster.close();
  }

  private static <T> T get(CompletableFuture<T> call) throws Exception {
    return call.get(WAIT_SECONDS, TimeUnit.SECONDS);
  }

  private void create(WeftPath path) throws Exception {
    first.files().create(path, CreateOptions.newFile()).close();
  }

  private static WeftFile share(WeftClient client, WeftPath path) throws Exception {
    return client.files().openForUpdate(path, true);
  }

  private static byte[] read(WeftFile file) throws Exception {
    ByteBuffer target = ByteBuffer.allocate(2 * CuttingClient.MAX_BYTES);
    int count = get(file.read(0, target));
    return Arrays.copyOf(target.array(), Math.max(0, count));
  }

  private static void close(WeftFile... files) throws Exception {
    for (WeftFile file : files) {
      var closed = get(file.close());
    }
  }

  @Test
  void sharedFileIsTruncatedAndGrownBesideAnotherClient() throws Exception {
    WeftPath path = WeftPath.of("/beside");
    create(path);
    WeftFile one = share(first, path);
    WeftFile two = share(second, path);
    int last = content.length - 100;
    for (int round = 0; round < ROUNDS; round++) {
      get(two.write(0, ByteBuffer.wrap(content)));
      List<CompletableFuture<?>> beside = new ArrayList<>();
      for (int each = 0; each < CUTS; each++) {
        beside.add(two.write(each * 100, ByteBuffer.wrap(content, each * 100, 100)));
        beside.add(two.read(each * 40_000, ByteBuffer.allocate(50_000)));
      }
      int cut = 1_200 + round * 130_000;
      get(one.setLength(cut));
      for (CompletableFuture<?> each : beside) {
        var done = get(each);
      }
      assertArrayEquals(Arrays.copyOf(content, cut), read(two), "round " + round);
      get(two.write(last, ByteBuffer.wrap(content, last, 100)));
      byte[] expected = Arrays.copyOf(Arrays.copyOf(content, cut), content.length);
      System.arraycopy(content, last, expected, last, 100);
      assertArrayEquals(expected, read(one), "round " + round);
      get(one.setLength(content.length + 5_000));
      assertArrayEquals(Arrays.copyOf(expected, content.length + 5_000), read(two));
      get(two.setLength(0));
      assertEquals(0, read(one).length);
    }
    close(one, two);
    assertEquals(0, first.files().attributes(path).sizeBytes());
  }

  @Test
  void truncationOfAKilledClientHoldsForTheOthers() throws Exception {
    WeftPath path = WeftPath.of("/killed");
    create(path);
    WeftFile other = share(first, path);
    for (int round = 0; round < ROUNDS; round++) {
      try (WeftProcess client =
          WeftProcess.startMain(
              CuttingClient.class, "" + cluster.port(), path.toString(), "" + round)) {
        awaitCuts(client, CUTS + round);
        // It is killed in whatever step it is by then.
        client.kill();
        assertCut(other, client.lines());
      }
    }
    close(other);
    try (InputStream in = second.files().open(path)) {
      assertArrayEquals(new byte[100], Arrays.copyOfRange(in.readAllBytes(), 0, 100));
    }
  }

  private static void awaitCuts(WeftProcess client, int count) throws Exception {
    Await.until(
        WAIT_SECONDS,
        () -> "no progress:\n" + client.output(),
        () -> {
          assertTrue(client.isAlive(), () -> "the client ended by itself:\n" + client.output());
          return client.lines().stream().filter(line -> line.startsWith("cut ")).count() >= count;
        });
  }

  /** What is left is a beginning of what was written, and behind it nothing that was cut. */
  private void assertCut(WeftFile other, List<String> said) throws Exception {
    byte[] left = read(other);
    String lastCut =
        said.stream().filter(line -> line.startsWith("cut ")).reduce((a, b) -> b).orElseThrow();
    int cut = Integer.parseInt(lastCut.substring("cut ".length()));
    boolean isOver = said.get(said.size() - 1).equals("done");
    assertTrue(left.length >= cut, left.length + " bytes after " + said);
    assertTrue(isOver || left.length == cut || left.length == content.length, lastCut);
    for (int at = 0; at < left.length; at++) {
      // Once it was cut it may have begun to fill the file again, wherever.
      boolean mayBeEmpty = isOver && at >= cut;
      assertTrue(left[at] == content[at] || mayBeEmpty && left[at] == 0, lastCut + ": byte " + at);
    }
    int longer = content.length + 1_000;
    get(other.setLength(longer));
    assertArrayEquals(Arrays.copyOf(left, longer), read(other));
    get(other.write(0, ByteBuffer.wrap(new byte[longer])));
    get(other.setLength(100));
    assertArrayEquals(new byte[100], read(other));
  }
}
