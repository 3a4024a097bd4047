package org.weft.bench.scale;

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
import org.weft.bench.compare.CaseFigures;
import org.weft.bench.compare.CaseResult;
import org.weft.bench.compare.Results;
import org.weft.bench.load.Measurement;
import org.weft.bench.plot.LineChart;
import org.weft.bench.plot.Series;

/**
 * Tables and charts of {@code bench/scale}: systems are named {@code osds-N}, all with disks of one
 * rate. One chart goes over clients at one number of OSDs, the other over OSDs at the highest
 * number of clients that each was measured with.
 */
public final class ScalingReport {
  private static final double MEGABYTE = 1e6;
  private static final String LABEL = "osds-";

  /** Of one workload. */
  private record Place(int osds, int clients) {}

  /**
   * What was measured there.
   *
   * @param cpu seconds of all processes for each GiB
   */
  private record Value(double rate, double least, double most, double cpu) {}

  private final Map<String, Map<Place, Value>> measured = new LinkedHashMap<>();
  private final double diskMegabytes;

  private ScalingReport(double diskMegabytes) {
    this.diskMegabytes = diskMegabytes;
  }

  /**
   * Writes {@code report.md}, {@code clients.svg} and {@code osds.svg} into a directory.
   *
   * @param arguments the directory with {@code measured.jsonl}, and the bytes that each disk moves
   *     in a second
   */
  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    ScalingReport report = new ScalingReport(Long.parseLong(arguments[1]) / MEGABYTE);
    List<JsonNode> lines = Results.read(directory.resolve("measured.jsonl"));
    report.read(lines);
    try (PrintStream file =
        new PrintStream(
            Files.newOutputStream(directory.resolve("report.md")), false, StandardCharsets.UTF_8)) {
      report.print(file);
    }
    report.print(System.out);
    CaseFigures.write(CaseResult.of(lines), directory);
    report.overClients().write(directory.resolve("clients.svg"));
    report.overOsds().write(directory.resolve("osds.svg"));
  }

  private void read(List<JsonNode> lines) {
    Map<String, Map<Place, List<JsonNode>>> all = new LinkedHashMap<>();
    for (JsonNode line : lines) {
      if (line.get("what").asText().equals("repetition")) {
        int osds = Integer.parseInt(line.get("label").asText().substring(LABEL.length()));
        all.computeIfAbsent(line.get("workload").asText(), key -> new LinkedHashMap<>())
            .computeIfAbsent(new Place(osds, line.get("clients").asInt()), key -> new ArrayList<>())
            .add(line.get("data"));
      }
    }
    all.forEach(
        (workload, places) ->
            places.forEach(
                (place, values) ->
                    measured
                        .computeIfAbsent(workload, key -> new LinkedHashMap<>())
                        .put(place, value(values))));
  }

  private static Value value(List<JsonNode> repetitions) {
    double[] rates =
        repetitions.stream().mapToDouble(each -> each.get("rate").asDouble()).toArray();
    double[] costs =
        repetitions.stream().mapToDouble(each -> each.get("cpuCost").asDouble()).toArray();
    return new Value(
        Measurement.median(rates),
        java.util.Arrays.stream(rates).min().orElseThrow(),
        java.util.Arrays.stream(rates).max().orElseThrow(),
        Measurement.median(costs));
  }

  private void print(PrintStream out) {
    out.printf("Disks of %.1f MB/s each.%n%n", diskMegabytes);
    out.println(
        "| load | OSDs | clients | MB/s | least - highest | MB/s a disk | of the disks | CPU s/GiB |");
    out.println("| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: |");
    measured.forEach(
        (workload, places) ->
            places.forEach(
                (place, value) ->
                    out.printf(
                        "| %s | %d | %d | %.1f | %.1f - %.1f | %.1f | %.0f %% | %.2f |%n",
                        workload,
                        place.osds,
                        place.clients,
                        value.rate,
                        value.least,
                        value.most,
                        value.rate / place.osds,
                        100 * value.rate / (place.osds * diskMegabytes),
                        value.cpu)));
  }

  private LineChart overClients() {
    int osds = mostMeasuredOsds();
    List<Series> lines = new ArrayList<>();
    measured.forEach(
        (workload, places) -> {
          SortedMap<Integer, Double> line = new TreeMap<>();
          places.forEach(
              (place, value) -> {
                if (place.osds == osds) {
                  line.put(place.clients, value.rate);
                }
              });
          lines.add(series(workload, line));
        });
    double last =
        lines.stream()
            .flatMap(each -> each.points().stream())
            .mapToDouble(Series.Point::x)
            .max()
            .orElseThrow();
    double disks = osds * diskMegabytes;
    lines.add(
        new Series(
            "all disks", List.of(new Series.Point(0, disks), new Series.Point(last, disks)), true));
    return new LineChart(
        "Bandwidth of %d OSDs against the number of clients".formatted(osds),
        "clients, each with a file of its own",
        "MB/s",
        false,
        lines);
  }

  /** The number of OSDs that was measured with most numbers of clients. */
  private int mostMeasuredOsds() {
    Map<Integer, Integer> counts = new TreeMap<>();
    measured
        .values()
        .forEach(
            places -> places.keySet().forEach(place -> counts.merge(place.osds, 1, Integer::sum)));
    return counts.entrySet().stream()
        .max(Map.Entry.comparingByValue())
        .orElseThrow(() -> new IllegalArgumentException("nothing was measured"))
        .getKey();
  }

  private LineChart overOsds() {
    List<Series> lines = new ArrayList<>();
    SortedMap<Integer, Double> disks = new TreeMap<>(Map.of(0, 0.0));
    measured.forEach(
        (workload, places) -> {
          SortedMap<Integer, Place> best = new TreeMap<>();
          places
              .keySet()
              .forEach(
                  place ->
                      best.merge(
                          place.osds,
                          place,
                          (left, right) -> left.clients > right.clients ? left : right));
          SortedMap<Integer, Double> line = new TreeMap<>();
          best.forEach((osds, place) -> line.put(osds, places.get(place).rate));
          best.keySet().forEach(osds -> disks.put(osds, osds * diskMegabytes));
          lines.add(series(workload, line));
        });
    Series bound = series("all disks", disks);
    lines.add(new Series(bound.name(), bound.points(), true));
    return new LineChart("Bandwidth against the number of OSDs", "OSDs", "MB/s", false, lines);
  }

  private static Series series(String name, SortedMap<Integer, Double> line) {
    return new Series(
        name,
        line.entrySet().stream()
            .map(point -> new Series.Point(point.getKey(), point.getValue()))
            .toList(),
        false);
  }
}
