package org.weft.bench.summary;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The summary of fake runs, whose notes the scripts' own functions write. */
class RunSummaryTest {
  @TempDir private Path folder;

  private final RunSummary summary = new RunSummary();

  private JsonNode written() throws IOException {
    summary.write(folder);
    return read();
  }

  private JsonNode read() throws IOException {
    return new ObjectMapper().readTree(folder.resolve("summary.json").toFile());
  }

  @Test
  void aRunIsSummedUpWithItsCommandAndMachine() throws IOException {
    NotedRun.in(folder);
    summary.add("stream \"of\" one", "weft", "rate", "MB/s", 30, 10.123456, 20);
    summary.add("stream \"of\" one", "weft", "rate over that of other", RunSummary.RATIO, 1, 2);

    JsonNode run = written();

    assertEquals("bench/fake --reps 3", run.get("command").asText());
    assertTrue(
        run.get("commit").asText().matches("[0-9a-f]{8,}(-changed)?|unknown"), run::toString);
    assertTrue(run.get("begun").asText().matches("\\d{4}-\\d\\d-\\d\\dT.*Z"), run::toString);
    assertTrue(run.get("ended").asText().endsWith("Z"), run::toString);
    assertEquals("a test", run.get("conditions").asText());
    assertTrue(run.get("machine").get("cores").asInt() > 0, run::toString);
    assertTrue(run.get("machine").get("memoryMib").asLong() > 0, run::toString);
    assertTrue(run.get("machine").get("jdk").asText().matches("\\d+.*"), run::toString);
    assertTrue(run.get("machine").has("loadAfter"), run::toString);
    assertEquals(
        new ObjectMapper()
            .readTree(
                """
                [{"case":"stream \\"of\\" one","system":"weft","figure":"rate","unit":"MB/s",
                  "values":3,"min":10.123,"median":20.0,"max":30.0},
                 {"case":"stream \\"of\\" one","system":"weft","figure":"rate over that of other",
                  "unit":"ratio","values":2,"min":1.0,"median":1.5,"max":2.0}]\
                """),
        run.get("cases"));
  }

  @Test
  void pathsAndPortsAreNotInTheCommand() throws IOException {
    NotedRun.begin(
        folder, "--plan", "/secret/place/own.plan", "--out", "/secret/out", "--port", "7", "a b");

    assertEquals("bench/fake --plan own.plan 'a b'", written().get("command").asText());
  }

  @Test
  void aRunThatWasBrokenOffHasNoEnd() throws IOException {
    NotedRun.in(folder);
    summary.failed("weft at create: refused");
    JsonNode first = written();
    assertEquals("weft at create: refused", first.get("failures").get(0).asText());

    NotedRun.begin(folder);
    assertFalse(Files.exists(folder.resolve("summary.json")), "that of the run before");
    assertTrue(written().get("ended").isNull());
  }

  @Test
  void valuesThatScriptsWroteAreSummedUp() throws IOException {
    NotedRun.in(folder);
    Files.writeString(
        folder.resolve("samples.tsv"),
        RunSummary.sample("change", "three", "took", "ms", 4)
            + RunSummary.sample("change", "three", "took", "ms", 2));

    RunSummary.main(new String[] {folder.toString()});

    JsonNode row = read().get("cases").get(0);
    assertEquals(2, row.get("values").asInt());
    assertEquals(2, row.get("min").asDouble());
    assertEquals(3, row.get("median").asDouble());
    assertEquals(4, row.get("max").asDouble());
    Files.writeString(folder.resolve("samples.tsv"), "change\tthree\n");
    assertThrows(IOException.class, () -> new RunSummary().write(folder));
  }

  @Test
  void iterationsOfJmhAreSummedUpWithTheCpuOfAnOperation() throws IOException {
    NotedRun.in(folder);
    Files.writeString(
        folder.resolve("jmh.json"),
        """
        [{"benchmark":"org.weft.Some.ours","threads":4,"params":{"size":"16"},
          "primaryMetric":{"scoreUnit":"ops/s","rawData":[[1,2],[6]]},
          "secondaryMetrics":{
            "cpuMicros":{"scoreUnit":"#","rawData":[[10,0],[60]]},
            "operations":{"scoreUnit":"#","rawData":[[5,0],[6]]}}}]\
        """);

    JmhReport.main(new String[] {folder.toString()});

    List<JsonNode> rows = read().get("cases").findParents("case");
    assertEquals("Some size=16 threads=4", rows.get(0).get("case").asText());
    assertEquals("ours", rows.get(0).get("system").asText());
    assertEquals(3, rows.get(0).get("values").asInt());
    assertEquals("cpuCost", rows.get(3).get("figure").asText());
    assertEquals(2, rows.get(3).get("values").asInt(), "an iteration without operations");
    assertEquals(6, rows.get(3).get("median").asDouble());
  }

  @Test
  void whatJsonCannotSayIsRefused() {
    assertThrows(
        IllegalArgumentException.class, () -> summary.add("a", "b", "rate", "s", Double.NaN));
    assertThrows(IOException.class, () -> summary.write(folder), "nothing was noted");
  }
}
