package org.weft.it.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.CreateOptions;
import org.weft.client.WeftClient;
import org.weft.client.WeftFiles;
import org.weft.client.WeftInputStream;
import org.weft.client.WeftOutputStream;
import org.weft.client.WeftPath;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.soak.process.DaemonCluster;

/**
 * Files that grow, on real daemons (P 5.6, 5.8, 6.5). Another client reads flushed bytes while the
 * file is written, and a writer continues when an OSD is killed under it.
 */
@Tag("long")
class AppendClusterTest {
  private static final int OSDS = 6;
  private static final int FILES = 4;
  private static final int FILE_BYTES = 3_000_000;

  @TempDir Path scratch;

  /** One file, its writer, and a reader that follows it. */
  private static final class Growing {
    private final WeftPath path;
    private final byte[] content = new byte[FILE_BYTES];
    private WeftOutputStream output;
    private WeftInputStream tail;
    private int written;
    private int read;

    Growing(int number, WeftFiles writer, WeftFiles reader) throws IOException {
      path = WeftPath.of("/tmp/growing-" + number);
      new Random(number).nextBytes(content);
      output = writer.create(path, CreateOptions.newFile());
      tail = reader.open(path);
    }

    void write(int count, boolean durable) throws IOException {
      output.write(content, written, count);
      written += count;
      if (durable) {
        output.hsync();
      } else {
        output.hflush();
      }
    }

    /** As {@code tail -f}: to the end, look again, and on. */
    void follow() throws IOException {
      assertEquals(written, tail.refresh());
      byte[] news = new byte[written - read];
      assertEquals(news.length, tail.readNBytes(news, 0, news.length));
      assertArrayEquals(Arrays.copyOfRange(content, read, written), news);
      assertEquals(-1, tail.read());
      read = written;
    }
  }

  @Test
  void filesGrowUnderTheirReadersThoughAnOsdIsKilled() throws Exception {
    try (DaemonCluster cluster = DaemonCluster.start(scratch, OSDS);
        SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("callbacks")) {
      int port = cluster.port();
      try (WeftClient writer = DaemonCluster.connect(port, "append-test", system, callbacks);
          WeftClient reader = DaemonCluster.connect(port, "append-test", system, callbacks)) {
        grow(writer.files(), reader.files(), cluster);
      }
      cluster.stop();
    }
  }

  private static void grow(WeftFiles writer, WeftFiles reader, DaemonCluster cluster)
      throws Exception {
    Random random = new Random(20_261_121L);
    List<Growing> files = new ArrayList<>();
    for (int number = 0; number < FILES; number++) {
      files.add(new Growing(number, writer, reader));
    }
    someSteps(files, random);
    DaemonCluster.kill(cluster.osd(1 + random.nextInt(OSDS)));
    someSteps(files, random);
    for (Growing file : files) {
      file.output.close();
      assertEquals(file.written, file.output.status().sizeBytes());
      file.output = writer.append(file.path);
      assertEquals(file.written, file.output.positionBytes());
    }
    someSteps(files, random);
    for (Growing file : files) {
      file.output.close();
      try (WeftInputStream whole = reader.open(file.path)) {
        assertArrayEquals(Arrays.copyOf(file.content, file.written), whole.readAllBytes());
      }
      assertTrue(file.written > 0);
    }
  }

  private static void someSteps(List<Growing> files, Random random) throws IOException {
    for (int step = 0; step < 6; step++) {
      for (Growing file : files) {
        int[] lengths = {7, 5_000, 70_000, 160_000};
        file.write(lengths[random.nextInt(lengths.length)], random.nextInt(3) == 0);
        file.follow();
      }
    }
  }
}
