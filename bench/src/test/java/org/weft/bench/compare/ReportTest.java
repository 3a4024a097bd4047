package org.weft.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.bench.summary.NotedRun;

class ReportTest {
  private final List<JsonNode> lines = new ArrayList<>();
  @TempDir private Path folder;

  private void add(String label, int number, double rate, double client, double osd)
      throws IOException {
    lines.add(
        new ObjectMapper()
            .readTree(
                """
                {"case":"create","planned":0,"subject":"own","label":"%s","what":"repetition","number":%d,
                 "data":{"unit":"op/s","rate":%s,"cpuUnit":"us/op","cpuCost":%s,"p50Millis":1,"p99Millis":2,
                         "maxMillis":%d,"operations":7,"cpuCostOf":{"client":%s,"osd":%s}}}\
                """
                    .formatted(label, number, rate, client + osd, 5 - number, client, osd)));
  }

  /** Number of values, least, median and highest; null if the summary lacks it. */
  private List<Number> figure(String name, String system, String figure) throws IOException {
    NotedRun.in(folder);
    CaseFigures.write(CaseResult.of(lines), folder);
    for (JsonNode row :
        new ObjectMapper().readTree(folder.resolve("summary.json").toFile()).get("cases")) {
      if (List.of(name, system, figure)
          .equals(
              List.of(
                  row.get("case").asText(),
                  row.get("system").asText(),
                  row.get("figure").asText()))) {
        return List.of(
            row.get("values").asInt(),
            row.get("min").asDouble(),
            row.get("median").asDouble(),
            row.get("max").asDouble());
      }
    }
    return null;
  }

  private double median(String system, String figure) throws IOException {
    return figure("create", system, figure).get(2).doubleValue();
  }

  @Test
  void aCaseThatIsMeasuredAgainStandsByItself() throws IOException {
    add("own", 0, 100, 1, 1);
    lines.add(((ObjectNode) lines.get(0).deepCopy()).put("planned", 1));

    assertEquals(List.of(1, 100.0, 100.0, 100.0), figure("create", "own", "rate"));
    assertEquals(List.of(1, 100.0, 100.0, 100.0), figure("create, again", "own", "rate"));
  }

  @Test
  void theBestPeerIsNamedAndRatiosAreThoseOfPairs() throws IOException {
    double[] own = {100, 220, 300};
    double[] slow = {10, 20, 30};
    double[] fast = {50, 100, 100};
    for (int i = 0; i < own.length; i++) {
      add("own", i, own[i], 1, 3);
      add("slow", i, slow[i], 1, 1);
      add("fast", i, fast[i], 2, 6);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();

    new Report(CaseResult.of(lines)).print(new PrintStream(out, true, StandardCharsets.UTF_8));

    String text = out.toString(StandardCharsets.UTF_8);
    assertTrue(
        text.contains(
            "| create | op/s | own | 220 | 4.00 us/op | fast | 100 | 8.00 | 2.20 (2.00 - 3.00) | 0.50 (0.50 - 0.50) |"),
        text);
    assertTrue(
        text.contains(
            "| create | slow | 3 | 20 | 10 - 30 | op/s | 2.00 us/op | client 1.00, osd 1.00"
                + " | 1.000 | 2.000 | 5.000 |"),
        text);
    assertEquals(
        List.of(3, 3.0, 4.0, 5.0), figure("create", "slow", "maxMillis"), "least, median, highest");
    assertEquals(List.of(3, 10.0, 10.0, 11.0), figure("create", "own", "rate over that of slow"));
  }

  @Test
  void theSubjectInOtherWaysIsNoPeerOfItsOwn() throws IOException {
    add("own", 0, 100, 1, 1);
    add("own-tcp", 0, 80, 2, 2);
    add("other", 0, 40, 1, 1);
    add("own-netem", 0, 30, 3, 3);
    add("other-netem", 0, 20, 2, 1);
    ByteArrayOutputStream out = new ByteArrayOutputStream();

    new Report(CaseResult.of(lines)).print(new PrintStream(out, true, StandardCharsets.UTF_8));

    String text = out.toString(StandardCharsets.UTF_8);
    for (String row :
        List.of(
            "| create | op/s | own | 100 | 2.00 us/op | other | 40 | 2.00 | 2.50 (2.50 - 2.50) |",
            "| create | op/s | own-tcp | 80 | 4.00 us/op | other | 40 | 2.00 | 2.00 (2.00 - 2.00) |",
            "| create | op/s | own-netem | 30 | 6.00 us/op | other-netem | 20 | 3.00 | 1.50 (1.50 - 1.50) |")) {
      assertTrue(text.contains(row), text);
    }
    assertEquals(2.5, median("own", "rate over that of other"));
    assertEquals(1.5, median("own-netem", "rate over that of other-netem"));
    assertEquals(1.25, median("own", "rate over that of own-tcp"));
    assertNull(
        figure("create", "own", "rate over that of own-netem"), "it is behind the link alone");
  }
}
