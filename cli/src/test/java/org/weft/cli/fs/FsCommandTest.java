package org.weft.cli.fs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.cli.files.CommandRun;
import org.weft.cli.files.CommandRun.Outcome;
import org.weft.cli.files.MemoryFiles;
import org.weft.cli.output.Console;
import org.weft.protocol.error.ErrorCode;
import picocli.CommandLine;

class FsCommandTest {
  private final MemoryFiles files = new MemoryFiles();
  private final CommandRun weft = new CommandRun(files);

  FsCommandTest() {
    files.directory("/tmp");
    files.file("/tmp/b.txt", "bee\n".getBytes(StandardCharsets.UTF_8));
    files.file("/tmp/a.txt", "ay\n".getBytes(StandardCharsets.UTF_8));
  }

  @AfterEach
  void close() {
    weft.close();
  }

  private static JsonNode json(Outcome outcome) throws IOException {
    return new ObjectMapper().readTree(outcome.bytes());
  }

  private static void assertFails(int exitCode, String text, Outcome outcome) {
    assertEquals(exitCode, outcome.exitCode(), outcome.err());
    assertTrue(outcome.err().contains(text), outcome.err());
  }

  static List<String> commands() {
    return Stream.concat(
            FsCommands.names().stream(),
            Stream.of("xattr list", "xattr get", "xattr set", "xattr remove"))
        .filter(command -> !command.equals("xattr"))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("commands")
  void everyCommandExplainsItselfWithExamples(String command) {
    Outcome outcome = weft.run((command + " --help").split(" ", -1));
    assertEquals(0, outcome.exitCode());
    assertTrue(outcome.out().contains("Examples:"), outcome.out());
    assertTrue(outcome.out().contains("--cluster"), outcome.out());
    assertTrue(outcome.out().contains("--json"), outcome.out());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ls --nonsense",
        "ls relative",
        "ls /a/../..",
        "mkdir",
        "mv /a",
        "rm -r /",
        "rm /tmp/..",
        "put /only-one",
        "put x --threads 0 /y",
        "cat --json /tmp/a.txt",
        "frobnicate"
      })
  void wrongUsageIsExitCodeTwoWithAHint(String arguments) {
    Outcome outcome = weft.run(arguments.split(" ", -1));
    assertEquals(2, outcome.exitCode());
    assertFalse(outcome.err().isBlank());
    assertFalse(outcome.err().contains("\tat "), outcome.err());
  }

  @Test
  void lsShowsLongLinesSortedByName() {
    Outcome outcome = weft.run("ls", "/tmp");
    assertEquals(0, outcome.exitCode());
    List<String> lines = outcome.out().lines().toList();
    assertEquals(2, lines.size());
    assertTrue(
        lines
            .get(0)
            .matches(
                "-rw-r--r--  2\\+1  ann  staff  3  20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d  /tmp/a.txt"),
        lines.get(0));
    assertTrue(lines.get(1).endsWith("/tmp/b.txt"));
  }

  @Test
  void lsRecursesAndListsFilesAndDirectoriesThemselves() {
    assertEquals(
        List.of("/tmp", "/tmp/a.txt", "/tmp/b.txt"),
        weft.run("ls", "-R", "-C", "/").out().lines().toList());
    assertEquals(List.of("/tmp"), weft.run("ls", "-d", "-C", "/tmp").out().lines().toList());
    assertEquals(List.of("/tmp"), weft.run("ls", "-C").out().lines().toList());
    assertEquals(List.of("/tmp/a.txt"), weft.run("ls", "-C", "/tmp/a.txt").out().lines().toList());
  }

  @Test
  void lsAsJsonIsAnArrayOfStatuses() throws IOException {
    JsonNode array = json(weft.run("ls", "--json", "/tmp"));
    assertEquals(2, array.size());
    assertEquals("/tmp/a.txt", array.get(0).get("path").asText());
    assertEquals("file", array.get(0).get("type").asText());
    assertEquals("0644", array.get(0).get("mode").asText());
    assertEquals(3, array.get(0).get("size").asLong());
    files.directory("/empty");
    assertEquals(0, json(weft.run("ls", "--json", "/empty")).size());
  }

  @Test
  void lsNamesMissingPathsAndContinues() {
    Outcome outcome = weft.run("ls", "-C", "/nowhere", "/tmp");
    assertFails(3, "weft: ls: /nowhere: no such file or directory; `weft fs ls`", outcome);
    assertEquals(2, outcome.out().lines().count());
    assertEquals(1, outcome.err().lines().count());
  }

  @Test
  void lsListsMoreThanItSorts() {
    files.directory("/big");
    for (int number = 0; number < 300; number++) {
      files.file("/big/f" + number, new byte[0]);
    }
    assertEquals(300, weft.run("ls", "/big").out().lines().count());
  }

  @Test
  void namesCannotSendControlCharactersToTheTerminal() {
    files.file("/tmp/\u001b[31mred\n", new byte[0]);
    Outcome outcome = weft.run("ls", "-C", "/tmp");
    assertEquals(3, outcome.out().lines().count());
    assertTrue(outcome.out().contains("/tmp/\\u001b[31mred\\u000a"), outcome.out());
  }

  @Test
  void mkdirMakesOneOrAll() {
    assertEquals(0, weft.run("mkdir", "/data").exitCode());
    assertFails(5, "weft: mkdir: /data: exists; choose", weft.run("mkdir", "/data"));
    assertFails(3, "weft: mkdir: /x: no such file", weft.run("mkdir", "/x/y"));
    assertEquals(0, weft.run("mkdir", "-p", "/x/y/z", "/data").exitCode());
    assertTrue(files.paths().contains("/x/y/z"));
  }

  @Test
  void mvRenamesReplacesAndMovesInto() {
    files.directory("/data");
    assertEquals(0, weft.run("mv", "/tmp/a.txt", "/data").exitCode());
    assertEquals(0, weft.run("mv", "/tmp/b.txt", "/data/a.txt").exitCode());
    assertEquals(List.of("/data", "/data/a.txt", "/tmp"), files.paths());
    assertArrayEquals("bee\n".getBytes(StandardCharsets.UTF_8), files.bytesOf("/data/a.txt"));
  }

  @Test
  void mvRefusesWhatCannotBe() {
    assertFails(5, "/tmp/b.txt: exists", weft.run("mv", "-n", "/tmp/a.txt", "/tmp/b.txt"));
    assertFails(1, "cannot be moved into itself", weft.run("mv", "/tmp", "/tmp/x"));
    assertFails(1, "nothing to move", weft.run("mv", "/tmp/a.txt", "/tmp"));
    assertFails(6, "is no directory", weft.run("mv", "/tmp/a.txt", "/tmp/b.txt", "/c"));
    assertFails(2, "the root cannot be moved", weft.run("mv", "/", "/tmp"));
  }

  @Test
  void rmRemovesFilesAndTreesFromBelow() {
    files.directory("/tmp/deep");
    files.directory("/tmp/deep/er");
    for (int number = 0; number < 50; number++) {
      files.file("/tmp/deep/er/f" + number, new byte[0]);
    }
    assertFails(6, "/tmp: is a directory; -r removes it", weft.run("rm", "/tmp"));
    Outcome outcome = weft.run("rm", "-r", "--progress", "/tmp");
    assertEquals(0, outcome.exitCode(), outcome.err());
    assertTrue(outcome.err().contains("rm /tmp: 55 removed"), outcome.err());
    assertEquals(List.of(), files.paths());
  }

  @Test
  void rmLeavesTheDirectoriesAboveWhatItCouldNotRemove() {
    files.directory("/tmp/keep");
    files.file("/tmp/keep/stuck", new byte[0]);
    files.breakAt("/tmp/keep/stuck", ErrorCode.PERMISSION_DENIED);
    Outcome outcome = weft.run("rm", "-r", "/tmp");
    assertFails(4, "/tmp/keep/stuck: made to fail; `weft fs stat` shows whose", outcome);
    assertEquals(1, outcome.err().lines().count(), outcome.err());
    assertEquals(List.of("/tmp", "/tmp/keep", "/tmp/keep/stuck"), files.paths());
  }

  @Test
  void rmForceIgnoresMissingFiles() {
    assertFails(3, "/nowhere: no such file", weft.run("rm", "/nowhere"));
    assertEquals(0, weft.run("rm", "-f", "/nowhere").exitCode());
  }

  @Test
  void generalFailureIsReportedOnce() {
    for (int number = 0; number < 20; number++) {
      files.file("/tmp/f" + number, new byte[0]);
      files.breakAt("/tmp/f" + number, ErrorCode.UNAVAILABLE);
    }
    Outcome outcome = weft.run("rm", "-r", "/tmp");
    assertFails(9, "`weft status` shows what is wrong", outcome);
    assertEquals(1, outcome.err().lines().count(), outcome.err());
  }

  @Test
  void statShowsWhereAFileLies() throws IOException {
    Outcome outcome = weft.run("stat", "/tmp/a.txt");
    assertEquals(0, outcome.exitCode());
    for (String part :
        List.of("Path: /tmp/a.txt", "Size: 3 bytes", "0644 (-rw-r--r--)", "OSDs: 3 1 2")) {
      assertTrue(outcome.out().contains(part), outcome.out());
    }
    JsonNode node = json(weft.run("stat", "--json", "/tmp/a.txt"));
    assertEquals(2, node.get("map").get("dataUnits").asInt());
    assertEquals(3, node.get("map").get("osds").size());
    assertTrue(weft.run("stat", "/tmp").out().contains("Entries: 2"));
  }

  @Test
  void dfShowsSpaceForPeopleExactlyAndAsJson() throws IOException {
    assertTrue(weft.run("df").out().contains("6 GiB"), weft.run("df").out());
    assertTrue(weft.run("df", "--bytes").out().contains("6442450944"));
    assertTrue(weft.run("df").out().contains("17%"));
    assertEquals(1_234, json(weft.run("df", "--json")).get("files").asLong());
  }

  @Test
  void catWritesBytesAndNamesWhatFails() {
    assertEquals("ay\nbee\n", weft.run("cat", "/tmp/a.txt", "/tmp/b.txt").out());
    assertFails(6, "weft: cat: /tmp: is a directory", weft.run("cat", "/tmp"));
  }

  @Test
  void verboseShowsTheStackAndNothingElseDoes() {
    assertFalse(weft.run("cat", "/tmp").err().contains("\tat "));
    assertTrue(weft.run("cat", "--verbose", "/tmp").err().contains("\tat "));
  }

  @Test
  void aClusterThatCannotBeIsWrongUsage() {
    MemoryFiles none = new MemoryFiles();
    try (CommandRun real = new CommandRun(none)) {
      assertEquals(0, real.run("ls", "--cluster", "somewhere:1", "/").exitCode());
    }
    Stream.of("nonsense", "host:notaport", ":1")
        .forEach(
            text -> {
              StringWriter err = new StringWriter();
              int exitCode =
                  FsCommands.mountAll(new CommandLine(new FsCommand(Console.system())))
                      .setErr(new PrintWriter(err))
                      .execute("ls", "--cluster", text, "/");
              assertEquals(2, exitCode, text);
              assertTrue(err.toString().startsWith("weft: ls: --cluster: "), err.toString());
            });
  }
}
