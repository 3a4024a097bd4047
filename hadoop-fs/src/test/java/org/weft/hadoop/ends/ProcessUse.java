package org.weft.hadoop.ends;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.weft.protocol.system.PolledWait;

/**
 * What a process holds at a moment.
 *
 * @param threads names of the threads that Weft or Netty started
 * @param descriptors open files and sockets
 * @param directBytes memory of direct buffers
 */
record ProcessUse(List<String> threads, long descriptors, long directBytes) {
  private static final List<String> OURS = List.of("weft", "netty");
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final Duration MAX_WAIT = Duration.ofSeconds(40);

  static ProcessUse now() throws IOException {
    return new ProcessUse(ourThreads(), descriptorCount(), bytes());
  }

  /** Waits until no thread of Weft or Netty is left. */
  static ProcessUse atRest() throws IOException {
    return awaitNoMoreThan(new ProcessUse(List.of(), Integer.MAX_VALUE, Integer.MAX_VALUE), 0);
  }

  /**
   * Waits until the process holds no more than it did then, but for some direct memory.
   *
   * @return what it holds then, or when the time was up
   */
  static ProcessUse awaitNoMoreThan(ProcessUse before, long moreDirectBytes) throws IOException {
    PolledWait wait = PolledWait.every(PAUSE).atMost(MAX_WAIT);
    while (true) {
      System.gc();
      ProcessUse use = now();
      if (use.isWithin(before, moreDirectBytes) || !wait.pause()) {
        return use;
      }
    }
  }

  /** Whether this is no more than that, but for some direct memory. */
  boolean isWithin(ProcessUse before, long moreDirectBytes) {
    return threads.size() <= before.threads.size()
        && descriptors <= before.descriptors
        && directBytes <= before.directBytes + moreDirectBytes;
  }

  static List<String> ourThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> OURS.stream().anyMatch(name::contains))
        .sorted()
        .toList();
  }

  private static long descriptorCount() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.count();
    }
  }

  private static long bytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }
}
