package org.weft.bench.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.weft.bench.summary.RunSummary;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * What a store costs as it grows: heap, the time to open after {@code kill -9} and after an orderly
 * stop, and CPU of small writes. It also shows how streams lie that are written beside each other.
 */
@Command(
    name = "store",
    mixinStandardHelpOptions = true,
    description = "Measures one object store as it grows. Each line is a store of its own.")
public final class StoreBench implements Callable<Integer> {
  private static final List<String> COLUMNS =
      List.of(
          "fillHeapMib",
          "killedOpenMillis",
          "killedOpenCpuSeconds",
          "cleanOpenMillis",
          "cleanOpenCpuSeconds",
          "openHeapMib",
          "createMicros",
          "writeMicros",
          "writeAllocatedBytes");

  private final ObjectMapper json = new ObjectMapper();

  @Option(names = "--dir", required = true, description = "Empty folder for the stores.")
  private Path folder;

  @Option(
      names = "--objects",
      split = ",",
      defaultValue = "1000,10000,100000",
      description = "How many objects of 4 KiB; up to 1000000 and more (default ${DEFAULT-VALUE}).")
  private List<Long> objects;

  @Option(
      names = "--sparse-gib",
      defaultValue = "0",
      description = "GiB of sparse data beside them, in objects of 1 GiB.")
  private long sparseGib;

  @Option(
      names = "--stream-gib",
      defaultValue = "1",
      description = "How much sixteen streams write; 0 leaves them out.")
  private long streamGib;

  @Option(
      names = "--out",
      required = true,
      description = "Folder that is there, for measured.jsonl and samples.tsv.")
  private Path out;

  @Option(names = "--heap", defaultValue = "512m", description = "Heap of each process.")
  private String heap;

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new StoreBench()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    System.out.println("| objects | sparse GiB | " + String.join(" | ", COLUMNS) + " |");
    System.out.println("| --- | --- |" + " --- |".repeat(COLUMNS.size()));
    for (long count : objects) {
      measure(count);
    }
    if (streamGib > 0) {
      Path store = folder.resolve("streams");
      JsonNode streams = run("streams", store, 0, streamGib << 30, false);
      add("16 streams, %d GiB".formatted(streamGib), (ObjectNode) streams);
      System.out.printf(
          Locale.ROOT,
          "%n16 streams at once, %d GiB: %.0f extents and %.1f pieces a GiB, %.2f CPU-s a GiB%n",
          streamGib,
          streams.get("extentsPerGib").asDouble(),
          streams.get("piecesPerGib").asDouble(),
          streams.get("cpuPerGib").asDouble());
      remove(store);
    }
    return 0;
  }

  private void measure(long count) throws IOException, InterruptedException {
    Path store = folder.resolve("objects-" + count);
    ObjectNode all = json.createObjectNode();
    JsonNode filled = run("fill", store, count, sparseGib << 30, true);
    all.put("fillHeapMib", filled.get("heapMib").asLong());
    all.put("createMicros", filled.get("createMicros").asDouble());
    all.put("sparseCpuPerGib", filled.get("cpuPerGib").asDouble());
    JsonNode killed = run("open", store, count, 0, false);
    all.put("killedOpenMillis", killed.get("openMillis").asLong());
    all.put("killedOpenCpuSeconds", killed.get("openCpuSeconds").asDouble());
    JsonNode clean = run("open", store, count, 0, false);
    all.put("cleanOpenMillis", clean.get("openMillis").asLong());
    all.put("cleanOpenCpuSeconds", clean.get("openCpuSeconds").asDouble());
    all.put("openHeapMib", clean.get("heapMib").asLong());
    JsonNode writes = run("writes", store, count, 0, false);
    all.put("writeMicros", writes.get("writeMicros").asDouble());
    all.put("writeAllocatedBytes", writes.get("writeAllocatedBytes").asLong());
    add("%d objects of 4 KiB, %d GiB sparse".formatted(count, sparseGib), all);
    StringBuilder row = new StringBuilder("| " + count + " | " + sparseGib + " |");
    for (String column : COLUMNS) {
      double value = all.get(column).asDouble();
      row.append(' ')
          .append(
              value == Math.rint(value)
                  ? String.valueOf((long) value)
                  : String.format(Locale.ROOT, "%.2f", value))
          .append(" |");
    }
    System.out.println(row);
    remove(store);
  }

  private void add(String name, ObjectNode result) throws IOException {
    StringBuilder samples = new StringBuilder();
    for (var each : result.properties()) {
      samples.append(
          RunSummary.sample(
              name,
              "store",
              each.getKey(),
              RunSummary.unitOf(each.getKey()),
              each.getValue().asDouble()));
    }
    append("samples.tsv", samples.toString());
    append("measured.jsonl", json.writeValueAsString(result.put("case", name)) + "\n");
  }

  private void append(String file, String text) throws IOException {
    var unused =
        Files.writeString(
            out.resolve(file), text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** Runs a phase in a process of its own, which is killed once it has said its line if asked. */
  private JsonNode run(String phase, Path store, long count, long bytes, boolean kill)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heap,
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                StorePhase.class.getName(),
                phase,
                store.toString(),
                Long.toString(count),
                Long.toString(bytes)));
    Process child =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
      String line = out.readLine();
      while (line != null && !line.startsWith("{")) {
        line = out.readLine();
      }
      if (kill) {
        child.destroyForcibly();
      }
      int exit = child.waitFor();
      if (line == null) {
        throw new IOException("phase " + phase + " ended with " + exit + " and said nothing");
      }
      return json.readTree(line);
    } finally {
      child.destroyForcibly();
    }
  }

  private static void remove(Path folder) throws IOException {
    List<Path> all;
    try (Stream<Path> tree = Files.walk(folder)) {
      all = tree.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.delete(path);
    }
  }
}
