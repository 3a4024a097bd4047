package org.weft.bench.growth;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.weft.bench.compare.CaseFigures;
import org.weft.bench.compare.CaseResult;
import org.weft.bench.compare.Results;
import org.weft.bench.plot.LineChart;
import org.weft.bench.plot.Series;

/**
 * Tables and charts of {@code bench/grow}. Systems are named {@code SWEEP=NUMBER} with underscores
 * for blanks, as in {@code files_of_one_directory=1000}. A number that was measured again has a
 * second row below the first, which is in no chart.
 */
public final class GrowthReport {
  private static final double MEBIBYTE = 1 << 20;

  private final List<JsonNode> lines;

  /** By sweep, by workload. */
  private final Map<String, Map<String, List<Row>>> sweeps = new LinkedHashMap<>();

  /** One number of a sweep. */
  private record Row(double number, CaseResult result, String label) {}

  private GrowthReport(List<JsonNode> lines) {
    this.lines = lines;
  }

  /** Writes {@code report.md} and a chart for each sweep into the directory named. */
  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    GrowthReport report = new GrowthReport(Results.read(directory.resolve("measured.jsonl")));
    report.sort();
    try (PrintStream file =
        new PrintStream(
            Files.newOutputStream(directory.resolve("report.md")), false, StandardCharsets.UTF_8)) {
      report.print(file);
    }
    report.print(System.out);
    CaseFigures.write(CaseResult.of(report.lines), directory);
    for (String sweep : report.sweeps.keySet()) {
      report.draw(sweep, directory.resolve(sweep.replaceAll("[^a-z0-9]+", "-") + ".svg"));
    }
  }

  private void sort() {
    for (CaseResult result : CaseResult.of(lines)) {
      for (String label : result.labels()) {
        String sweep = label.substring(0, label.indexOf('=')).replace('_', ' ');
        double number = Double.parseDouble(label.substring(label.indexOf('=') + 1));
        sweeps
            .computeIfAbsent(sweep, key -> new LinkedHashMap<>())
            .computeIfAbsent(workload(result), key -> new ArrayList<>())
            .add(new Row(number, result, label));
      }
    }
  }

  private static String workload(CaseResult result) {
    return result.name().substring(0, result.name().indexOf(' '));
  }

  private void print(PrintStream out) {
    sweeps.forEach(
        (sweep, loads) -> {
          out.println("\n### " + sweep + "\n");
          out.println("| load | " + sweep + " | rate | | CPU | of these |");
          out.println("| --- | ---: | ---: | --- | ---: | --- |");
          loads.forEach((load, rows) -> rows.forEach(row -> out.println(text(load, row))));
        });
    out.println("\n### Memory of the daemons\n");
    out.println("| when | of the largest: live heap / resident, MiB |");
    out.println("| --- | --- |");
    for (JsonNode line : lines) {
      if (line.get("what").asText().equals("heaps")) {
        List<String> kinds = new ArrayList<>();
        line.get("data")
            .properties()
            .forEach(
                kind ->
                    kinds.add(
                        "%s %.1f / %.0f"
                            .formatted(
                                kind.getKey(),
                                kind.getValue().get("heap").asLong() / MEBIBYTE,
                                kind.getValue().get("resident").asLong() / MEBIBYTE)));
        out.println(
            "| %s (%s) | %s |"
                .formatted(
                    line.get("label").asText(),
                    line.get("case").asText(),
                    String.join(", ", kinds)));
      }
    }
  }

  private static String text(String load, Row row) {
    CaseResult result = row.result;
    return "| %s | %,.0f | %,.0f | %s | %,.2f %s | %s |"
        .formatted(
            load,
            row.number,
            result.median(row.label, "rate"),
            result.text(row.label, "unit"),
            result.median(row.label, "cpuCost"),
            result.text(row.label, "cpuUnit"),
            result.costs(row.label).entrySet().stream()
                .map(kind -> "%s %.2f".formatted(kind.getKey(), kind.getValue()))
                .collect(Collectors.joining(", ")));
  }

  private void draw(String sweep, Path file) throws IOException {
    List<Series> series = new ArrayList<>();
    sweeps
        .get(sweep)
        .forEach(
            (load, rows) -> {
              SortedMap<Double, Series.Point> points = new TreeMap<>();
              for (Row row : rows) {
                points.putIfAbsent(
                    row.number,
                    new Series.Point(row.number, row.result.median(row.label, "cpuCost")));
              }
              String unit = rows.get(0).result.text(rows.get(0).label, "cpuUnit");
              series.add(new Series(load + ", " + unit, List.copyOf(points.values()), false));
            });
    new LineChart("CPU against " + sweep, sweep, "CPU", true, series).write(file);
  }
}
