package org.weft.cli.fs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.cli.files.CommandRun;
import org.weft.cli.files.CommandRun.Outcome;
import org.weft.cli.files.MemoryFiles;
import org.weft.cli.files.RemoteFiles;
import org.weft.client.WeftPath;
import picocli.CommandLine;

/** The ends of files, and following them; what happens between two looks is given by the test. */
class TailTest {
  private final MemoryFiles files = new MemoryFiles();
  private final Deque<Change> changes = new ArrayDeque<>();
  private final CommandRun weft =
      new CommandRun(
          files,
          (console, connector) ->
              new CommandLine(new FsCommand(console, connector))
                  .addSubcommand(new TailCommand(this::next)));

  private interface Change {
    void make() throws IOException;
  }

  TailTest() {
    files.directory("/tmp");
    files.file("/tmp/f", bytes("one\ntwo\nthree\n"));
  }

  @AfterEach
  void close() {
    weft.close();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private boolean next() throws IOException {
    if (changes.isEmpty()) {
      return false;
    }
    changes.pop().make();
    return true;
  }

  private void append(String path, String text) throws IOException {
    try (RemoteFiles.Output output = files.append(WeftPath.of(path))) {
      output.write(bytes(text));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "-n 1, three|",
    "-n 2, two|three|",
    "-n 9, one|two|three|",
    "-n 0, ''",
    "-n +2, two|three|",
    "-n +1, one|two|three|",
    "-n +9, ''",
    "-c 3, ee|",
    "-c +12, ee|",
    "-c 1k, one|two|three|",
    "-q, one|two|three|"
  })
  void tailShowsTheRequestedEnd(String asked, String shown) {
    Outcome outcome = weft.run(("tail " + asked + " /tmp/f").split(" ", -1));
    assertEquals(0, outcome.exitCode(), outcome.err());
    assertEquals(shown.replace('|', '\n'), outcome.out());
  }

  @Test
  void aLastLineWithoutItsEndIsALine() {
    files.file("/tmp/g", bytes("a\nb"));
    assertEquals("b", weft.run("tail", "-n", "1", "/tmp/g").out());
    files.file("/tmp/g", bytes(""));
    assertEquals("", weft.run("tail", "/tmp/g").out());
  }

  @Test
  void linesAreFoundAcrossLongDistances() {
    files.file("/tmp/g", bytes("first\n" + "x".repeat(200_000) + "\nlast\n"));
    assertEquals(200_006, weft.run("tail", "-n", "2", "/tmp/g").bytes().length);
    assertEquals("last\n", weft.run("tail", "-n", "+3", "/tmp/g").out());
  }

  @Test
  void severalFilesHaveHeaders() {
    files.file("/tmp/g", bytes("four\n"));
    assertEquals(
        List.of("==> /tmp/f <==", "three", "", "==> /tmp/g <==", "four"),
        weft.run("tail", "-n", "1", "/tmp/*").out().lines().toList());
    assertEquals("three\nfour\n", weft.run("tail", "-q", "-n", "1", "/tmp/*").out());
  }

  @Test
  void followingShowsWhatIsAppended() {
    changes.add(() -> append("/tmp/f", "four\n"));
    changes.add(() -> {});
    changes.add(() -> append("/tmp/f", "five\n"));
    assertEquals("three\nfour\nfive\n", weft.run("tail", "-f", "-n", "1", "/tmp/f").out());
  }

  @Test
  void aFileThatIsCutIsShownFromItsBeginning() {
    changes.add(() -> files.truncate(WeftPath.of("/tmp/f"), 0));
    changes.add(() -> append("/tmp/f", "new\n"));
    Outcome outcome = weft.run("tail", "-f", "-n", "1", "/tmp/f");
    assertEquals("three\nnew\n", outcome.out());
    assertTrue(outcome.err().contains("/tmp/f: was truncated to 0 bytes"), outcome.err());
  }

  @Test
  void aFileThatIsReplacedIsFollowedByName() {
    changes.add(() -> files.rename(WeftPath.of("/tmp/f"), WeftPath.of("/tmp/f.1"), false));
    changes.add(() -> {});
    changes.add(() -> files.file("/tmp/f", bytes("again\n")));
    changes.add(() -> files.file("/tmp/f", bytes("and again\n")));
    changes.add(() -> append("/tmp/f", "more\n"));
    Outcome outcome = weft.run("tail", "-f", "-n", "1", "/tmp/f");
    assertEquals("three\nagain\nand again\nmore\n", outcome.out());
    assertEquals(3, outcome.err().lines().count(), outcome.err());
    assertTrue(outcome.err().contains("has gone; waiting"), outcome.err());
    assertTrue(outcome.err().contains("has come back"), outcome.err());
    assertTrue(outcome.err().contains("is another file now"), outcome.err());
  }

  @Test
  void followingSeveralFilesPrintsTheirNames() {
    files.file("/tmp/g", bytes("g\n"));
    changes.add(() -> append("/tmp/g", "g2\n"));
    changes.add(() -> append("/tmp/f", "f2\n"));
    assertEquals(
        "==> /tmp/f <==\nthree\n\n==> /tmp/g <==\ng\ng2\n\n==> /tmp/f <==\nf2\n",
        weft.run("tail", "-f", "-n", "1", "/tmp/f", "/tmp/g").out());
  }

  @Test
  void impossibleTailStartIsRefused() {
    assertEquals(3, weft.run("tail", "/tmp/no").exitCode());
    assertEquals(6, weft.run("tail", "/tmp").exitCode());
    assertEquals(2, weft.run("tail", "-n", "x", "/tmp/f").exitCode());
    assertEquals(2, weft.run("tail", "-n", "1", "-c", "1", "/tmp/f").exitCode());
    assertEquals(2, weft.run("tail", "-f", "-s", "0", "/tmp/f").exitCode());
    assertEquals(2, weft.run("tail", "--json", "/tmp/f").exitCode());
  }
}
