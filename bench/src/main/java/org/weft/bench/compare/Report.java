package org.weft.bench.compare;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.weft.bench.load.Measurement;

/**
 * Tables of a comparison: the subject beside the best of its peers, everything that was measured,
 * and what other clients have read. As Markdown on standard output and {@code report.md}, and as
 * {@code summary.json}.
 */
public final class Report {
  private final List<CaseResult> cases;

  Report(List<CaseResult> cases) {
    this.cases = cases;
  }

  /** Writes the tables of {@code DIR/measured.jsonl} beside it. */
  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    Report report = new Report(CaseResult.of(Results.read(directory.resolve("measured.jsonl"))));
    try (PrintStream file =
        new PrintStream(
            Files.newOutputStream(directory.resolve("report.md")), false, StandardCharsets.UTF_8)) {
      report.print(file);
    }
    report.print(System.out);
    CaseFigures.write(report.cases, directory);
  }

  void print(PrintStream out) {
    out.println("Rates and CPU are medians; a ratio is the median of the ratios of single pairs,");
    out.println("with the least and the highest of them. Above 1.0 the first system is faster, or");
    out.println("takes more CPU. CPU is that of client, daemons and kernel threads together.");
    out.println("p50 and p99 are medians of those of repetitions, max is the highest of all.\n");
    out.println(
        "| load | | first | rate | CPU | best peer | rate | CPU | rate ratio | CPU ratio |");
    out.println("| --- | --- | --- | ---: | ---: | --- | ---: | ---: | --- | --- |");
    for (CaseResult result : cases) {
      result.own().forEach(own -> beside(out, result.name(), result, own));
    }
    out.println(
        "\n| load | system | pairs | rate | least - highest | | CPU | of these | p50 ms | p99 ms | max ms | read back |");
    out.println("| --- | --- | ---: | ---: | --- | --- | ---: | --- | ---: | ---: | ---: | --- |");
    cases.forEach(result -> everything(out, result.name(), result));
    for (CaseResult result : cases) {
      result
          .failures()
          .forEach(
              (label, why) ->
                  out.println("\n" + label + " failed at " + result.name() + ": " + why));
    }
  }

  private static void beside(PrintStream out, String name, CaseResult result, String subject) {
    String best = result.bestBeside(subject);
    if (!result.measured(subject)) {
      return;
    }
    String own =
        "| %s | %s | %s | %,.0f | %,.2f %s |"
            .formatted(
                name,
                result.text(subject, "unit"),
                subject,
                result.median(subject, "rate"),
                result.median(subject, "cpuCost"),
                result.text(subject, "cpuUnit"));
    String peer =
        best == null
            ? " - | - | - | - | - |"
            : " %s | %,.0f | %,.2f | %s | %s |"
                .formatted(
                    best,
                    result.median(best, "rate"),
                    result.median(best, "cpuCost"),
                    ratio(result.ratios(subject, best, "rate")),
                    ratio(result.ratios(subject, best, "cpuCost")));
    out.println(own + peer);
  }

  private static String ratio(double[] ratios) {
    return ratios.length == 0
        ? "-"
        : "%.2f (%.2f - %.2f)"
            .formatted(
                Measurement.median(ratios),
                Arrays.stream(ratios).min().orElseThrow(),
                Arrays.stream(ratios).max().orElseThrow());
  }

  private static void everything(PrintStream out, String name, CaseResult result) {
    for (String label : result.labels()) {
      double[] rates = result.values(label, "rate");
      out.println(
          "| %s | %s | %d | %,.0f | %,.0f - %,.0f | %s | %,.2f %s | %s | %.3f | %.3f | %.3f | %s |"
              .formatted(
                  name,
                  label,
                  result.repetitions(label),
                  result.median(label, "rate"),
                  Arrays.stream(rates).min().orElseThrow(),
                  Arrays.stream(rates).max().orElseThrow(),
                  result.text(label, "unit"),
                  result.median(label, "cpuCost"),
                  result.text(label, "cpuUnit"),
                  costs(result.costs(label)),
                  result.median(label, "p50Millis"),
                  result.median(label, "p99Millis"),
                  result.highest(label, "maxMillis"),
                  readBack(result, label)));
    }
  }

  private static String costs(Map<String, Double> costs) {
    return costs.entrySet().stream()
        .map(kind -> "%s %.2f".formatted(kind.getKey(), kind.getValue()))
        .collect(Collectors.joining(", "));
  }

  private static String readBack(CaseResult result, String label) {
    if (!result.verified().containsKey(label)) {
      return "no";
    }
    return "%,d files, %,d MB"
        .formatted(
            result.verified().get(label).get("files").asLong(),
            result.verified().get(label).get("bytes").asLong() / 1_000_000);
  }
}
