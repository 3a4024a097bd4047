package org.weft.bench.cold;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures commands in new client JVMs, on several systems in turns. {@code bench/cold} starts it.
 */
@Command(
    name = "cold",
    description = "Runs commands and loads, each in a JVM of its own, on systems in turns.",
    mixinStandardHelpOptions = true)
public final class ColdBench implements Callable<Integer> {
  private static final int MEBIBYTE = 1 << 20;
  private static final int SMALL_BYTES = 4 << 10;
  private static final int MAX_MINUTES = 20;

  /** As many operations of a load take the time of one of these. */
  private static final int CREATES = 4;

  private static final int LISTS = 40;

  @Option(
      names = "--systems",
      required = true,
      paramLabel = "FILE",
      description = "The fields of each that takes turns, parted by tabs; bench/cold writes it.")
  private Path systems;

  @Option(
      names = "--out",
      required = true,
      paramLabel = "DIR",
      description = "Where cold.jsonl, local files and logs go.")
  private Path out;

  @Option(names = "--reps", defaultValue = "5", description = "Repetitions of each system.")
  private int repetitions;

  @Option(names = "--mib", defaultValue = "1024", description = "MiB of the large file.")
  private int largeMebibytes;

  @Option(names = "--many", defaultValue = "1000", description = "Small files, of 4 KiB each.")
  private int many;

  @Option(names = "--names", defaultValue = "10000", description = "Empty files to be listed.")
  private int names;

  @Option(names = "--ops", defaultValue = "20000", description = "Operations of a load.")
  private int operations;

  @Option(
      names = "--young",
      defaultValue = "0",
      description = "Repetitions with daemons that are started anew before each.")
  private int youngRepetitions;

  @Option(names = "--only", paramLabel = "PATTERN", description = "Cases that match alone.")
  private String only;

  private final ObjectMapper mapper = new ObjectMapper();

  /** What a client did from its start to its end. */
  private record Spent(
      long wallMillis, long cpuMillis, long firstByteMillis, JvmCounters counters) {}

  public static void main(String[] arguments) {
    System.exit(
        new CommandLine(new ColdBench())
            .setExecutionExceptionHandler(
                (failure, line, parsed) -> {
                  line.getErr().println("cold: " + failure.getMessage());
                  return 1;
                })
            .execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<ColdSystem> all = ColdSystem.read(systems);
    List<ColdCase> cases =
        ColdCase.all().stream()
            .filter(each -> only == null || Pattern.compile(only).matcher(each.name()).find())
            .toList();
    if (cases.isEmpty()) {
      throw new IllegalArgumentException("no case matches '" + only + "'");
    }
    makeLocalFiles();
    for (ColdCase each : cases) {
      measure(each, all.stream().filter(system -> system.runs(each)).toList());
    }
    for (ColdCase each : cases) {
      if (each.young()) {
        measureYoung(
            each,
            all.stream()
                .filter(system -> system.runs(each) && !system.restart().isEmpty())
                .toList());
      }
    }
    return 0;
  }

  private void makeLocalFiles() throws IOException {
    Path local = Files.createDirectories(out.resolve("local"));
    byte[] block = new byte[MEBIBYTE];
    SplittableRandom random = new SplittableRandom(1);
    try (OutputStream large =
        new BufferedOutputStream(Files.newOutputStream(local.resolve("large")), MEBIBYTE)) {
      for (int written = 0; written < largeMebibytes; written++) {
        random.nextBytes(block);
        large.write(block);
      }
    }
    byte[] few = new byte[SMALL_BYTES];
    random.nextBytes(few);
    Files.write(local.resolve("small"), few);
    fill(local.resolve("many"), many, few);
    fill(local.resolve("names"), names, new byte[0]);
  }

  private static void fill(Path directory, int count, byte[] content) throws IOException {
    Files.createDirectories(directory);
    for (int each = 0; each < count; each++) {
      Files.write(directory.resolve("file-%05d".formatted(each)), content);
    }
  }

  /** The first round does not count: it warms up daemons, and looks that the bytes are right. */
  private void measure(ColdCase measured, List<ColdSystem> all)
      throws IOException, InterruptedException {
    for (ColdSystem system : all) {
      prepare(system, measured);
      Path printed = out.resolve("printed");
      client(system, measured.command(), printed);
      check(measured, printed);
      Files.deleteIfExists(printed);
      undo(system, measured);
    }
    List<ColdSystem> order = new ArrayList<>(all);
    for (int repetition = 0; repetition < repetitions; repetition++) {
      for (ColdSystem system : order) {
        note(client(system, measured.command(), null), system.label(), measured);
        undo(system, measured);
      }
      Collections.reverse(order);
    }
  }

  /** As the first command after the start of all daemons, and so nothing of it is compiled. */
  private void measureYoung(ColdCase measured, List<ColdSystem> all)
      throws IOException, InterruptedException {
    if (youngRepetitions > 0) {
      for (ColdSystem system : all) {
        prepare(system, measured);
      }
    }
    for (int repetition = 0; repetition < youngRepetitions; repetition++) {
      for (ColdSystem system : all) {
        restart(system);
        String label = system.label() + ColdReport.YOUNG;
        note(client(system, measured.command(), null), label, measured);
        undo(system, measured);
      }
    }
  }

  private void restart(ColdSystem system) throws IOException, InterruptedException {
    Path log = out.resolve(system.label() + ".restarts.log");
    Process process =
        new ProcessBuilder(system.restart())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    if (process.waitFor() != 0) {
      throw new IOException(system.label() + " did not start again; see " + log);
    }
  }

  private void check(ColdCase measured, Path printed) throws IOException {
    ColdCase.Same same = measured.same();
    if (same.expected().isEmpty()) {
      return;
    }
    Path local = out.resolve("local");
    Path got = same.got().equals(ColdCase.Same.PRINTED) ? printed : local.resolve(same.got());
    if (Files.mismatch(local.resolve(same.expected()), got) >= 0) {
      throw new IOException(measured.name() + ": " + got + " has other bytes than were written");
    }
  }

  private void note(Spent spent, String system, ColdCase measured) throws IOException {
    ColdRun run =
        new ColdRun(
            system,
            measured.name(),
            spent.wallMillis(),
            spent.cpuMillis(),
            spent.firstByteMillis(),
            spent.counters().classes(),
            spent.counters().methods(),
            spent.counters().jitMillis());
    String line = mapper.writeValueAsString(run);
    System.err.println(line);
    Files.writeString(
        out.resolve("cold.jsonl"),
        line + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  private void prepare(ColdSystem system, ColdCase measured)
      throws IOException, InterruptedException {
    for (List<String> command : measured.before()) {
      client(system, command, null);
    }
  }

  private void undo(ColdSystem system, ColdCase measured) throws IOException, InterruptedException {
    if (!measured.after().isEmpty()) {
      client(system, measured.after(), null);
    }
  }

  /**
   * Runs a command in a new JVM.
   *
   * @param printed takes what it prints; null: nothing does
   */
  private Spent client(ColdSystem system, List<String> command, Path printed)
      throws IOException, InterruptedException {
    Path firstByte = out.resolve("first-byte");
    Path counters = out.resolve("counters");
    Files.deleteIfExists(firstByte);
    Files.deleteIfExists(counters);
    Path log = out.resolve(system.label() + ".log");
    ProcessBuilder builder =
        system
            .client(ColdCase.on(command, places(system)), firstByte, counters)
            .redirectOutput(
                printed == null
                    ? ProcessBuilder.Redirect.DISCARD
                    : ProcessBuilder.Redirect.to(printed.toFile()))
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
    long cpuMillis = ChildrenCpu.millis();
    long startMillis = System.currentTimeMillis();
    Process process = builder.start();
    try {
      if (!process.waitFor(MAX_MINUTES, TimeUnit.MINUTES)) {
        throw new IOException(system.label() + ": " + command + " did not end; its log is " + log);
      }
    } finally {
      process.destroyForcibly();
    }
    long wallMillis = System.currentTimeMillis() - startMillis;
    cpuMillis = ChildrenCpu.millis() - cpuMillis;
    if (process.exitValue() != 0) {
      throw new IOException(
          system.label() + ": " + command + " exited with " + process.exitValue() + "; see " + log);
    }
    long firstMillis = Files.exists(firstByte) ? Long.parseLong(Files.readString(firstByte)) : 0;
    return new Spent(
        wallMillis,
        cpuMillis,
        firstMillis == 0 ? 0 : firstMillis - startMillis,
        JvmCounters.read(counters));
  }

  private Map<String, String> places(ColdSystem system) {
    return Map.of(
        "@ROOT",
        system.place(),
        "@LOCAL",
        out.resolve("local").toString(),
        "@MIB",
        Integer.toString(largeMebibytes),
        "@OPS",
        Integer.toString(operations),
        "@CREATES",
        Integer.toString(operations / CREATES),
        "@LISTS",
        Integer.toString(operations / LISTS));
  }
}
