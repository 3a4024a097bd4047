package org.weft.bench.compare;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.bench.load.Measurement;

/** What was measured of one case: repetitions of each system by their number. Not thread-safe. */
public final class CaseResult {
  /** What the labels of systems end in whose daemons and clients talk over TCP alone. */
  private static final String OVER_TCP = "-tcp";

  /** And of those whose clients are behind a link of half a millisecond. */
  private static final String BEHIND_LINK = "-netem";

  private final String name;
  private final String subject;
  private final Map<String, SortedMap<Integer, JsonNode>> repetitions = new LinkedHashMap<>();
  private final Map<String, JsonNode> verified = new LinkedHashMap<>();
  private final Map<String, String> failures = new LinkedHashMap<>();

  private CaseResult(String name, String subject) {
    this.name = name;
    this.subject = subject;
  }

  /** In the order of the lines; a plan may have a case twice. */
  public static List<CaseResult> of(List<JsonNode> lines) {
    Map<String, CaseResult> cases = new LinkedHashMap<>();
    for (JsonNode line : lines) {
      String name = line.get("case").asText();
      cases
          .computeIfAbsent(
              line.get("planned").asInt() + " " + name,
              key -> new CaseResult(name, line.get("subject").asText()))
          .add(line);
    }
    return List.copyOf(cases.values());
  }

  private void add(JsonNode line) {
    String label = line.get("label").asText();
    switch (line.get("what").asText()) {
      case "repetition" ->
          repetitions
              .computeIfAbsent(label, key -> new TreeMap<>())
              .put(line.get("number").asInt(), line.get("data"));
      case "verified" -> verified.put(label, line.get("data"));
      case "failed" -> failures.put(label, line.get("data").get("failure").asText());
      default -> {
        // Heaps have a table of their own.
      }
    }
  }

  /** As the plan has it. */
  public String name() {
    return name;
  }

  String subject() {
    return subject;
  }

  /** Systems of which something was measured, the subject first if it is one of them. */
  public List<String> labels() {
    return List.copyOf(repetitions.keySet());
  }

  /** CPU costs of single repetitions, by kind of process. */
  Map<String, double[]> costsOfRepetitions(String label) {
    Map<String, List<Double>> all = new LinkedHashMap<>();
    for (JsonNode each : repetitions.get(label).values()) {
      each.get("cpuCostOf")
          .properties()
          .forEach(
              kind ->
                  all.computeIfAbsent(kind.getKey(), key -> new ArrayList<>())
                      .add(kind.getValue().asDouble()));
    }
    Map<String, double[]> costs = new LinkedHashMap<>();
    all.forEach(
        (kind, values) ->
            costs.put(kind, values.stream().mapToDouble(Double::doubleValue).toArray()));
    return costs;
  }

  Map<String, String> failures() {
    return failures;
  }

  Map<String, JsonNode> verified() {
    return verified;
  }

  public boolean measured(String label) {
    return repetitions.containsKey(label);
  }

  int repetitions(String label) {
    return repetitions.get(label).size();
  }

  public String text(String label, String field) {
    return repetitions.get(label).values().iterator().next().get(field).asText();
  }

  public double median(String label, String field) {
    return Measurement.median(values(label, field));
  }

  /** Of all repetitions. */
  double highest(String label, String field) {
    return Arrays.stream(values(label, field)).max().orElseThrow();
  }

  double[] values(String label, String field) {
    return repetitions.get(label).values().stream()
        .mapToDouble(each -> each.get(field).asDouble())
        .toArray();
  }

  /** Medians of the CPU cost by kind of process. */
  public Map<String, Double> costs(String label) {
    Map<String, Double> medians = new LinkedHashMap<>();
    costsOfRepetitions(label)
        .forEach((kind, values) -> medians.put(kind, Measurement.median(values)));
    return medians;
  }

  /** The subject, and the subject in other ways: over TCP alone, and from behind a link. */
  List<String> own() {
    return List.of(subject, subject + OVER_TCP, subject + BEHIND_LINK);
  }

  /** The subject with its clients where that system's are. */
  String ownBeside(String label) {
    return label.endsWith(BEHIND_LINK) ? subject + BEHIND_LINK : subject;
  }

  /** The peer with the highest median rate, behind a link if this is; null if none was measured. */
  String bestBeside(String own) {
    String best = null;
    for (String label : labels()) {
      boolean isPeer =
          !own().contains(label) && label.endsWith(BEHIND_LINK) == own.endsWith(BEHIND_LINK);
      if (isPeer && (best == null || median(label, "rate") > median(best, "rate"))) {
        best = label;
      }
    }
    return best;
  }

  /** Of the repetitions that both have, pair by pair: one's own value over the peer's. */
  double[] ratios(String own, String peer, String field) {
    List<Double> ratios = new ArrayList<>();
    repetitions
        .get(own)
        .forEach(
            (number, mine) -> {
              JsonNode other = repetitions.get(peer).get(number);
              // CPU is counted in steps: of a short repetition there may be none.
              if (other != null && other.get(field).asDouble() > 0) {
                ratios.add(mine.get(field).asDouble() / other.get(field).asDouble());
              }
            });
    return ratios.stream().mapToDouble(Double::doubleValue).toArray();
  }
}
