package org.weft.bench.rebuild;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.weft.bench.compare.Results;
import org.weft.bench.load.Measurement;
import org.weft.bench.plot.LineChart;
import org.weft.bench.plot.Series;
import org.weft.bench.summary.RunSummary;

/** Tables and charts of {@code bench/rebuild}: medians over its rounds. */
public final class RebuildCharts {
  /** Of all cores: beyond that a rate is not the disks' alone. */
  private static final double BUSY = 0.8;

  private static final List<String> PHASES =
      List.of("clientsAlone", "clientsWithoutIt", "clientsDuringRebuild");
  private static final List<String> FIGURES =
      List.of(
          "lostFiles",
          "lostBytes",
          "firstSeconds",
          "seconds",
          "megabytesPerSecond",
          "boundMegabytesPerSecond",
          "machineBusy",
          "loadAverage");
  private static final List<String> PHASE_NAMES =
      List.of("all OSDs", "one OSD down", "while it is rebuilt");

  /** Lines that belong together. */
  private record Place(
      String sweep, int osds, int managers, int width, int fileBytes, int sharePercent) {}

  private final Map<Place, List<JsonNode>> measured = new LinkedHashMap<>();

  RebuildCharts(List<JsonNode> lines) {
    for (JsonNode line : lines) {
      measured
          .computeIfAbsent(
              new Place(
                  line.get("sweep").asText(),
                  line.get("osds").asInt(),
                  line.get("managers").asInt(),
                  line.get("width").asInt(),
                  line.get("fileBytes").asInt(),
                  line.get("sharePercent").asInt()),
              key -> new ArrayList<>())
          .add(line);
    }
    if (measured.isEmpty()) {
      throw new IllegalArgumentException("nothing was measured; run bench/rebuild first");
    }
  }

  /**
   * Writes {@code report.md}, {@code osds.svg} and {@code width.svg} into a directory.
   *
   * @param arguments the directory with {@code measured.jsonl}
   */
  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    RebuildCharts report = new RebuildCharts(Results.read(directory.resolve("measured.jsonl")));
    try (PrintStream file =
        new PrintStream(
            Files.newOutputStream(directory.resolve("report.md")), false, StandardCharsets.UTF_8)) {
      report.print(file);
    }
    report.print(System.out);
    report.draw(directory);
    report.summary().write(directory);
  }

  private RunSummary summary() {
    RunSummary summary = new RunSummary();
    measured.forEach(
        (place, lines) -> {
          String name =
              "%s, %d OSDs, %d managers, width %d, files of %s, share %d %%"
                  .formatted(
                      place.sweep,
                      place.osds,
                      place.managers,
                      place.width,
                      size(place.fileBytes),
                      place.sharePercent);
          for (JsonNode line : lines) {
            for (String figure : FIGURES) {
              summary.add(
                  name, "weft", figure, RunSummary.unitOf(figure), line.get(figure).asDouble());
            }
            PHASES.forEach(
                phase ->
                    line.path(phase)
                        .properties()
                        .forEach(
                            each ->
                                summary.add(
                                    name,
                                    "weft",
                                    phase + ": " + each.getKey(),
                                    RunSummary.unitOf(each.getKey()),
                                    each.getValue().asDouble())));
          }
        });
    return summary;
  }

  private static double median(List<JsonNode> lines, String... names) {
    return Measurement.median(
        lines.stream()
            .mapToDouble(
                line -> {
                  JsonNode at = line;
                  for (String name : names) {
                    at = at.path(name);
                  }
                  return at.asDouble();
                })
            .toArray());
  }

  void print(PrintStream out) {
    line(
        out,
        "| | OSDs | managers | width | files | share | rounds | rebuilt MB | first file s | all s |"
            + " MB/s | at most | of that | machine busy | load |");
    line(
        out,
        "| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
            + " ---: | ---: |");
    measured.forEach(
        (place, lines) -> {
          double rate = median(lines, "megabytesPerSecond");
          double bound = median(lines, "boundMegabytesPerSecond");
          line(
              out,
              "| %s | %d | %d | %d | %,.0f of %s | %d %% | %d | %.1f | %.1f | %.1f | %.2f | %.2f |"
                  + " %.0f %% | %.0f %% | %.1f |",
              place.sweep,
              place.osds,
              place.managers,
              place.width,
              median(lines, "lostFiles"),
              size(place.fileBytes),
              place.sharePercent,
              lines.size(),
              median(lines, "lostBytes") / 1e6,
              median(lines, "firstSeconds"),
              median(lines, "seconds"),
              rate,
              bound,
              100 * rate / bound,
              100 * median(lines, "machineBusy"),
              median(lines, "loadAverage"));
        });
    printFits(out);
    printClients(out);
  }

  /**
   * The straight lines of the paper's figures: against OSDs, and against one over the width. Each
   * line is of one kind of cluster and of files.
   */
  private void printFits(PrintStream out) {
    Map<String, FittedPoints> lines = new TreeMap<>();
    List<String> busy = new ArrayList<>();
    measured.forEach(
        (place, rounds) -> {
          boolean isBusy = most(rounds, "machineBusy") > BUSY;
          if (isBusy) {
            busy.add(
                "%s, %d OSDs, %s, width %d"
                    .formatted(place.sweep, place.osds, managers(place.managers), place.width));
          }
          String kind =
              "files of %s, share %d %%".formatted(size(place.fileBytes), place.sharePercent);
          boolean isOfWidths = place.sweep.equals("widths");
          if (isOfWidths || isOverOsds(place)) {
            String name =
                isOfWidths
                    ? "Figure 6, %d OSDs, %s".formatted(place.osds, kind)
                    : "Figure 5, %s, width %d, %s"
                        .formatted(managers(place.managers), place.width, kind);
            lines
                .computeIfAbsent(
                    name,
                    key ->
                        new FittedPoints(
                            isOfWidths ? "times one over the width" : "for each OSD more"))
                .add(
                    isOfWidths ? 1.0 / place.width : place.osds,
                    rounds.stream()
                        .map(round -> round.get("megabytesPerSecond").asDouble())
                        .toList(),
                    median(rounds, "boundMegabytesPerSecond"),
                    isBusy);
          }
        });
    line(out, "");
    lines.forEach(
        (name, points) -> points.sentences().forEach(each -> line(out, "%s: %s", name, each)));
    if (!busy.isEmpty()) {
      line(
          out,
          "The machine was more than %.0f %% busy in a round at least, and may be what bounds the"
              + " rate: %s. Take a lower --rate.",
          100 * BUSY,
          String.join("; ", busy));
    }
  }

  private static double most(List<JsonNode> lines, String name) {
    return lines.stream().mapToDouble(line -> line.path(name).asDouble()).max().orElse(0);
  }

  private static boolean isOverOsds(Place place) {
    return place.sweep.equals("osds") || place.sweep.equals("managers");
  }

  private static String size(int bytes) {
    return bytes >= 1 << 20 ? (bytes >> 20) + " MiB" : (bytes >> 10) + " KiB";
  }

  private void printClients(PrintStream out) {
    if (measured.values().stream().noneMatch(lines -> lines.get(0).has(PHASES.get(0)))) {
      return;
    }
    line(out, "");
    line(
        out, "| share | clients with | reads | p50 ms | p99 | writes | p50 ms | p99 | rebuild s |");
    line(out, "| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    measured.forEach(
        (place, lines) -> {
          for (int i = 0; i < PHASES.size() && lines.get(0).has(PHASES.get(0)); i++) {
            String phase = PHASES.get(i);
            line(
                out,
                "| %d %% | %s | %,.0f | %.0f | %.0f | %,.0f | %.0f | %.0f | %s |",
                place.sharePercent,
                PHASE_NAMES.get(i),
                median(lines, phase, "reads"),
                median(lines, phase, "readP50Millis"),
                median(lines, phase, "readP99Millis"),
                median(lines, phase, "writes"),
                median(lines, phase, "writeP50Millis"),
                median(lines, phase, "writeP99Millis"),
                i == PHASES.size() - 1
                    ? String.format(Locale.ROOT, "%.1f", median(lines, "seconds"))
                    : "");
          }
        });
  }

  private static void line(PrintStream out, String format, Object... values) {
    out.printf(Locale.ROOT, format + "%n", values);
  }

  void draw(Path directory) throws IOException {
    Map<String, SortedMap<Integer, Double>> overOsds = new LinkedHashMap<>();
    SortedMap<Integer, Double> bound = new TreeMap<>();
    SortedMap<Integer, Double> overWidth = new TreeMap<>();
    SortedMap<Integer, Double> widthBound = new TreeMap<>();
    measured.forEach(
        (place, lines) -> {
          double rate = median(lines, "megabytesPerSecond");
          double most = median(lines, "boundMegabytesPerSecond");
          if (place.sweep.equals("widths")) {
            overWidth.put(place.width, rate);
            widthBound.put(place.width, most);
          } else if (isOverOsds(place)) {
            overOsds
                .computeIfAbsent(managers(place.managers), key -> new TreeMap<>())
                .put(place.osds, rate);
            bound.put(place.osds, most);
          }
        });
    if (!bound.isEmpty()) {
      List<Series> lines = new ArrayList<>();
      overOsds.forEach((name, points) -> lines.add(series(name, points, false)));
      lines.add(series("all disks busy", bound, true));
      new LineChart("Rebuild of one OSD against the number of OSDs", "OSDs", "MB/s", false, lines)
          .write(directory.resolve("osds.svg"));
    }
    if (!overWidth.isEmpty()) {
      new LineChart(
              "Rebuild of one OSD against the width of parity groups",
              "width: data units and one parity unit",
              "MB/s",
              false,
              List.of(
                  series("measured", overWidth, false), series("all disks busy", widthBound, true)))
          .write(directory.resolve("width.svg"));
    }
  }

  private static String managers(int count) {
    return count == 1 ? "1 manager" : count + " managers";
  }

  private static Series series(String name, SortedMap<Integer, Double> line, boolean dashed) {
    Function<Map.Entry<Integer, Double>, Series.Point> point =
        each -> new Series.Point(each.getKey(), each.getValue());
    return new Series(name, line.entrySet().stream().map(point).toList(), dashed);
  }
}
