package org.weft.cli.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.cli.files.CommandRun;
import org.weft.cli.files.CommandRun.Outcome;
import org.weft.cli.files.MemoryFiles;
import org.weft.client.health.VolumeCheckStatus;
import org.weft.client.health.VolumeCheckStatus.Finding;
import org.weft.client.health.VolumeCheckStatus.State;
import picocli.CommandLine;

/** {@code weft volume check}. */
class VolumeCheckTest {
  private static final Finding LEFT =
      new Finding(1, "leftover-component", 7, "/a/\u001b[2Jb", 3, "osd-3 has it", "drain it");

  private final MemoryFiles files = new MemoryFiles();
  private final CommandRun weft =
      new CommandRun(
          files, (console, connector) -> new CommandLine(new VolumeCommand(console, connector)));

  @AfterEach
  void close() {
    weft.close();
  }

  private static VolumeCheckStatus status(
      State state, List<Finding> page, boolean more, List<String> unchecked) {
    return new VolumeCheckStatus(
        5,
        false,
        state,
        "done",
        1_500,
        40,
        40,
        50,
        0,
        0,
        page.size(),
        page,
        more,
        unchecked,
        unchecked.size());
  }

  @Test
  void aVolumeThatIsWellEndsWithZero() {
    files.checks.add(status(State.DONE, List.of(), false, List.of()));
    Outcome outcome = weft.run("check", "/");
    assertEquals(0, outcome.exitCode(), outcome.err());
    assertEquals("/: nothing was found in 40 objects and 50 names (1.5 s)\n", outcome.out());
  }

  @Test
  void eachFindingIsNamedWithANextStep() {
    files.checks.add(status(State.DONE, List.of(LEFT), false, List.of()));
    Outcome outcome = weft.run("check", "/");
    assertEquals(12, outcome.exitCode(), outcome.err());
    List<String> lines = outcome.out().lines().toList();
    assertTrue(lines.get(0).indexOf('\u001b') < 0, "nothing that a terminal obeys");
    assertTrue(lines.get(0).endsWith("  object 7  osd-3  leftover-component"), () -> lines.get(0));
    assertEquals("    osd-3 has it", lines.get(1));
    assertEquals("    next: drain it", lines.get(2));
    assertTrue(lines.get(3).startsWith("/: 1 thing was found in 40"), () -> lines.get(3));
  }

  @Test
  void programsGetAnObjectForEach() throws IOException {
    files.checks.add(status(State.DONE, List.of(LEFT), false, List.of()));
    List<String> lines = weft.run("check", "--json", "/").out().lines().toList();
    JsonNode finding = new ObjectMapper().readTree(lines.get(0));
    assertEquals("leftover-component", finding.get("kind").asText());
    assertEquals(3, finding.get("osd").asInt());
    JsonNode summary = new ObjectMapper().readTree(lines.get(1));
    assertEquals("summary", summary.get("kind").asText());
    assertEquals(1, summary.get("findings").asInt());
  }

  @Test
  void uncheckedObjectsAreReported() {
    files.checks.add(status(State.DONE, List.of(), false, List.of("what osd-2 holds")));
    Outcome outcome = weft.run("check", "/");
    assertEquals(9, outcome.exitCode(), outcome.err());
    assertTrue(outcome.out().startsWith("not checked: what osd-2 holds\n"), outcome::out);
  }

  @Test
  void aVolumeThatMovesIsCheckedFromTheBeginning() {
    files.checks.add(MemoryFiles.NO_CHECK);
    files.checks.add(status(State.DONE, List.of(LEFT), false, List.of()));
    Outcome outcome = weft.run("check", "/");
    assertEquals(12, outcome.exitCode(), outcome.err());
    assertEquals(2, files.checksStarted);
    assertTrue(outcome.err().contains("it is started again"), outcome::err);
  }

  @Test
  void aCheckThatFailedIsAFailure() {
    files.checks.add(status(State.FAILED, List.of(), false, List.of()));
    Outcome outcome = weft.run("check", "/");
    assertEquals(1, outcome.exitCode());
    assertTrue(outcome.err().contains("the check has failed"), outcome::err);
  }

  @Test
  void optionsThatContradictEachOtherAreRefused() {
    assertEquals(2, weft.run("check", "--status", "--cancel", "/").exitCode());
    assertEquals(2, weft.run("check", "--parity", "--cancel", "/").exitCode());
    Outcome none = weft.run("check", "--status", "/");
    assertEquals(1, none.exitCode());
    assertTrue(none.err().contains("knows of no check"), none::err);
  }

  @Test
  void offlineCheckTakesADirectoryAndATokenAlone() {
    for (String[] wrong :
        List.of(
            new String[] {"check", "/", "--offline"},
            new String[] {"check", "/", "--offline", "--data", "m"},
            new String[] {"check", "/", "--data", "m"},
            new String[] {
              "check", "/", "--offline", "--data", "m", "--join-token", "t", "--status"
            })) {
      Outcome outcome = weft.run(wrong);
      assertEquals(2, outcome.exitCode(), String.join(" ", wrong));
    }
  }

  @Test
  void aDirectoryThatNoManagerHasUsedIsNamed(@TempDir Path folder) throws IOException {
    Path token = Files.writeString(folder.resolve("join-token"), "abc");
    Outcome outcome =
        weft.run(
            "check", "/", "--offline", "--data", folder.toString(), "--join-token", "" + token);
    assertTrue(outcome.exitCode() != 0);
    assertTrue(outcome.err().contains("no data directory of a manager"), outcome.err());
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(List.of(token), files.toList(), "nothing is made in it");
    }
  }
}
