package org.weft.bench.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * CPU time of processes from {@code /proc}: user and system, in steps of 10 ms. Processes are
 * summed up by kind, as "osd" for {@code osd-1} to {@code osd-6}.
 */
public final class CpuMeter {
  private static final double TICKS_PER_SECOND = 100;
  private static final int USER_TICKS = 11;

  /** The kind of the process that makes the load. */
  public static final String CLIENT = "client";

  private final Map<String, List<Long>> pidsByKind = new LinkedHashMap<>();

  public CpuMeter() {
    add(CLIENT, ProcessHandle.current().pid());
  }

  public void add(String kind, long pid) {
    pidsByKind.computeIfAbsent(kind, key -> new ArrayList<>()).add(pid);
  }

  /** Every daemon of a quickstart, by its pid files {@code run/NAME.pid}. */
  public void addQuickstart(Path dataDirectory) throws IOException {
    Path run = dataDirectory.resolve("run");
    try (var files = Files.newDirectoryStream(run, "*.pid")) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        String kind = name.substring(0, name.length() - ".pid".length()).replaceAll("-[0-9]+$", "");
        add(kind, Long.parseLong(Files.readString(file).trim()));
      }
    }
  }

  /** CPU seconds of each kind since its processes began. */
  public Map<String, Double> read() throws IOException {
    Map<String, Double> seconds = new LinkedHashMap<>();
    for (Map.Entry<String, List<Long>> kind : pidsByKind.entrySet()) {
      double sum = 0;
      for (long pid : kind.getValue()) {
        sum += seconds(pid);
      }
      seconds.put(kind.getKey(), sum);
    }
    return seconds;
  }

  private static double seconds(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
    // The name of the program, in parentheses, may hold anything.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return (Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[USER_TICKS + 1]))
        / TICKS_PER_SECOND;
  }
}
