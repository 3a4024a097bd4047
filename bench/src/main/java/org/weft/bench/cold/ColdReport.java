package org.weft.bench.cold;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.weft.bench.summary.RunSummary;

/**
 * The table of {@code bench/cold}: medians, and each system's share of the last system's. Systems
 * behind a link, and systems with young daemons, stand apart from the others.
 */
public final class ColdReport {
  /** What the labels of systems end in whose clients are behind a link of half a millisecond. */
  private static final String BEHIND_LINK = "-netem";

  /** The same of systems whose daemons were started just before. */
  static final String YOUNG = "-young";

  private static final Map<String, ToLongFunction<ColdRun>> FIGURES = new LinkedHashMap<>();

  static {
    FIGURES.put("wallMillis", ColdRun::wallMillis);
    FIGURES.put("cpuMillis", ColdRun::cpuMillis);
    FIGURES.put("firstByteMillis", ColdRun::firstByteMillis);
    FIGURES.put("classes", ColdRun::classes);
    FIGURES.put("compiled", ColdRun::methods);
    FIGURES.put("jitMillis", ColdRun::jitMillis);
  }

  private final Map<String, Map<String, List<ColdRun>>> cases = new LinkedHashMap<>();

  private ColdReport(List<ColdRun> runs) {
    for (ColdRun run : runs) {
      cases
          .computeIfAbsent(run.name(), name -> new LinkedHashMap<>())
          .computeIfAbsent(run.system(), system -> new ArrayList<>())
          .add(run);
    }
  }

  /** Prints the table of a directory, and writes it into {@code cold.md} there. */
  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    ObjectMapper mapper = new ObjectMapper();
    List<ColdRun> runs = new ArrayList<>();
    for (String line : Files.readAllLines(directory.resolve("cold.jsonl"))) {
      runs.add(mapper.readValue(line, ColdRun.class));
    }
    ColdReport report = new ColdReport(runs);
    String table = report.table();
    Files.writeString(directory.resolve("cold.md"), table);
    new PrintStream(System.out, true, StandardCharsets.UTF_8).print(table);
    report.summary().write(directory);
  }

  private String table() {
    StringBuilder text =
        new StringBuilder(
            """
            | command | system | runs | wall s | CPU s | first byte s | classes | compiled | JIT s | wall ratio | CPU ratio |
            | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
            """);
    cases.forEach(
        (name, systems) -> {
          systems.forEach(
              (system, runs) -> text.append(row(name, system, runs, peerOf(system, systems))));
        });
    return text.toString();
  }

  private RunSummary summary() {
    RunSummary summary = new RunSummary();
    cases.forEach(
        (name, systems) ->
            systems.forEach((system, runs) -> add(summary, name, system, runs, systems)));
    return summary;
  }

  private static void add(
      RunSummary summary,
      String name,
      String system,
      List<ColdRun> runs,
      Map<String, List<ColdRun>> systems) {
    FIGURES.forEach(
        (figure, value) ->
            summary.add(
                name,
                system,
                figure,
                RunSummary.unitOf(figure),
                runs.stream().mapToDouble(run -> value.applyAsLong(run)).toArray()));
    List<ColdRun> peer = peerOf(system, systems);
    if (peer != runs) {
      for (String figure : List.of("wallMillis", "cpuMillis")) {
        summary.add(
            name,
            system,
            figure + " over that of " + peer.get(0).system(),
            RunSummary.RATIO,
            ratios(runs, peer, FIGURES.get(figure)));
      }
    }
  }

  /** The last system, of those under the same condition. */
  private static List<ColdRun> peerOf(String system, Map<String, List<ColdRun>> systems) {
    List<ColdRun> peer = systems.get(system);
    for (Map.Entry<String, List<ColdRun>> each : systems.entrySet()) {
      if (each.getKey().endsWith(BEHIND_LINK) == system.endsWith(BEHIND_LINK)
          && each.getKey().endsWith(YOUNG) == system.endsWith(YOUNG)) {
        peer = each.getValue();
      }
    }
    return peer;
  }

  private static String row(String name, String system, List<ColdRun> runs, List<ColdRun> peer) {
    return "| %s | %s | %d | %.2f | %.2f | %.2f | %,d | %,d | %.2f | %.2f | %.2f |%n"
        .formatted(
            name,
            system,
            runs.size(),
            seconds(runs, ColdRun::wallMillis),
            seconds(runs, ColdRun::cpuMillis),
            seconds(runs, ColdRun::firstByteMillis),
            median(runs, ColdRun::classes),
            median(runs, ColdRun::methods),
            seconds(runs, ColdRun::jitMillis),
            ratio(runs, peer, ColdRun::wallMillis),
            ratio(runs, peer, ColdRun::cpuMillis));
  }

  private static double ratio(
      List<ColdRun> runs, List<ColdRun> peer, ToLongFunction<ColdRun> figure) {
    return (double) median(runs, figure) / Math.max(1, median(peer, figure));
  }

  /** Turn by turn; a command of the peer that took less than a millisecond took one. */
  private static double[] ratios(
      List<ColdRun> runs, List<ColdRun> peer, ToLongFunction<ColdRun> figure) {
    return IntStream.range(0, Math.min(runs.size(), peer.size()))
        .mapToDouble(
            turn ->
                (double) figure.applyAsLong(runs.get(turn))
                    / Math.max(1, figure.applyAsLong(peer.get(turn))))
        .toArray();
  }

  private static double seconds(List<ColdRun> runs, ToLongFunction<ColdRun> millis) {
    return median(runs, millis) / 1_000.0;
  }

  private static long median(List<ColdRun> runs, ToLongFunction<ColdRun> figure) {
    long[] sorted = runs.stream().mapToLong(figure).sorted().toArray();
    return sorted[sorted.length / 2];
  }
}
