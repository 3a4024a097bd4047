package org.weft.bench.rebuild;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RebuildChartsTest {
  private static final String LINE =
      """
      {"sweep":"%s","osds":%d,"managers":1,"width":%d,"fileBytes":2097152,"sharePercent":100,
       "lostFiles":40,"lostBytes":20000000,"firstSeconds":1.5,"seconds":%s,"megabytesPerSecond":%s,
       "boundMegabytesPerSecond":8,"machineBusy":0.5,"loadAverage":2.5}
      """;

  private static final String FIGURE_5 =
      "Figure 5, 1 manager, width 3, files of 2 MiB, share 100 %: ";

  private static JsonNode line(String sweep, int osds, int width, double seconds) throws Exception {
    return new ObjectMapper().readTree(LINE.formatted(sweep, osds, width, seconds, 20 / seconds));
  }

  @Test
  void roundsOfOnePointAreOneRowWithTheirMedian(@TempDir Path folder) throws Exception {
    RebuildCharts report =
        new RebuildCharts(
            List.of(
                line("osds", 8, 7, 10),
                line("osds", 8, 7, 4),
                line("osds", 8, 7, 5),
                line("widths", 12, 3, 5),
                line("widths", 12, 9, 10)));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    report.print(new PrintStream(out, true, StandardCharsets.UTF_8));
    report.draw(folder);

    String text = out.toString(StandardCharsets.UTF_8);
    assertEquals(6, text.lines().count(), text);
    assertTrue(
        text.contains(
            "| osds | 8 | 1 | 7 | 40 of 2 MiB | 100 % | 3 | 20.0 | 1.5 | 5.0 | 4.00 | 8.00 | 50 % |"
                + " 50 % | 2.5 |"),
        text);
    assertTrue(Files.readString(folder.resolve("osds.svg")).contains("1 manager"));
    assertTrue(Files.readString(folder.resolve("width.svg")).contains("all disks busy"));
  }

  private static String printed(List<JsonNode> lines) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new RebuildCharts(lines).print(new PrintStream(out, true, StandardCharsets.UTF_8));
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void theStraightLinesOfTheFiguresAreFitted() throws Exception {
    // 20 MB are rebuilt: a quarter MB/s for each OSD, and 12 MB/s over the width.
    String text =
        printed(
            List.of(
                line("osds", 4, 3, 20),
                line("osds", 8, 3, 10),
                line("osds", 16, 3, 5),
                line("widths", 12, 3, 5),
                line("widths", 12, 4, 20 / 3.0),
                line("widths", 12, 6, 10)));
    assertTrue(
        text.contains(
            FIGURE_5
                + "0.250 MB/s for each OSD more (0.000 if all disks are busy), 0.000 MB/s at zero,"
                + " R2 1.000 (3 points, medians of 1 rounds that lie up to 0 % apart)"),
        text);
    assertTrue(
        text.contains(
            "Figure 6, 12 OSDs, files of 2 MiB, share 100 %: 12.000 MB/s times one over the width"),
        text);
    assertFalse(text.contains("busy in a round"), text);
    assertFalse(text.contains("busy points"), text);
  }

  /** 5 MB/s, and a quarter for each OSD: as straight, and the disks are not what bounds it. */
  @Test
  void theFitSaysWhereItsLineBegins() throws Exception {
    String text =
        printed(
            List.of(
                line("osds", 4, 3, 20 / 6.0),
                line("osds", 8, 3, 20 / 7.0),
                line("osds", 16, 3, 20 / 9.0)));
    assertTrue(text.contains(FIGURE_5 + "0.250 MB/s for each OSD more"), text);
    assertTrue(text.contains("5.000 MB/s at zero, R2 1.000"), text);
  }

  @Test
  void equalRatesLieOnNoLineThatExplainsThem() throws Exception {
    String text =
        printed(List.of(line("osds", 4, 3, 5), line("osds", 8, 3, 5), line("osds", 12, 3, 5)));
    assertTrue(text.contains("R2 not defined, all rates are the same"), text);
  }

  @Test
  void filesOfAnotherSizeAndWidthHaveALineOfTheirOwn() throws Exception {
    String text =
        printed(
            List.of(
                line("osds", 4, 3, 20),
                line("osds", 8, 3, 10),
                line("osds", 16, 3, 5),
                line("osds", 4, 7, 5),
                line("osds", 8, 7, 10),
                line("osds", 16, 7, 20)));
    assertTrue(text.contains(FIGURE_5 + "0.250 MB/s for each OSD more"), text);
    assertTrue(text.contains("Figure 5, 1 manager, width 7, files of 2 MiB"), text);
  }

  @Test
  void pointsThatLieOnNoLineAreSaid() throws Exception {
    String text =
        printed(List.of(line("osds", 4, 3, 5), line("osds", 8, 3, 20), line("osds", 12, 3, 5)));
    assertTrue(text.contains(FIGURE_5 + "0.000 MB/s for each OSD more"), text);
    assertTrue(text.contains("R2 0.000"), text);
    String two = printed(List.of(line("osds", 4, 3, 5), line("osds", 8, 3, 20)));
    assertFalse(two.contains("Figure 5"), two);
  }

  @Test
  void theReportNamesBusyRounds() throws Exception {
    JsonNode busy =
        new ObjectMapper()
            .readTree(
                LINE.formatted("osds", 24, 3, 5.0, 4.0)
                    .replace("\"machineBusy\":0.5", "\"machineBusy\":0.9"));
    JsonNode quiet = line("osds", 24, 3, 5);
    String text =
        printed(
            List.of(
                line("osds", 4, 3, 20),
                line("osds", 8, 3, 10),
                line("osds", 16, 3, 5),
                busy,
                quiet,
                quiet));
    assertTrue(text.contains(FIGURE_5 + "without busy points 0.250 MB/s for each"), text);
    assertTrue(text.contains("bounds the rate: osds, 24 OSDs, 1 manager, width 3."), text);
  }

  @Test
  void clientsHaveATableOfTheirOwn() throws Exception {
    String phases =
        """
        {"sweep":"clients","osds":8,"managers":1,"width":7,"fileBytes":2097152,"sharePercent":50,
         "seconds":9.5,"clientsAlone":{"reads":200,"readP99Millis":41},
         "clientsWithoutIt":{"reads":200,"readP99Millis":80},
         "clientsDuringRebuild":{"reads":190,"readP99Millis":160}}
        """;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new RebuildCharts(List.of(new ObjectMapper().readTree(phases)))
        .print(new PrintStream(out, true, StandardCharsets.UTF_8));

    String text = out.toString(StandardCharsets.UTF_8);
    assertTrue(
        text.contains("| 50 % | while it is rebuilt | 190 | 0 | 160 | 0 | 0 | 0 | 9.5 |"), text);
  }

  @Test
  void chartsWithoutMeasurementsAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> new RebuildCharts(List.of()));
  }
}
