package org.weft.sysmgr;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.weft.testkit.process.LoopbackPorts;

/**
 * Ports for members that must know each other before they listen, and that listen on them again
 * after a restart. The kernel gives none of them to a connection meanwhile: they lie below those
 * that it chooses from.
 */
public final class MemberPorts {
  private static final int FIRST = 12_000;

  /** JVMs that run tests at the same time find ports in ranges of their own. */
  private static final int RANGE = 1_300;

  /** Tests of one JVM that run beside each other get no port twice. */
  private static final AtomicInteger NEXT = new AtomicInteger(new Random().nextInt(RANGE));

  private MemberPorts() {}

  /** Different ports that were free a moment ago. */
  public static List<Integer> of(int count) {
    int first = FIRST + (Integer.getInteger("weft.test.fork", 1) - 1) * RANGE;
    List<Integer> ports = new ArrayList<>();
    while (ports.size() < count) {
      int port = first + Math.floorMod(NEXT.getAndIncrement(), RANGE);
      if (LoopbackPorts.isFree(port)) {
        ports.add(port);
      }
    }
    return ports;
  }
}
