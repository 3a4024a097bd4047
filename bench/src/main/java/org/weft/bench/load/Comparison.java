package org.weft.bench.load;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * JSON lines of several runs as one Markdown table: a row for each load, a pair of columns (rate
 * and CPU) for each label. Of runs with the same label the median is taken.
 */
public final class Comparison {
  private record Case(String workload, int threads, int ioBytes, String unit, String cpuUnit) {}

  private final Map<Case, Map<String, List<JsonNode>>> runs = new LinkedHashMap<>();
  private final Set<String> labels = new LinkedHashSet<>();

  /** Prints the table of the files named. */
  public static void main(String[] files) throws IOException {
    Comparison comparison = new Comparison();
    for (String file : files) {
      for (String line : Files.readAllLines(Path.of(file))) {
        comparison.add(new ObjectMapper().readTree(line));
      }
    }
    comparison.print(System.out);
  }

  void add(JsonNode line) {
    String label = line.get("label").asText();
    Case loadCase =
        new Case(
            line.get("workload").asText(),
            line.get("threads").asInt(),
            line.get("ioBytes").asInt(),
            line.get("unit").asText(),
            line.get("cpuUnit").asText());
    labels.add(label);
    runs.computeIfAbsent(loadCase, key -> new LinkedHashMap<>())
        .computeIfAbsent(label, key -> new ArrayList<>())
        .add(line);
  }

  void print(PrintStream out) {
    out.println(
        labels.stream()
            .map(label -> label + " | CPU")
            .collect(Collectors.joining(" | ", "| load | threads | bytes | unit | ", " |")));
    out.println("| --- | --- | --- | --- |" + " --- | --- |".repeat(labels.size()));
    runs.forEach(
        (loadCase, byLabel) ->
            out.println(
                labels.stream()
                    .map(label -> cells(loadCase, byLabel.getOrDefault(label, List.of())))
                    .collect(Collectors.joining(" | ", head(loadCase), " |"))));
  }

  private static String head(Case loadCase) {
    return "| %s | %d | %s | %s | "
        .formatted(
            loadCase.workload,
            loadCase.threads,
            loadCase.ioBytes == 0 ? "" : loadCase.ioBytes,
            loadCase.unit);
  }

  private static String cells(Case loadCase, List<JsonNode> measured) {
    return measured.isEmpty()
        ? "- | -"
        : "%,.0f | %,.2f %s"
            .formatted(
                median(measured, "medianRate"), median(measured, "cpuCost"), loadCase.cpuUnit);
  }

  private static double median(List<JsonNode> measured, String field) {
    return Measurement.median(
        measured.stream().mapToDouble(line -> line.get(field).asDouble()).toArray());
  }
}
