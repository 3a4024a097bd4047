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
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Options of a load and its output, the same for every file system. */
public final class BenchOptions {
  @Parameters(
      arity = "0..*",
      paramLabel = "WORKLOAD",
      split = ",",
      description =
          "stream-write, stream-read, pread, random-write, gathered-write, stable-write, stable-append, commit-stream,"
              + " commit-pieces, create, stat, open, list, rename, delete, small-write, open-read, hflush, hsync, append (default: ${DEFAULT-VALUE}).",
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
      names = "--io-size",
      split = ",",
      paramLabel = "SIZE",
      description = "Bytes of one read or write; several are run one after another.")
  private List<String> ioSizes = new ArrayList<>();

  @Mixin private CaseOptions settings = new CaseOptions();

  @Option(
      names = "--warmup",
      defaultValue = "1",
      paramLabel = "N",
      description = "Repetitions that do not count (default: ${DEFAULT-VALUE}).")
  private int warmups;

  @Option(
      names = "--warmup-seconds",
      defaultValue = "0",
      paramLabel = "N",
      description = "More of them, until this time is over (default: ${DEFAULT-VALUE}).")
  private int warmupSeconds;

  @Option(
      names = "--reps",
      defaultValue = "3",
      paramLabel = "N",
      description = "Repetitions that count (default: ${DEFAULT-VALUE}).")
  private int repetitions;

  @Option(
      names = "--before-rep",
      paramLabel = "COMMAND",
      defaultValue = "",
      description = "A line for the shell, run before each repetition is measured; say, sync.")
  private String before;

  @Option(
      names = "--sync",
      description =
          "Write dirty pages to disk after each repetition: its CPU counts, its time not.")
  private boolean sync;

  @Option(
      names = "--dir",
      defaultValue = "/tmp",
      paramLabel = "PATH",
      description = "Work in a new directory under this one (default: ${DEFAULT-VALUE}).")
  private String directory;

  @Mixin private MeterOptions meter = new MeterOptions();

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

  /** Another process says on standard input what is to be done: see org.weft.bench.driven. */
  @Option(names = "--driven", hidden = true)
  private boolean driven;

  /** True if orders come from standard input, and {@link #run} is not wanted. */
  public boolean isDriven() {
    return driven;
  }

  public Scene scene() {
    return new Scene(before, sync);
  }

  /** Whose CPU time is counted. */
  public CpuMeter meter() throws IOException {
    return meter.meter();
  }

  /**
   * Runs everything that was asked for and prints a table.
   *
   * @param out the table, or JSON lines
   * @param progress hears of each repetition
   * @param json JSON lines to {@code out} in place of the table
   * @throws IllegalArgumentException if an option makes no sense
   */
  public void run(BenchTarget target, PrintWriter out, PrintWriter progress, boolean json)
      throws IOException {
    List<Workload> chosen = workloads.stream().map(Workload::named).toList();
    List<Integer> sizes =
        ioSizes.isEmpty()
            ? List.of(0)
            : ioSizes.stream().map(text -> Math.toIntExact(Sizes.bytes(text))).toList();
    String work = directory.replaceAll("/+$", "") + "/weft-bench-" + ProcessHandle.current().pid();
    BenchSettings base = settings.settings(work, 1, 0);
    BenchRun run =
        new BenchRun(
            target,
            meter(),
            scene(),
            new BenchRun.Plan(warmups, warmupSeconds, repetitions),
            (w, t, n, warm, r) -> tell(progress, w, t, n, warm, r));
    if (!json) {
      out.println(Measurement.head());
      out.flush();
    }
    try (BenchFiles cleaner = target.connect()) {
      try {
        for (Workload workload : chosen) {
          for (int io : workload.defaultIoBytes() == 0 ? List.of(0) : sizes) {
            for (int count : threads) {
              show(run.run(workload, base.with(count, io)), out, json);
            }
          }
        }
      } finally {
        cleaner.deleteTree(work);
      }
    }
  }

  private void show(Measurement done, PrintWriter out, boolean json) throws IOException {
    String line = new ObjectMapper().writeValueAsString(done.toMap(label));
    out.println(json ? line : done.row());
    out.flush();
    if (jsonLines != null) {
      var unused =
          Files.writeString(
              jsonLines, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
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
        workload.rateUnit());
    progress.flush();
  }
}
