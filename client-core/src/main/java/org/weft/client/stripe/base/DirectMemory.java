package org.weft.client.stripe.base;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/** How much memory outside the heap this JVM lets buffers have. Thread-safe, and never waits. */
final class DirectMemory {
  private static final long MAX_BYTES = maxBytes();

  private static final BufferPoolMXBean DIRECT =
      ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
          .filter(pool -> pool.getName().equals("direct"))
          .findFirst()
          .orElseThrow();

  private DirectMemory() {}

  private static long maxBytes() {
    HotSpotDiagnosticMXBean options =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    long stated =
        options == null ? 0 : Long.parseLong(options.getVMOption("MaxDirectMemorySize").getValue());
    // Where the option is not set, buffers may have as much as the heap.
    return stated == 0 ? Runtime.getRuntime().maxMemory() : stated;
  }

  /** What the JVM would give out still, without asking the garbage collector for some. */
  static long leftBytes() {
    return MAX_BYTES - DIRECT.getTotalCapacity();
  }
}
