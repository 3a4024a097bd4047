package org.weft.bench.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * CPU time of processes from {@code /proc}: user and system, in steps of 10 ms. Processes are
 * summed up by kind, as "osd" for {@code osd-1} to {@code osd-6}. What the kernel's own threads did
 * (writing dirty pages to disk, above all) belongs to no process: it can be counted as a kind too.
 */
public final class CpuMeter {
  private static final double TICKS_PER_SECOND = 100;
  private static final int PARENT = 1;
  private static final int USER_TICKS = 11;
  private static final long KERNEL_PARENT = 2;
  private static final int[] BUSY_FIELDS = {1, 2, 3, 6, 7};

  /** The kind of the process that makes the load. */
  public static final String CLIENT = "client";

  /** The kind of the kernel's threads. */
  public static final String KERNEL = "kernel";

  private final Map<String, List<Long>> pidsByKind = new LinkedHashMap<>();
  private final Map<Long, Double> lastSeen = new HashMap<>();
  private boolean withKernel;

  public CpuMeter() {
    add(CLIENT, ProcessHandle.current().pid());
  }

  public void add(String kind, long pid) {
    pidsByKind.computeIfAbsent(kind, key -> new ArrayList<>()).add(pid);
  }

  /** From now on the kernel's threads are a kind. */
  public void addKernel() {
    withKernel = true;
  }

  /** Every daemon of a quickstart, by its pid files {@code run/NAME.pid}. */
  public void addQuickstart(Path dataDirectory) throws IOException {
    Path run = dataDirectory.resolve("run");
    try (var files = Files.newDirectoryStream(run, "*.pid")) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        String kind = name.substring(0, name.length() - ".pid".length()).replaceAll("-[0-9]+$", "");
        long pid = Long.parseLong(Files.readString(file).trim());
        // One that was killed leaves its file behind.
        if (Files.exists(Path.of("/proc", Long.toString(pid)))) {
          add(kind, pid);
        }
      }
    }
  }

  /**
   * CPU seconds until now.
   *
   * @param byKind of each kind since its processes began
   * @param kernel of each thread of the kernel; empty if they are not counted
   * @param busy of the whole machine since it began
   */
  public record Reading(Map<String, Double> byKind, Map<Long, Double> kernel, double busy) {
    /** What was spent since an earlier reading, by kind. */
    public Map<String, Double> since(Reading before) {
      Map<String, Double> spent = new LinkedHashMap<>();
      byKind.forEach((kind, now) -> spent.put(kind, now - before.byKind.getOrDefault(kind, 0.0)));
      if (!kernel.isEmpty()) {
        // Its threads come and go: those that went are not counted, new ones wholly.
        double sum = 0;
        for (Map.Entry<Long, Double> thread : kernel.entrySet()) {
          sum += Math.max(0, thread.getValue() - before.kernel.getOrDefault(thread.getKey(), 0.0));
        }
        spent.put(KERNEL, sum);
      }
      return spent;
    }

    /** What everything that is no kind spent since then: it disturbs. */
    public double othersSince(Reading before) {
      double known = since(before).values().stream().mapToDouble(Double::doubleValue).sum();
      return Math.max(0, busy - before.busy - known);
    }
  }

  public Reading read() throws IOException {
    Map<String, Double> seconds = new LinkedHashMap<>();
    for (Map.Entry<String, List<Long>> kind : pidsByKind.entrySet()) {
      double sum = 0;
      for (long pid : kind.getValue()) {
        sum += last(pid);
      }
      seconds.put(kind.getKey(), sum);
    }
    return new Reading(seconds, withKernel ? kernelThreads() : Map.of(), busy());
  }

  /** One that has ended counts with what it had when it was last seen. */
  private double last(long pid) throws IOException {
    try {
      double seconds = seconds(stat(pid));
      lastSeen.put(pid, seconds);
      return seconds;
    } catch (NoSuchFileException e) {
      Double known = lastSeen.get(pid);
      if (known == null) {
        throw new IOException("there is no process " + pid + " to count the CPU of", e);
      }
      return known;
    }
  }

  private static Map<Long, Double> kernelThreads() throws IOException {
    Map<Long, Double> seconds = new HashMap<>();
    try (var all = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
      for (Path each : all) {
        long pid = Long.parseLong(each.getFileName().toString());
        try {
          String[] fields = stat(pid);
          if (Long.parseLong(fields[PARENT]) == KERNEL_PARENT) {
            seconds.put(pid, seconds(fields));
          }
        } catch (IOException e) {
          // One that ended while we looked around is not there to be counted any more.
          if (Files.exists(each)) {
            throw e;
          }
        }
      }
    }
    return seconds;
  }

  private static double busy() throws IOException {
    String[] fields =
        Files.readString(Path.of("/proc/stat")).lines().findFirst().orElseThrow().split("\\s+", -1);
    double ticks = 0;
    for (int field : BUSY_FIELDS) {
      ticks += Long.parseLong(fields[field]);
    }
    return ticks / TICKS_PER_SECOND;
  }

  private static String[] stat(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
    // The name of the program, in parentheses, may hold anything.
    return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
  }

  private static double seconds(String[] fields) {
    return (Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[USER_TICKS + 1]))
        / TICKS_PER_SECOND;
  }
}
