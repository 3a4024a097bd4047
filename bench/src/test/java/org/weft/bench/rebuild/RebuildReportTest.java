package org.weft.bench.rebuild;

import static org.junit.jupiter.api.Assertions.assertEquals;
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

class RebuildReportTest {
  private static final String LINE =
      """
      {"sweep":"%s","osds":%d,"managers":1,"width":%d,"fileBytes":2097152,"sharePercent":100,
       "lostFiles":40,"lostBytes":20000000,"firstSeconds":1.5,"seconds":%s,"megabytesPerSecond":%s,
       "boundMegabytesPerSecond":8,"machineBusy":0.5,"loadAverage":2.5}
      """;

  private static JsonNode line(String sweep, int osds, int width, double seconds) throws Exception {
    return new ObjectMapper().readTree(LINE.formatted(sweep, osds, width, seconds, 20 / seconds));
  }

  @Test
  void roundsOfOnePointAreOneRowWithTheirMedian(@TempDir Path folder) throws Exception {
    RebuildReport report =
        new RebuildReport(
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
    assertEquals(5, text.lines().count(), text);
    assertTrue(
        text.contains(
            "| osds | 8 | 1 | 7 | 40 of 2 MiB | 100 % | 3 | 20.0 | 1.5 | 5.0 | 4.00 | 8.00 | 50 % | 50 % | 2.5 |"),
        text);
    assertTrue(Files.readString(folder.resolve("osds.svg")).contains("1 manager"));
    assertTrue(Files.readString(folder.resolve("width.svg")).contains("all disks busy"));
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
    new RebuildReport(List.of(new ObjectMapper().readTree(phases)))
        .print(new PrintStream(out, true, StandardCharsets.UTF_8));

    String text = out.toString(StandardCharsets.UTF_8);
    assertTrue(
        text.contains("| 50 % | while it is rebuilt | 190 | 0 | 160 | 0 | 0 | 0 | 9.5 |"), text);
  }

  @Test
  void nothingMeasuredIsSaid() {
    assertThrows(IllegalArgumentException.class, () -> new RebuildReport(List.of()));
  }
}
