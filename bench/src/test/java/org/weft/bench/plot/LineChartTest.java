package org.weft.bench.plot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

class LineChartTest {
  @Test
  void aChartIsADocumentWithAMarkForEveryPoint() throws Exception {
    LineChart chart =
        new LineChart(
            "a < b & c",
            "clients",
            "MB/s",
            false,
            List.of(
                new Series(
                    "read", List.of(new Series.Point(1, 80), new Series.Point(4, 310)), false),
                new Series(
                    "bound", List.of(new Series.Point(0, 0), new Series.Point(4, 400)), true)));

    Document document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new ByteArrayInputStream(chart.svg().getBytes(StandardCharsets.UTF_8)));

    assertEquals("svg", document.getDocumentElement().getTagName());
    assertEquals(2, document.getElementsByTagName("circle").getLength());
  }

  @Test
  void marksAreRoundNumbersThatCoverWhatIsDrawn() {
    assertEquals(
        List.of(0.0, 100.0, 200.0, 300.0, 400.0),
        Axis.over(new double[] {3, 397}, false, 0, 10).marks());
    assertEquals(
        List.of(1_000.0, 10_000.0, 100_000.0),
        Axis.over(new double[] {1_000, 100_000}, true, 0, 10).marks());
    assertEquals(5, Axis.over(new double[] {1_000, 100_000}, true, 0, 10).place(10_000), 1e-9);
    assertEquals("250", Axis.text(250));
    assertEquals("100k", Axis.text(100_000));
    assertEquals("2.5", Axis.text(2.5));
  }

  @Test
  void aSingleValueHasAnAxis() {
    assertEquals(0, Axis.over(new double[] {7}, true, 0, 10).place(7));
    assertEquals(0, Axis.over(new double[] {0}, false, 0, 10).place(0));
    assertThrows(
        IllegalArgumentException.class,
        () -> new LineChart("", "", "", false, List.of(new Series("none", List.of(), false))));
  }
}
