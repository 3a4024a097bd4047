package org.weft.bench.summary;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The summary of {@code bench/jmh}, of the JSON that JMH writes. The system is the method, the case
 * its class with the parameters. Counters stand beside the score, and the CPU of an operation where
 * a case counts both.
 */
public final class JmhReport {
  private JmhReport() {}

  /** Writes the summary of {@code DIR/jmh.json} beside it. */
  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    RunSummary summary = new RunSummary();
    for (JsonNode each : new ObjectMapper().readTree(directory.resolve("jmh.json").toFile())) {
      add(summary, each);
    }
    summary.write(directory);
  }

  private static void add(RunSummary summary, JsonNode measured) {
    String benchmark = measured.get("benchmark").asText();
    int dot = benchmark.lastIndexOf('.');
    String method = benchmark.substring(dot + 1);
    String name =
        benchmark.substring(benchmark.lastIndexOf('.', dot - 1) + 1, dot)
            + measured.path("params").properties().stream()
                .map(each -> " %s=%s".formatted(each.getKey(), each.getValue().asText()))
                .collect(Collectors.joining());
    if (measured.get("threads").asInt() > 1) {
      name += " threads=" + measured.get("threads").asInt();
    }
    JsonNode score = measured.get("primaryMetric");
    summary.add(name, method, "score", score.get("scoreUnit").asText(), values(score));
    JsonNode counters = measured.get("secondaryMetrics");
    for (var each : counters.properties()) {
      summary.add(
          name,
          method,
          each.getKey(),
          each.getValue().get("scoreUnit").asText(),
          values(each.getValue()));
    }
    if (counters.has("cpuMicros") && counters.has("operations")) {
      summary.add(
          name,
          method,
          "cpuCost",
          "us/op",
          ratios(values(counters.get("cpuMicros")), values(counters.get("operations"))));
    }
  }

  /** Of all forks and their iterations. */
  private static double[] values(JsonNode metric) {
    List<Double> values = new ArrayList<>();
    for (JsonNode fork : metric.get("rawData")) {
      fork.forEach(value -> values.add(value.asDouble()));
    }
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }

  /** Of iterations that did something. */
  private static double[] ratios(double[] over, double[] under) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < Math.min(over.length, under.length); i++) {
      if (under[i] > 0) {
        ratios.add(over[i] / under[i]);
      }
    }
    return ratios.stream().mapToDouble(Double::doubleValue).toArray();
  }
}
