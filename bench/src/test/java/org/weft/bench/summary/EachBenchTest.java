package org.weft.bench.summary;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.bench.cold.ColdReport;
import org.weft.bench.growth.GrowthReport;
import org.weft.bench.rebuild.RebuildCharts;
import org.weft.bench.scale.ScalingReport;

/** Each bench's report leaves the same kind of summary, of what its run measured. */
class EachBenchTest {
  @TempDir private Path folder;

  @BeforeEach
  void begin() throws IOException {
    NotedRun.in(folder);
  }

  private void measured(String file, String... lines) throws IOException {
    Files.write(folder.resolve(file), List.of(lines));
  }

  /** What the summary has of a figure: case, system, unit, values, least, median, highest. */
  private List<String> rows(String figure) throws IOException {
    JsonNode run = new ObjectMapper().readTree(folder.resolve("summary.json").toFile());
    assertEquals("bench/fake --reps 3", run.get("command").asText());
    return StreamSupport.stream(run.get("cases").spliterator(), false)
        .filter(row -> row.get("figure").asText().equals(figure))
        .map(
            row ->
                List.of("case", "system", "unit", "values", "min", "median", "max").stream()
                    .map(name -> row.get(name).asText())
                    .collect(Collectors.joining(" | ")))
        .toList();
  }

  private static String cold(String system, int wallMillis) {
    return """
    {"system":"%s","name":"put","wallMillis":%d,"cpuMillis":7,"firstByteMillis":1,"classes":2,"methods":3,"jitMillis":4}\
    """
        .formatted(system, wallMillis);
  }

  @Test
  void cold() throws IOException {
    measured(
        "cold.jsonl", cold("weft", 300), cold("hdfs", 400), cold("weft", 100), cold("hdfs", 800));

    ColdReport.main(new String[] {folder.toString()});

    assertEquals(
        List.of(
            "put | weft | ms | 2 | 100.0 | 200.0 | 300.0",
            "put | hdfs | ms | 2 | 400.0 | 600.0 | 800.0"),
        rows("wallMillis"));
    assertEquals(
        List.of("put | weft | ratio | 2 | 0.125 | 0.4375 | 0.75"),
        rows("wallMillis over that of hdfs"));
  }

  private static String repetition(String label, int number, int rate) {
    return """
    {"case":"create --threads 1","planned":0,"subject":"%s","label":"%s","what":"repetition","number":%d,"workload":"create","clients":1,
    "data":{"unit":"op/s","rate":%d,"cpuUnit":"us/op","cpuCost":2,"p50Millis":1,"p99Millis":2,"maxMillis":3,"operations":7,"cpuCostOf":{"client":2}}}\
    """
        .replace("\n", "")
        .formatted(label, label, number, rate);
  }

  @Test
  void growth() throws IOException {
    measured("measured.jsonl", repetition("OSDs=3", 0, 10), repetition("OSDs=3", 1, 30));

    GrowthReport.main(new String[] {folder.toString()});

    assertEquals(
        List.of("create --threads 1 | OSDs=3 | op/s | 2 | 10.0 | 20.0 | 30.0"), rows("rate"));
  }

  @Test
  void scaling() throws IOException {
    measured("measured.jsonl", repetition("osds-3", 0, 10), repetition("osds-6", 0, 30));

    ScalingReport.main(new String[] {folder.toString(), "1000000"});

    assertEquals(
        List.of(
            "create --threads 1 | osds-3 | op/s | 1 | 10.0 | 10.0 | 10.0",
            "create --threads 1 | osds-6 | op/s | 1 | 30.0 | 30.0 | 30.0"),
        rows("rate"));
  }

  private static String rebuild(int osds, double seconds) {
    return """
    {"sweep":"osds","osds":%d,"managers":1,"width":3,"fileBytes":2097152,"sharePercent":100,"lostFiles":40,"lostBytes":20000000,
    "firstSeconds":1.5,"seconds":%s,"megabytesPerSecond":%s,"boundMegabytesPerSecond":8,"machineBusy":0.5,"loadAverage":2.5,
    "clientsAlone":{"readP50Millis":6}}\
    """
        .replace("\n", "")
        .formatted(osds, seconds, 20 / seconds);
  }

  @Test
  void rebuilding() throws IOException {
    measured("measured.jsonl", rebuild(4, 5), rebuild(4, 10), rebuild(8, 2), rebuild(8, 2));

    RebuildCharts.main(new String[] {folder.toString()});

    String tail = " OSDs, 1 managers, width 3, files of 2 MiB, share 100 % | weft | ";
    assertEquals(
        List.of(
            "osds, 4" + tail + "MB/s | 2 | 2.0 | 3.0 | 4.0",
            "osds, 8" + tail + "MB/s | 2 | 10.0 | 10.0 | 10.0"),
        rows("megabytesPerSecond"));
    assertEquals(2, rows("clientsAlone: readP50Millis").size());
  }
}
