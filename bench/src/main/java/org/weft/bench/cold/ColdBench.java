package org.weft.bench.cold;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
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
    description = "Runs commands of Hadoop's shell, each in a JVM of its own, on systems in turns.",
    mixinStandardHelpOptions = true)
public final class ColdBench implements Callable<Integer> {
  private static final int MEBIBYTE = 1 << 20;
  private static final int SMALL_BYTES = 4 << 10;
  private static final int MOST_MINUTES = 20;

  @Option(
      names = "--systems",
      required = true,
      paramLabel = "FILE",
      description = "LABEL, URI, CLASS PATH of each, and what starts its JVMs, parted by tabs.")
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

  @Option(names = "--only", paramLabel = "PATTERN", description = "Cases that match alone.")
  private String only;

  private final ObjectMapper mapper = new ObjectMapper();

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
      measure(each, all);
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
      run(system, measured.before());
      Path printed = out.resolve("printed");
      shell(system, measured.command(), printed);
      check(measured, printed);
      Files.deleteIfExists(printed);
      run(system, measured.after());
    }
    List<ColdSystem> order = new ArrayList<>(all);
    for (int repetition = 0; repetition < repetitions; repetition++) {
      for (ColdSystem system : order) {
        note(shell(system, measured.command(), null), system, measured);
        run(system, measured.after());
      }
      Collections.reverse(order);
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

  private void note(JsonNode figures, ColdSystem system, ColdCase measured) throws IOException {
    ColdRun run =
        new ColdRun(
            system.label(),
            measured.name(),
            figures.get("wallMillis").asLong(),
            figures.get("cpuMillis").asLong(),
            figures.get("firstByteMillis").asLong(),
            figures.get("classes").asLong(),
            figures.get("jitMillis").asLong());
    String line = mapper.writeValueAsString(run);
    System.err.println(line);
    Files.writeString(
        out.resolve("cold.jsonl"),
        line + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  private void run(ColdSystem system, List<String> command)
      throws IOException, InterruptedException {
    if (!command.isEmpty()) {
      shell(system, command, null);
    }
  }

  /**
   * Runs a command in a new JVM.
   *
   * @param printed takes what it prints; null: nothing does
   */
  private JsonNode shell(ColdSystem system, List<String> command, Path printed)
      throws IOException, InterruptedException {
    Path figures = out.resolve("figures.json");
    Files.deleteIfExists(figures);
    List<String> line = new ArrayList<>(system.before());
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of("-cp", system.classPath(), ColdShell.class.getName()));
    line.add(figures.toString());
    line.addAll(
        ColdCase.on(
            command, Map.of("@ROOT", system.root(), "@LOCAL", out.resolve("local").toString())));
    Path log = out.resolve(system.label() + ".log");
    Process process =
        new ProcessBuilder(line)
            .redirectOutput(
                printed == null
                    ? ProcessBuilder.Redirect.DISCARD
                    : ProcessBuilder.Redirect.to(printed.toFile()))
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    try {
      if (!process.waitFor(MOST_MINUTES, TimeUnit.MINUTES)) {
        throw new IOException(system.label() + ": " + command + " did not end; its log is " + log);
      }
    } finally {
      process.destroyForcibly();
    }
    if (process.exitValue() != 0 || !Files.exists(figures)) {
      throw new IOException(
          system.label() + ": " + command + " exited with " + process.exitValue() + "; see " + log);
    }
    return mapper.readTree(Files.readString(figures, StandardCharsets.UTF_8));
  }
}
