package org.weft.cli.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.weft.cli.files.CommandRun;
import org.weft.cli.files.CommandRun.Outcome;
import org.weft.cli.files.MemoryFiles;
import org.weft.client.health.DamagedFiles;
import org.weft.protocol.layout.ByteRange;
import picocli.CommandLine;

/** Files that have lost bytes, for people and programs. */
class VolumeDamageTest {
  private final MemoryFiles files = new MemoryFiles();
  private final CommandRun weft =
      new CommandRun(
          files, (console, connector) -> new CommandLine(new VolumeCommand(console, connector)));

  @AfterEach
  void close() {
    weft.close();
  }

  private String run(String... arguments) {
    Outcome outcome = weft.run(arguments);
    assertEquals(0, outcome.exitCode(), outcome.err());
    return outcome.out();
  }

  private void damage(long object, String path, ByteRange... gone) {
    files.damaged.add(
        new DamagedFiles.One(object, path, "it has lost something", 100_000, List.of(gone), false));
  }

  @Test
  void eachFileIsNamedWithTheBytesThatAreGone() {
    assertEquals(
        "/: no file is known to have lost bytes, or to contradict itself\n", run("damage", "/"));
    damage(7, "/a/\u001b[2Jb", new ByteRange(0, 4096), new ByteRange(8192, 12288));
    damage(8, "");
    damage(9, "/c");
    List<String> lines = run("damage", "/").lines().toList();
    assertTrue(lines.get(0).startsWith("/a/"), lines.get(0));
    assertTrue(lines.get(0).indexOf('\u001b') < 0, "nothing that a terminal obeys");
    assertTrue(lines.get(0).endsWith("object 7, 100,000 bytes"), lines.get(0));
    assertEquals("    it has lost something", lines.get(1));
    assertEquals("    gone: 8,192 bytes in 2 ranges", lines.get(2));
    assertEquals("      0 up to 4,096", lines.get(3));
    assertEquals("      8,192 up to 12,288", lines.get(4));
    assertTrue(lines.get(5).startsWith("(no path is known)  object 8"), lines.get(5));
    assertEquals(
        "3 files have lost bytes, or bytes in doubt", lines.get(lines.size() - 1), "of two pages");
  }

  @Test
  void doubtfulBytesAreListedApartFromGoneOnes() throws IOException {
    files.damaged.add(
        new DamagedFiles.One(
            7,
            "/odd",
            "it contradicts itself",
            100_000,
            List.of(),
            false,
            List.of(new ByteRange(0, 8192))));
    List<String> lines = run("damage", "/").lines().toList();
    assertEquals("    in doubt:", lines.get(2));
    assertEquals("      0 up to 8,192", lines.get(3));
    JsonNode node = new ObjectMapper().readTree(run("damage", "--json", "/"));
    assertEquals(0, node.get("gone").size());
    assertEquals(8192, node.get("inDoubt").get(0).get(1).asLong());
  }

  @Test
  void programsGetAnObjectForEach() throws IOException {
    damage(7, "/a", new ByteRange(0, 4096));
    JsonNode node = new ObjectMapper().readTree(run("damage", "--json", "/"));
    assertEquals("/a", node.get("path").asText());
    assertEquals(7, node.get("objectId").asLong());
    assertEquals(4096, node.get("gone").get(0).get(1).asLong());
  }
}
