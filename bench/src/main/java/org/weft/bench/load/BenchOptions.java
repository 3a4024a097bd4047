package org.weft.bench.load;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Options of a load and its output, the same for every file system. */
public final class BenchOptions {
  @Parameters(
      arity = "0..*",
      paramLabel = "WORKLOAD",
      split = ",",
      description =
          "stream-write, stream-read, pread, create, stat, list, rename, delete, small-write, open-read, hflush,"
              + " hsync, append (default: ${DEFAULT-VALUE}).",
      defaultValue = "stream-write,stream-read,pread,create,stat,small-write,open-read")
  private List<String> workloads = new ArrayList<>();

  @Option(
      names = "--threads",
      split = ",",
      defaultValue = "1,4",
      paramLabel = "N",
      description =
          "Threads; several counts are run one after another (default: ${DEFAULT-VALUE}).")
  private List<Integer> threads = new ArrayList<>();

  @Option(
      names = "--size",
      defaultValue = "256m",
      paramLabel = "SIZE",
      description = "Length of the files of streams and pread (default: ${DEFAULT-VALUE}).")
  private String size;

  @Option(
      names = "--io-size",
      split = ",",
      paramLabel = "SIZE",
      description = "Bytes of one read or write; several are run one after another.")
  private List<String> ioSizes = new ArrayList<>();

  @Option(
      names = "--files",
      defaultValue = "1000",
      paramLabel = "N",
      description = "Small files of each thread (default: ${DEFAULT-VALUE}).")
  private int files;

  @Option(
      names = "--seconds",
      defaultValue = "5",
      paramLabel = "N",
      description = "Longest time of a repetition (default: ${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "Most operations of a thread in a repetition.")
  private long count = Long.MAX_VALUE;

  @Option(
      names = "--warmup",
      defaultValue = "1",
      paramLabel = "N",
      description = "Repetitions that do not count (default: ${DEFAULT-VALUE}).")
  private int warmups;

  @Option(
      names = "--reps",
      defaultValue = "3",
      paramLabel = "N",
      description = "Repetitions that count (default: ${DEFAULT-VALUE}).")
  private int repetitions;

  @Option(names = "--shared-dir", description = "All threads work in one directory.")
  private boolean sharedDirectory;

  @Option(names = "--verify", description = "Compare what is read; costs client CPU.")
  private boolean verify;

  @Option(
      names = "--dir",
      defaultValue = "/tmp",
      paramLabel = "PATH",
      description = "Work in a new directory under this one (default: ${DEFAULT-VALUE}).")
  private String directory;

  @Option(
      names = "--quickstart",
      paramLabel = "DIR",
      description = "Data directory of a local quickstart: count the CPU of its daemons by kind.")
  private Path quickstart;

  @Option(
      names = "--pid",
      split = ",",
      paramLabel = "KIND=PID",
      description = "Count the CPU of this process too, under that name; may be repeated.")
  private List<String> pids = new ArrayList<>();

  @Option(
      names = "--label",
      defaultValue = "",
      paramLabel = "TEXT",
      description = "Name of this run in the JSON lines.")
  private String label;

  @Option(
      names = "--json-lines",
      paramLabel = "FILE",
      description = "Append one line of JSON for each measurement.")
  private Path jsonLines;

  /**
   * Runs everything that was asked for and prints a table.
   *
   * @param out the table, or JSON lines
   * @param progress hears of each repetition
   * @param json JSON lines to {@code out} in place of the table
   * @throws IllegalArgumentException if an option makes no sense
   */
  public void run(BenchFiles under, PrintWriter out, PrintWriter progress, boolean json)
      throws IOException {
    List<Workload> chosen = workloads.stream().map(Workload::named).toList();
    List<Integer> sizes = ioSizes.isEmpty() ? List.of(0) : ioSizes.stream().map(this::io).toList();
    String work = directory.replaceAll("/+$", "") + "/weft-bench-" + ProcessHandle.current().pid();
    BenchSettings base =
        new BenchSettings(
            work,
            1,
            bytes(size),
            0,
            files,
            seconds,
            count,
            warmups,
            repetitions,
            sharedDirectory,
            verify);
    BenchRun run =
        new BenchRun(under, meter(), (w, t, n, warm, r) -> tell(progress, w, t, n, warm, r));
    ObjectMapper mapper = new ObjectMapper();
    if (!json) {
      out.println(Measurement.head());
      out.flush();
    }
    try {
      for (Workload workload : chosen) {
        for (int io : workload.defaultIoBytes() == 0 ? List.of(0) : sizes) {
          for (int count : threads) {
            Measurement done = run.run(workload, base.with(count, io));
            String line = mapper.writeValueAsString(done.toMap(label));
            out.println(json ? line : done.row());
            out.flush();
            keep(line);
          }
        }
      }
    } finally {
      under.deleteTree(work);
    }
  }

  private static void tell(
      PrintWriter progress,
      Workload workload,
      int threads,
      int number,
      boolean warmup,
      double rate) {
    progress.printf(
        Locale.ROOT,
        "  %s, %d threads, %s %d: %.1f %s%n",
        workload.label(),
        threads,
        warmup ? "warm-up" : "repetition",
        number,
        rate,
        workload.isStream() ? "MB/s" : "op/s");
    progress.flush();
  }

  private void keep(String line) throws IOException {
    if (jsonLines != null) {
      var unused =
          Files.writeString(
              jsonLines, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
  }

  private CpuMeter meter() throws IOException {
    CpuMeter meter = new CpuMeter();
    if (quickstart != null) {
      meter.addQuickstart(quickstart);
    }
    for (String pid : pids) {
      String[] parts = pid.split("=", -1);
      if (parts.length != 2 || !parts[1].matches("[0-9]{1,10}")) {
        throw new IllegalArgumentException("--pid wants KIND=PID, got '" + pid + "'");
      }
      meter.add(parts[0], Long.parseLong(parts[1]));
    }
    return meter;
  }

  private int io(String text) {
    return Math.toIntExact(bytes(text));
  }

  /** A size with k, m or g (powers of 1024). */
  static long bytes(String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    int shift = lower.endsWith("k") ? 10 : lower.endsWith("m") ? 20 : lower.endsWith("g") ? 30 : 0;
    String number = shift == 0 ? lower : lower.substring(0, lower.length() - 1);
    if (!number.matches("[0-9]{1,12}")) {
      throw new IllegalArgumentException("a size is a number with k, m or g, got '" + text + "'");
    }
    return Long.parseLong(number) << shift;
  }
}
