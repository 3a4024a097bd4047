package org.weft.cli.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.cli.files.CommandRun;
import org.weft.cli.files.CommandRun.Outcome;
import org.weft.cli.files.MemoryFiles;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import picocli.CommandLine;

/** Where files lie, and how they are to be cut. */
class LayoutCommandTest {
  private final MemoryFiles files = new MemoryFiles();
  private final CommandRun weft =
      new CommandRun(
          files, (console, connector) -> new CommandLine(new LayoutCommand(console, connector)));

  LayoutCommandTest() {
    files.directory("/data");
    files.file("/data/small", new byte[100]);
    files.file("/data/large", new byte[2_000_000]);
  }

  @AfterEach
  void close() {
    weft.close();
  }

  private String run(String... arguments) {
    Outcome outcome = weft.run(arguments);
    assertEquals(0, outcome.exitCode(), outcome.err());
    return outcome.out();
  }

  @Test
  void showNamesEveryComponentAndItsState() {
    String shown = run("show", "/data/large");
    for (String part :
        List.of(
            "code 2+1, unit 64 KiB, 16 stripes",
            "Any one of a group may be lost; map generation 1\n",
            "component 0   osd-3    up",
            "component 2   osd-2    DOWN        host2  127.0.0.1:7402")) {
      assertTrue(shown.contains(part), shown);
    }
    assertTrue(run("show", "/data/small").contains("small: 2 copies of its one unit"));
  }

  @Test
  void showMarksWhatIsMissingAndCountsGroups() throws IOException {
    Layout layout = new Layout(2, 1, 4_096, 10, 2);
    List<OsdId> osds = IntStream.of(3, 1, 2, 4, 9, 6).mapToObj(OsdId::new).toList();
    files.node("/data/large").map =
        new StorageMap(layout, osds, 7, new TreeSet<>(List.of(4)), List.of());
    String shown = run("show", "/data/large");
    assertTrue(shown.contains("in 2 groups, 10 at a time"), shown);
    assertTrue(shown.contains("map generation 7, 1 missing"), shown);
    assertTrue(shown.contains("  group 1\n    component 3"), shown);
    assertTrue(shown.lines().anyMatch(line -> line.matches(".*osd-9 +unknown +MISSING.*")), shown);
    JsonNode node = new ObjectMapper().readTree(run("show", "--json", "/data/large"));
    assertEquals(6, node.get("components").size());
    assertTrue(node.get("components").get(4).get("missing").asBoolean());
    assertEquals("down", node.get("components").get(2).get("state").asText());
  }

  @Test
  void showFindsAByte() throws IOException {
    String shown = run("show", "/data/large", "--at", "200000");
    assertTrue(shown.contains("Byte 200,000: stripe 1, data unit 1"), shown);
    JsonNode at =
        new ObjectMapper()
            .readTree(run("show", "/data/large", "--at", "200000", "--json"))
            .get("at");
    // Stripe 1 begins at component 1: d0 there, P0 behind it, d1 at component 0.
    assertEquals(0, at.get("components").get(0).asInt());
    assertEquals(65_536 + 200_000 % 65_536, at.get("componentOffset").asInt());
    assertEquals(2, at.get("parityComponents").get(0).asInt());
    Outcome behind = weft.run("show", "/data/large", "--at", "2000000");
    assertEquals(1, behind.exitCode());
    assertTrue(behind.err().contains("behind the end"), behind.err());
    assertEquals(6, weft.run("show", "/data", "--at", "1").exitCode());
    assertEquals(2, weft.run("show", "/data/large", "--at", "x").exitCode());
  }

  @Test
  void everyByteOfALargeFileHasOnePlaceOfItsOwn() {
    Layout layout = new Layout(3, 2, 4_096, 4, 2);
    SplittableRandom random = new SplittableRandom(3);
    for (int round = 0; round < 1_000; round++) {
      long offset = random.nextLong(10_000_000);
      BytePlace place = BytePlace.of(layout, 10_000_000, offset);
      int component = place.components().get(0);
      assertEquals(place.group(), component / layout.width());
      assertEquals(place.unit(), layout.roleOf(place.stripe(), component));
      long stripe =
          layout.stripeAt(place.group(), place.componentOffsetBytes() / layout.unitBytes());
      assertEquals(place.stripe(), stripe);
      long back =
          stripe * layout.stripeBytes()
              + (long) place.unit() * layout.unitBytes()
              + place.componentOffsetBytes() % layout.unitBytes();
      assertEquals(offset, back);
    }
  }

  @Test
  void setSaysHowNewFilesAreCutAndDefaultTakesItBack() throws IOException {
    assertEquals("/data: new files by the volume's default\n", run("show", "/data"));
    assertEquals(
        "/data: new files with 8+2, unit 128 KiB\n",
        run("set", "/data", "--data", "8", "--parity", "2", "--unit", "128k"));
    JsonNode wish =
        new ObjectMapper().readTree(run("show", "--json", "/data")).get("defaultLayout");
    assertEquals(8, wish.get("dataUnits").asInt());
    assertEquals(131_072, wish.get("unitBytes").asInt());
    assertEquals(
        "/data: new files with default code, unit 16 KiB\n", run("set", "/data", "--unit", "16k"));
    assertEquals("/data: new files by the volume's default\n", run("set", "/data", "--default"));
    assertEquals(6, weft.run("set", "/data/small", "--default").exitCode());
    assertEquals(3, weft.run("set", "/no", "--default").exitCode());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "--data 8",
        "--data 0 --parity 1",
        "--data 8 --parity 4",
        "--unit 5000",
        "--unit 2m",
        "--unit x",
        "--default --data 8 --parity 2"
      })
  void setRefusesWhatCannotBe(String asked) {
    Outcome outcome = weft.run(("set /data " + asked).strip().split(" ", -1));
    assertEquals(2, outcome.exitCode(), asked);
    assertTrue(outcome.err().startsWith("weft: layout set: "), outcome.err());
  }
}
