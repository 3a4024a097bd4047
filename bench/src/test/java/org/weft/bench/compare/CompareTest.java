package org.weft.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.bench.driven.DrivenLocal;
import org.weft.bench.summary.NotedRun;
import picocli.CommandLine;

/** With two systems that are folders, each with real client processes. */
class CompareTest {
  @TempDir private Path folder;

  private String system(String label) throws IOException {
    Path root = Files.createDirectories(folder.resolve("at-" + label));
    return "%s\t/base\t%s -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto -cp '%s' %s %s\n"
        .formatted(
            label,
            Path.of(System.getProperty("java.home"), "bin", "java"),
            System.getProperty("java.class.path"),
            DrivenLocal.class.getName(),
            root);
  }

  private int compare(String plan, String... more) throws IOException {
    Path systems = folder.resolve("systems");
    if (!Files.exists(systems)) {
      Files.writeString(systems, system("here") + system("there"));
    }
    Files.writeString(folder.resolve("plan"), plan);
    NotedRun.in(Files.createDirectories(folder.resolve("out")));
    String[] options = {
      "--plan=" + folder.resolve("plan"),
      "--systems=" + folder.resolve("systems"),
      "--out=" + folder.resolve("out"),
      "--reps=3",
      "--warm-up=0"
    };
    return new CommandLine(new Compare())
        .execute(Stream.concat(Stream.of(options), Stream.of(more)).toArray(String[]::new));
  }

  private List<JsonNode> lines(String what) throws IOException {
    return Results.read(folder.resolve("out/measured.jsonl")).stream()
        .filter(line -> line.get("what").asText().equals(what))
        .toList();
  }

  @Test
  void theFirstRoundDoesNotCount() throws IOException {
    assertEquals(0, compare("create --threads 1 --count 3 : here there\n", "--first-round=1"));

    assertEquals(6, lines("repetition").size());
    assertEquals(2, lines("verified").size());
    for (String label : List.of("at-here", "at-there")) {
      try (Stream<Path> left = Files.list(folder.resolve(label).resolve("base"))) {
        assertEquals(List.of(), left.toList(), "what the rounds made is removed");
      }
    }
  }

  @Test
  void systemsTakeTurnsInOneOrderAndInTheOther() throws IOException {
    assertEquals(
        0,
        compare(
            """
            # Two cases.
            create --threads 2 --count 5 : here there

            stream-write --size 100k : there here
            """));

    assertEquals(
        List.of(
            "here 0", "there 0", "there 1", "here 1", "here 2", "there 2", //
            "there 0", "here 0", "here 1", "there 1", "there 2", "here 2"),
        lines("repetition").stream()
            .map(line -> line.get("label").asText() + " " + line.get("number").asInt())
            .toList());
    assertEquals(4, lines("verified").size());
    Report.main(new String[] {folder.resolve("out").toString()});
    String report = Files.readString(folder.resolve("out/report.md"));
    assertTrue(report.contains("| create --threads 2 --count 5 | op/s | here |"), report);
    JsonNode summary = new ObjectMapper().readTree(folder.resolve("out/summary.json").toFile());
    assertEquals(
        Set.of(
            "create --threads 2 --count 5: here",
            "create --threads 2 --count 5: there",
            "stream-write --size 100k: here",
            "stream-write --size 100k: there"),
        summary.get("cases").findParents("case").stream()
            .filter(row -> row.get("figure").asText().equals("rate"))
            .map(row -> row.get("case").asText() + ": " + row.get("system").asText())
            .collect(Collectors.toSet()));
    try (Stream<Path> left = Files.walk(folder.resolve("at-here"))) {
      assertEquals(0, left.filter(Files::isRegularFile).count());
    }
  }

  @Test
  void systemsThatShareADirectoryDoNotMeet() throws IOException {
    String here = system("here");
    Files.writeString(folder.resolve("systems"), here + here.replaceFirst("here", "again"));

    assertEquals(0, compare("small-write --count 3 : here again"));

    assertEquals(2, lines("verified").size());
    assertEquals(0, lines("failed").size());
  }

  @Test
  void aSystemThatFailsIsLeftOutAndNamed() throws IOException {
    String breaking = "rm -r " + folder.resolve("at-there") + "/base";
    assertEquals(0, compare("stat --files 3 --count 4 : here there ; " + breaking));

    assertEquals(3, lines("repetition").size());
    assertEquals("there", lines("failed").get(0).get("label").asText());
    Report.main(new String[] {folder.resolve("out").toString()});
    assertTrue(Files.readString(folder.resolve("out/report.md")).contains("there failed at stat"));
  }

  @Test
  void aPlanThatMakesNoSenseIsRefusedBeforeAnythingIsRun() throws IOException {
    assertNotEquals(0, compare("create : here elsewhere"));
    assertNotEquals(0, compare("create : here", "--only=stat"));
    assertThrows(IllegalArgumentException.class, () -> PlanCase.parse(0, "create"));
    assertThrows(IllegalArgumentException.class, () -> PlanCase.parse(0, "creat : here"));
    assertEquals(List.of(), Results.read(folder.resolve("out/measured.jsonl")));
  }
}
