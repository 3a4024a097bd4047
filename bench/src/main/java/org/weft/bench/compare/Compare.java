package org.weft.bench.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs a plan on several systems in turns. The scripts under {@code bench/} start it. */
@Command(
    name = "compare",
    description = "Runs the cases of a plan on several systems in turns.",
    mixinStandardHelpOptions = true)
public final class Compare implements Callable<Integer> {
  @Option(names = "--plan", required = true, paramLabel = "FILE", description = "The cases.")
  private Path plan;

  @Option(
      names = "--systems",
      required = true,
      paramLabel = "FILE",
      description = "LABEL, DIRECTORY, COMMAND of each, parted by tabs.")
  private Path systems;

  @Option(
      names = "--out",
      required = true,
      paramLabel = "DIR",
      description = "Where measured.jsonl and the logs of the clients go.")
  private Path out;

  @Option(names = "--reps", defaultValue = "5", description = "Repetitions of each system.")
  private int repetitions;

  @Option(names = "--warm-up", defaultValue = "10", description = "Seconds of it for each case.")
  private int warmUpSeconds;

  @Option(
      names = "--first-round",
      defaultValue = "0",
      description = "Seconds of every case before the first one counts; 0: no such round.")
  private int firstRoundSeconds;

  @Option(names = "--only", paramLabel = "PATTERN", description = "Cases that match alone.")
  private String only;

  @Option(names = "--no-verify", description = "No second client reads what was written.")
  private boolean noVerify;

  @Option(
      names = "--one-client",
      description = "Systems with the same command share one client process.")
  private boolean oneClient;

  @Option(
      names = "--heaps",
      paramLabel = "DIR",
      description = "A quickstart: measure its daemons' heaps when a case has made its files.")
  private Path heaps;

  public static void main(String[] arguments) {
    System.exit(
        new CommandLine(new Compare())
            .setExecutionExceptionHandler(
                (failure, line, parsed) -> {
                  line.getErr().println("compare: " + failure.getMessage());
                  return 1;
                })
            .execute(arguments));
  }

  @Override
  public Integer call() throws IOException {
    Map<String, BenchedSystem> known = new LinkedHashMap<>();
    BenchedSystem.read(systems).forEach(system -> known.put(system.label(), system));
    List<PlanCase> cases =
        PlanCase.read(plan).stream()
            .filter(each -> only == null || Pattern.compile(only).matcher(each.name()).find())
            .toList();
    require(!cases.isEmpty(), "no case of " + plan + " matches '" + only + "'");
    for (PlanCase each : cases) {
      for (String label : each.systems()) {
        require(known.containsKey(label), each.name() + ": there is no system '" + label + "'");
      }
    }
    Files.createDirectories(out);
    CompareSettings settings =
        new CompareSettings(
            repetitions,
            warmUpSeconds,
            !noVerify,
            heaps,
            Long.toString(ProcessHandle.current().pid()));
    Results results = new Results(out.resolve("measured.jsonl"));
    Consumer<String> progress = System.err::println;
    try (Processes processes = new Processes(out, oneClient)) {
      Function<PlanCase, CaseRun> run =
          each -> new CaseRun(each, known, settings, processes, results, progress);
      if (firstRoundSeconds > 0) {
        round("first round ", cases, progress, each -> run.apply(each).warmUp(firstRoundSeconds));
      }
      round("", cases, progress, each -> run.apply(each).run());
    }
    return 0;
  }

  private interface Play {
    void of(PlanCase planned) throws IOException;
  }

  private static void round(String name, List<PlanCase> cases, Consumer<String> progress, Play play)
      throws IOException {
    for (int i = 0; i < cases.size(); i++) {
      progress.accept(
          "%s %s[%d of %d] %s"
              .formatted(
                  LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS),
                  name,
                  i + 1,
                  cases.size(),
                  cases.get(i).name()));
      play.of(cases.get(i));
    }
  }

  private static void require(boolean holds, String rule) {
    if (!holds) {
      throw new IllegalArgumentException(rule);
    }
  }
}
