package org.weft.bench.rebuild;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.StringTokenizer;

/**
 * How busy the machine was between two moments, whatever kept it so. What runs at a lower priority
 * (nice) gives way, and counts as free.
 */
record MachineLoad(long busyTicks, long allTicks, double average) {
  private static final int NICE = 1;
  private static final int IDLE = 3;
  private static final int WAITING = 4;
  private static final int KINDS = 8;

  static MachineLoad now() throws IOException {
    StringTokenizer words = new StringTokenizer(Files.readAllLines(Path.of("/proc/stat")).get(0));
    words.nextToken();
    long[] ticks = new long[KINDS];
    for (int kind = 0; kind < KINDS; kind++) {
      ticks[kind] = Long.parseLong(words.nextToken());
    }
    long all = Arrays.stream(ticks).sum();
    String load = new StringTokenizer(Files.readString(Path.of("/proc/loadavg"))).nextToken();
    return new MachineLoad(
        all - ticks[NICE] - ticks[IDLE] - ticks[WAITING], all, Double.parseDouble(load));
  }

  /** Part of its processors' time that was used since. */
  double busySince(MachineLoad before) {
    return (busyTicks - before.busyTicks) / (double) Math.max(1, allTicks - before.allTicks);
  }
}
