package org.weft.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ComparisonTest {
  @Test
  void eachLabelHasItsColumnsAndRepeatedRunsTheirMedian() throws IOException {
    Comparison comparison = new Comparison();
    add(comparison, "here", "create", 100, 3);
    add(comparison, "there", "create", 50, 6);
    add(comparison, "here", "create", 300, 1);
    add(comparison, "here", "create", 200, 2);
    add(comparison, "here", "stat", 7, 0.5);
    ByteArrayOutputStream out = new ByteArrayOutputStream();

    comparison.print(new PrintStream(out, true, StandardCharsets.UTF_8));

    assertEquals(
        """
        | load | threads | bytes | unit | here | CPU | there | CPU |
        | --- | --- | --- | --- | --- | --- | --- | --- |
        | create | 4 |  | op/s | 200 | 2.00 us/op | 50 | 6.00 us/op |
        | stat | 4 |  | op/s | 7 | 0.50 us/op | - | - |
        """,
        out.toString(StandardCharsets.UTF_8));
  }

  private static void add(
      Comparison comparison, String label, String workload, double rate, double cpu)
      throws IOException {
    comparison.add(
        new ObjectMapper()
            .readTree(
                """
                {"label":"%s","workload":"%s","threads":4,"ioBytes":0,"unit":"op/s","medianRate":%s,
                 "cpuCost":%s,"cpuUnit":"us/op"}"""
                    .formatted(label, workload, rate, cpu)));
  }
}
