package org.weft.hadoop.ends;

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
import org.weft.client.WeftInputStream;
import org.weft.client.WeftOutputStream;
import org.weft.client.WeftPath;
import org.weft.hadoop.SharedCluster;

/** Calls that are under way when their client is closed. */
@Timeout(300)
class ClosedInUseTest {
  private static final int ROUNDS = 10 * Integer.getInteger("weft.times", 1);
  private static final int READERS = 8;
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

  @Test
  void readsFailWhenTheirClientIsClosed() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      List<Thread> readers = new ArrayList<>();
      Weft weft = Weft.connect(address);
      try {
        CountDownLatch begun = new CountDownLatch(READERS);
        WeftInputStream in = weft.files().open(FILE);
        for (int reader = 0; reader < READERS; reader++) {
          int seed = round * READERS + reader;
          Thread thread = new Thread(() -> readOn(in, seed, begun), "reader-" + seed);
          thread.setDaemon(true);
          thread.start();
          readers.add(thread);
        }
        assertTrue(begun.await(END_SECONDS, TimeUnit.SECONDS));
      } finally {
        weft.close();
      }
      for (Thread reader : readers) {
        reader.join(TimeUnit.SECONDS.toMillis(END_SECONDS));
        assertTrue(
            !reader.isAlive(),
            () -> reader.getName() + " waits: " + List.of(reader.getStackTrace()));
      }
    }
  }
}
