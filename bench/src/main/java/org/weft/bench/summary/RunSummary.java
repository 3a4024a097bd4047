package org.weft.bench.summary;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.Reader;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.weft.bench.load.Measurement;

/**
 * What a run of a bench came to: {@code summary.json}, of one shape for all benches. It names the
 * command, the commit and the machine, and has the least, the median and the highest value of each
 * figure.
 *
 * <p>The scripts under {@code bench/} note in {@code run.properties} what is run, and that it has
 * ended. Figures come as single values: of the reports of benches, and of {@code samples.tsv},
 * where scripts write values themselves. Not thread-safe.
 */
public final class RunSummary {
  /** The unit of one system's value over another's. */
  public static final String RATIO = "ratio";

  private static final MathContext SHOWN = new MathContext(5);
  private static final int SAMPLE_FIELDS = 5;

  /** Ends of names; the first that fits counts. */
  private static final List<Map.Entry<String, String>> UNITS =
      List.of(
          Map.entry("puPerGib", "s/GiB"),
          Map.entry("PerGib", "1/GiB"),
          Map.entry("egabytesPerSecond", "MB/s"),
          Map.entry("econds", "s"),
          Map.entry("Millis", "ms"),
          Map.entry("Micros", "us"),
          Map.entry("Bytes", "B"),
          Map.entry("Mib", "MiB"));

  private record Place(String name, String system, String figure, String unit) {}

  private final ObjectMapper mapper = new ObjectMapper();
  private final Map<Place, List<Double>> figures = new LinkedHashMap<>();
  private final List<String> failures = new ArrayList<>();

  /** Writes the summary of a directory that has {@code samples.tsv} alone. */
  public static void main(String[] arguments) throws IOException {
    new RunSummary().write(Path.of(arguments[0]));
  }

  /**
   * Adds values of one figure, one for each repetition. Without any it adds nothing.
   *
   * @param name of the case, with all that parts it from others
   * @param figure like {@code rate} or {@code cpuCost}
   * @param unit like {@code MB/s}; {@link #RATIO} of one system's value over another's
   * @throws IllegalArgumentException if a value is not finite, which JSON cannot say
   */
  public void add(String name, String system, String figure, String unit, double... values) {
    for (double value : values) {
      if (!Double.isFinite(value)) {
        throw new IllegalArgumentException(
            "%s of %s at '%s' is %s; run it again".formatted(figure, system, name, value));
      }
      figures
          .computeIfAbsent(new Place(name, system, figure, unit), key -> new ArrayList<>())
          .add(value);
    }
  }

  /** Adds what went wrong: the run is not whole. */
  public void failed(String failure) {
    failures.add(failure);
  }

  /**
   * Writes {@code summary.json} into the directory of a run. An older one is replaced.
   *
   * @throws IOException if the directory lacks {@code run.properties}, or a line of {@code
   *     samples.tsv} makes no sense
   */
  public void write(Path directory) throws IOException {
    Properties run = new Properties();
    Path noted = directory.resolve("run.properties");
    if (!Files.exists(noted)) {
      throw new IOException(
          directory + " has no run.properties, which says what was run; run the bench again");
    }
    try (Reader reader = Files.newBufferedReader(noted)) {
      run.load(reader);
    }
    addSamples(directory.resolve("samples.tsv"));
    var unused = Files.writeString(directory.resolve("summary.json"), text(run));
  }

  /** A line of {@code samples.tsv}. */
  public static String sample(
      String name, String system, String figure, String unit, double value) {
    return String.join("\t", name, system, figure, unit, Double.toString(value)) + "\n";
  }

  /** CASE, SYSTEM, FIGURE, UNIT, VALUE of each line, parted by tabs. */
  private void addSamples(Path file) throws IOException {
    if (!Files.exists(file)) {
      return;
    }
    for (String line : Files.readAllLines(file)) {
      String[] fields = line.split("\t", -1);
      if (fields.length != SAMPLE_FIELDS) {
        throw new IOException(
            "'%s' has %d fields, not %d: CASE, SYSTEM, FIGURE, UNIT, VALUE"
                .formatted(line, fields.length, SAMPLE_FIELDS));
      }
      add(fields[0], fields[1], fields[2], fields[3], Double.parseDouble(fields[4]));
    }
  }

  /** One figure a line, so that a search for a case finds it whole. */
  private String text(Properties run) throws JsonProcessingException {
    List<String> head = new ArrayList<>();
    for (String name : List.of("command", "commit", "begun", "ended", "conditions")) {
      head.add(field(name, mapper.valueToTree(run.getProperty(name))));
    }
    head.add(field("machine", machine(run)));
    head.add(field("failures", mapper.valueToTree(failures)));
    List<String> rows = new ArrayList<>();
    for (Map.Entry<Place, List<Double>> each : figures.entrySet()) {
      rows.add("  " + mapper.writeValueAsString(row(each.getKey(), each.getValue())));
    }
    return "{\n%s,\n\"cases\": [\n%s\n]\n}\n"
        .formatted(String.join(",\n", head), String.join(",\n", rows));
  }

  private String field(String name, JsonNode value) throws JsonProcessingException {
    return "\"%s\": %s".formatted(name, mapper.writeValueAsString(value));
  }

  private ObjectNode machine(Properties run) {
    ObjectNode machine = mapper.createObjectNode();
    machine.put("cores", Integer.parseInt(run.getProperty("cores")));
    machine.put("memoryMib", Long.parseLong(run.getProperty("memoryMib")));
    machine.put("jdk", run.getProperty("jdk"));
    for (String load : List.of("loadBefore", "loadAfter")) {
      if (run.containsKey(load)) {
        machine.put(load, new BigDecimal(run.getProperty(load)));
      }
    }
    return machine;
  }

  private ObjectNode row(Place place, List<Double> values) {
    double[] all = values.stream().mapToDouble(Double::doubleValue).toArray();
    return mapper
        .createObjectNode()
        .put("case", place.name)
        .put("system", place.system)
        .put("figure", place.figure)
        .put("unit", place.unit)
        .put("values", all.length)
        .put("min", shown(Arrays.stream(all).min().orElseThrow()))
        .put("median", shown(Measurement.median(all)))
        .put("max", shown(Arrays.stream(all).max().orElseThrow()));
  }

  private static double shown(double value) {
    return BigDecimal.valueOf(value).round(SHOWN).doubleValue();
  }

  /** The unit of a figure that is named with it, as in {@code openMillis}. */
  public static String unitOf(String figure) {
    return UNITS.stream()
        .filter(unit -> figure.endsWith(unit.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse("count");
  }
}
