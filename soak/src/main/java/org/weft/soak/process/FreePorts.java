package org.weft.soak.process;

import java.util.Random;
import java.util.stream.IntStream;
import org.weft.testkit.process.LoopbackPorts;

/** Finds a port base with which a quickstart finds all its ports free. */
public final class FreePorts {
  /** All lie below 12,000: some kernels give ports from 16,000 on to outgoing connections. */
  private static final int FIRST = 5_000;

  private static final int RANGE = 1_000;
  private static final int TRIES = 200;

  /** Ports of the first three members of SysMgr. */
  private static final int MEMBERS = 0;

  private static final int MANAGERS = 10;
  private static final int GATEWAYS = 50;
  private static final int SMALL_RANGE = 9;
  private static final int OSDS = 100;

  /** Daemons in processes of their own answer /metrics that much higher. */
  private static final int METRICS = 1_000;

  /** Three JVMs run tests at the same time, and find ports in ranges of their own. */
  private static final int APART = RANGE + METRICS + 200;

  private FreePorts() {}

  public static int base(int osds) {
    Random random = new Random();
    int fork = Integer.getInteger("weft.test.fork", 1) - 1;
    for (int i = 0; i < TRIES; i++) {
      int base = FIRST + fork * APART + random.nextInt(RANGE);
      IntStream offsets =
          IntStream.of(MEMBERS, MANAGERS, GATEWAYS, METRICS + MANAGERS, METRICS + GATEWAYS)
              .flatMap(first -> IntStream.range(first, first + SMALL_RANGE));
      IntStream osdOffsets =
          IntStream.of(OSDS, METRICS + OSDS).flatMap(first -> IntStream.range(first, first + osds));
      if (IntStream.concat(offsets, osdOffsets)
          .allMatch(offset -> LoopbackPorts.isFree(base + offset))) {
        return base;
      }
    }
    throw new IllegalStateException("no run of free ports on loopback");
  }
}
