package org.weft.hadoop.ends;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.weft.client.CreateOptions;
import org.weft.client.Weft;
import org.weft.client.WeftFiles;
import org.weft.client.WeftInputStream;
import org.weft.client.WeftOutputStream;
import org.weft.client.WeftPath;
import org.weft.hadoop.SharedCluster;

/** Calls that are under way when their client is closed. */
@Timeout(300)
class ClosedInUseTest {
  private static final int ROUNDS = 4 * Integer.getInteger("weft.times", 1);
  private static final int THREADS = 8;
  private static final int FILE_BYTES = 6 << 20;
  private static final int READ_BYTES = 100_000;
  private static final int END_SECONDS = 60;
  private static final WeftPath FILE = WeftPath.of("/tmp/closed-in-use");

  private final String address = SharedCluster.get().uri().substring("weft://".length());

  @BeforeEach
  void write() throws IOException {
    SharedCluster.get().makeHome();
    try (Weft weft = Weft.connect(address);
        WeftOutputStream out = weft.files().create(FILE, CreateOptions.replacing())) {
      byte[] content = new byte[FILE_BYTES];
      new Random(1).nextBytes(content);
      out.write(content);
    }
  }

  /** Reads until that fails. */
  private static void readOn(WeftInputStream in, int seed, CountDownLatch begun) {
    Random random = new Random(seed);
    byte[] target = new byte[READ_BYTES];
    try {
      while (true) {
        int count = in.read(random.nextInt(FILE_BYTES), target, 0, READ_BYTES);
        assertTrue(count > 0);
        begun.countDown();
      }
    } catch (IOException e) {
      begun.countDown();
    }
  }

  /** Writes and flushes until that fails. */
  private static void writeOn(WeftOutputStream out, CountDownLatch begun) {
    byte[] content = new byte[READ_BYTES];
    try {
      while (true) {
        out.write(content);
        out.hflush();
        begun.countDown();
      }
    } catch (IOException e) {
      begun.countDown();
    }
  }

  /** Makes, lists and removes until that fails. */
  private static void nameOn(WeftFiles files, String name, CountDownLatch begun) {
    WeftPath directory = WeftPath.of("/tmp/closed-in-use-" + name);
    try {
      while (true) {
        files.mkdirs(directory, 0755);
        assertEquals(List.of(), files.listAll(directory));
        files.rmdir(directory);
        begun.countDown();
      }
    } catch (IOException e) {
      begun.countDown();
    }
  }

  private static Thread start(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void assertEnds(List<Thread> threads) throws InterruptedException {
    for (Thread thread : threads) {
      thread.join(TimeUnit.SECONDS.toMillis(END_SECONDS));
      assertTrue(
          !thread.isAlive(), () -> thread.getName() + " waits: " + List.of(thread.getStackTrace()));
    }
  }

  @Test
  void readsFailWhenTheirClientIsClosed() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      List<Thread> readers = new ArrayList<>();
      try (Weft weft = Weft.connect(address)) {
        CountDownLatch begun = new CountDownLatch(THREADS);
        WeftInputStream in = weft.files().open(FILE);
        for (int reader = 0; reader < THREADS; reader++) {
          int seed = round * THREADS + reader;
          readers.add(start("reader-" + seed, () -> readOn(in, seed, begun)));
        }
        assertTrue(begun.await(END_SECONDS, TimeUnit.SECONDS));
      }
      assertEnds(readers);
    }
  }

  @Test
  void writesFailWhenTheirClientIsClosed() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      List<Thread> writers = new ArrayList<>();
      try (Weft weft = Weft.connect(address)) {
        CountDownLatch begun = new CountDownLatch(THREADS);
        for (int writer = 0; writer < THREADS; writer++) {
          String name = round + "-" + writer;
          WeftOutputStream out =
              weft.files()
                  .create(WeftPath.of("/tmp/closed-in-use-" + name), CreateOptions.replacing());
          writers.add(start("writer-" + name, () -> writeOn(out, begun)));
        }
        assertTrue(begun.await(END_SECONDS, TimeUnit.SECONDS));
      }
      assertEnds(writers);
    }
  }

  @Test
  void callsAboutNamesFailWhenTheirClientIsClosed() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      List<Thread> callers = new ArrayList<>();
      try (Weft weft = Weft.connect(address)) {
        CountDownLatch begun = new CountDownLatch(THREADS);
        for (int caller = 0; caller < THREADS; caller++) {
          String name = "d" + round + "-" + caller;
          callers.add(start("caller-" + name, () -> nameOn(weft.files(), name, begun)));
        }
        assertTrue(begun.await(END_SECONDS, TimeUnit.SECONDS));
      }
      assertEnds(callers);
    }
  }
}
