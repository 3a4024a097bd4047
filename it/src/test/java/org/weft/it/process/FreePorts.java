package org.weft.it.process;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Random;
import java.util.stream.IntStream;

/** Finds a port base with which a quickstart finds all its ports free. */
public final class FreePorts {
  private static final int FIRST = 20_000;
  private static final int RANGE = 10_000;
  private static final int TRIES = 200;

  /** Daemons in processes of their own answer /metrics that much higher. */
  private static final int METRICS = 1_000;

  private FreePorts() {}

  public static int base(int osds) {
    Random random = new Random();
    for (int i = 0; i < TRIES; i++) {
      int base = FIRST + random.nextInt(RANGE);
      IntStream offsets =
          IntStream.concat(
              IntStream.of(0, 1, 2, 10, 11, 12, METRICS + 10, METRICS + 11, METRICS + 12),
              IntStream.range(100, 100 + osds));
      if (offsets.allMatch(offset -> isFree(base + offset))
          && IntStream.range(100, 100 + osds).allMatch(osd -> isFree(base + METRICS + osd))) {
        return base;
      }
    }
    throw new IllegalStateException("no run of free ports on loopback");
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress("127.0.0.1", port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
