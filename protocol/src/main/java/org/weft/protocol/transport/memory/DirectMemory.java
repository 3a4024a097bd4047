package org.weft.protocol.transport.memory;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How much memory outside the heap this JVM lets buffers have. Where little is left, the JVM has an
 * allocation wait for the garbage collector, which an event loop must not do. Thread-safe, and
 * never waits.
 */
public final class DirectMemory {
  private static final Logger LOG = LoggerFactory.getLogger(DirectMemory.class);
  private static final long MAX_BYTES = maxBytes();

  private static final BufferPoolMXBean DIRECT =
      ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
          .filter(pool -> pool.getName().equals("direct"))
          .findFirst()
          .orElseThrow();

  private DirectMemory() {}

  /** Where the option is not set, or not known, buffers may have as much as the heap. */
  private static long maxBytes() {
    long heapBytes = Runtime.getRuntime().maxMemory();
    HotSpotDiagnosticMXBean options =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    if (options == null) {
      return heapBytes;
    }
    try {
      long stated = Long.parseLong(options.getVMOption("MaxDirectMemorySize").getValue());
      return stated == 0 ? heapBytes : stated;
    } catch (IllegalArgumentException e) {
      LOG.debug("this JVM does not tell its limit of direct memory: {}", e.getMessage());
      return heapBytes;
    }
  }

  /** What the JVM would give out still, without asking the garbage collector for some. */
  public static long leftBytes() {
    return MAX_BYTES - DIRECT.getTotalCapacity();
  }
}
