package org.weft.cli.fs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.cli.files.CommandRun;
import org.weft.cli.files.CommandRun.Outcome;
import org.weft.cli.files.MemoryFiles;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.layout.Layout;

/** Walks over trees: find and du. */
class FindAndDuTest {
  private final MemoryFiles files = new MemoryFiles();
  private final CommandRun weft = new CommandRun(files);

  FindAndDuTest() {
    files.directory("/data");
    files.directory("/data/sub");
    files.directory("/data/empty");
    files.file("/data/a.csv", new byte[100]);
    files.file("/data/sub/B.CSV", new byte[200_000]);
    files.file("/data/sub/c.txt", new byte[0]);
    files.symbolicLink("/data/sub/link", "../a.csv");
    files.node("/data/a.csv").mtimeMillis = 1_700_000_000_000L;
    files.node("/data/sub/c.txt").owner = "bob";
  }

  @AfterEach
  void close() {
    weft.close();
  }

  private String run(String arguments) {
    Outcome outcome = weft.run(arguments.split(" ", -1));
    assertEquals(0, outcome.exitCode(), outcome.err());
    return outcome.out();
  }

  @ParameterizedTest
  @CsvSource({
    "--name *.csv, /data/a.csv",
    "--iname *.csv, /data/a.csv /data/sub/B.CSV",
    "--name *.csv --name *.txt, /data/a.csv /data/sub/c.txt",
    "--path */sub/*, /data/sub/B.CSV /data/sub/c.txt /data/sub/link",
    "--type d, /data /data/empty /data/sub",
    "'--type d,l', /data /data/empty /data/sub /data/sub/link",
    "--size +1k, /data/sub/B.CSV",
    "--size -1k, /data/a.csv /data/sub/c.txt",
    "--size 100, /data/a.csv",
    "--empty, /data/empty /data/sub/c.txt",
    "--older-than 2026-01-01, /data/a.csv",
    "--newer-than /data/a.csv --type f, /data/sub/B.CSV /data/sub/c.txt",
    "--owner bob, /data/sub/c.txt",
    "--max-depth 0, /data",
    "--min-depth 2 --type f, /data/sub/B.CSV /data/sub/c.txt",
    "--name nothing, ''"
  })
  void findPrintsWhatMatchesAllThatIsAsked(String asked, String paths) {
    List<String> found = run("find /data " + asked).lines().sorted().toList();
    assertEquals(paths, String.join(" ", found));
  }

  @Test
  void findPrintsLongLinesNulsAndJson() throws IOException {
    assertTrue(run("find /data --name a.csv --ls").startsWith("-rw-r--r--  2+1  ann"));
    assertEquals("/data/a.csv\0", run("find /data --name a.csv -0"));
    JsonNode array = new ObjectMapper().readTree(run("find /data --type l --json"));
    assertEquals("../a.csv", array.get(0).get("target").asText());
  }

  @Test
  void findSkipsUnlistableDirectories() {
    files.breakAt("/data/sub", ErrorCode.PERMISSION_DENIED);
    Outcome outcome = weft.run("find", "/data", "--type", "f");
    assertEquals(4, outcome.exitCode());
    assertEquals("/data/a.csv\n", outcome.out());
    assertTrue(outcome.err().startsWith("weft: find: /data/sub: "), outcome.err());
  }

  @ParameterizedTest
  @CsvSource({"--type x", "--size big", "--newer-than soon", "--ls -0"})
  void findRefusesWhatItDoesNotUnderstand(String asked) {
    assertEquals(2, weft.run(("find / " + asked).split(" ", -1)).exitCode());
  }

  @Test
  void duSumsDirectoriesFromBelow() {
    List<String> lines = run("du /data").lines().map(String::strip).toList();
    assertEquals(3, lines.size(), lines.toString());
    assertTrue(lines.get(lines.size() - 1).matches("200100 +\\d+ +4 +/data"), lines.toString());
    assertTrue(lines.stream().anyMatch(line -> line.matches("200000 +\\d+ +3 +/data/sub")));
    assertTrue(lines.stream().anyMatch(line -> line.matches("0 +0 +0 +/data/empty")));
  }

  @Test
  void duShowsOneLineADepthFilesAndTotals() {
    assertEquals(1, run("du -s /data").lines().count());
    assertEquals(3, run("du -s /data/*").lines().count());
    assertEquals(3, run("du -d 1 /data").lines().count());
    assertEquals(7, run("du -a /data").lines().count());
    assertTrue(run("du -s -c -h /data/sub /data/a.csv").contains("195 KiB"));
    assertTrue(run("du -s -c /data/sub /data/a.csv").endsWith("  total\n"));
    assertEquals(2, weft.run("du", "-s", "-d", "1", "/").exitCode());
  }

  @Test
  void duCountsAFileWithTwoNamesOnce() throws IOException {
    assertEquals(0, weft.run("ln", "/data/sub/B.CSV", "/data/second").exitCode());
    JsonNode root = new ObjectMapper().readTree(run("du -s --json /data")).get(0);
    assertEquals(200_100, root.get("bytes").asLong());
    assertEquals(4, root.get("files").asLong());
    assertEquals(3, root.get("directories").asLong());
  }

  @Test
  void storedBytesCountParityAndBlocks() {
    Layout layout = Layout.of(4, 1);
    assertEquals(0, StoredBytes.of(layout, 0));
    assertEquals(8_192, StoredBytes.of(layout, 1));
    assertEquals(131_072, StoredBytes.of(layout, 65_536));
    assertEquals(65_536 * 2 + 4_096, StoredBytes.of(layout, 65_537));
    assertEquals(5 * 65_536, StoredBytes.of(layout, 4 * 65_536));
    assertEquals(10 * 65_536 + 8_192, StoredBytes.of(layout, 8 * 65_536 + 1));
  }
}
