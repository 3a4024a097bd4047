package org.weft.cli.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.cli.files.CommandRun;
import org.weft.cli.files.CommandRun.Outcome;
import org.weft.cli.files.MemoryFiles;
import org.weft.protocol.error.ErrorCode;

/** put and get: names, trees, replacing, what is left behind. */
class TransferTest {
  private final MemoryFiles files = new MemoryFiles();
  private final CommandRun weft = new CommandRun(files);

  @TempDir private Path local;

  TransferTest() {
    files.directory("/tmp");
  }

  @AfterEach
  void close() {
    weft.close();
  }

  private Path write(String name, byte[] bytes) throws IOException {
    Path file = local.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.write(file, bytes);
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new SplittableRandom(length).nextBytes(bytes);
    return bytes;
  }

  private static void assertFails(String text, Outcome outcome) {
    assertNotEquals(0, outcome.exitCode(), outcome.err());
    assertTrue(outcome.err().contains(text), outcome.err());
  }

  @Test
  void putKeepsTheNameInADirectoryAndTakesAnotherElsewhere() throws IOException {
    Path file = write("a b.bin", random(3_000_000));
    assertEquals(0, weft.run("put", file.toString(), "/tmp").exitCode());
    assertEquals(0, weft.run("put", file.toString(), "/tmp/").exitCode());
    assertEquals(0, weft.run("put", file.toString(), "/other").exitCode());
    assertEquals(List.of("/other", "/tmp", "/tmp/a b.bin"), files.paths());
    assertArrayEquals(random(3_000_000), files.bytesOf("/tmp/a b.bin"));
    assertEquals(3, files.renames());
  }

  @Test
  void putReplacesAsAWholeUnlessItMustNot() throws IOException {
    files.file("/tmp/f", random(10));
    Path file = write("f", random(20));
    assertFails("/tmp/f: exists", weft.run("put", "-n", file.toString(), "/tmp"));
    assertArrayEquals(random(10), files.bytesOf("/tmp/f"));
    assertEquals(List.of("/tmp", "/tmp/f"), files.paths());

    assertEquals(0, weft.run("put", file.toString(), "/tmp").exitCode());
    assertArrayEquals(random(20), files.bytesOf("/tmp/f"));
  }

  @Test
  void putLeavesNothingBehindWhenItFails() throws IOException {
    files.breakAt("/tmp/f", ErrorCode.PERMISSION_DENIED);
    Path file = write("f", random(20));
    assertFails("/tmp/f: made to fail", weft.run("put", file.toString(), "/tmp"));
    assertEquals(List.of("/tmp"), files.paths());
  }

  @Test
  void putReadsStandardInput() {
    byte[] bytes = random(2_500_000);
    weft.input(bytes);
    assertEquals(0, weft.run("put", "-", "/tmp/in").exitCode());
    assertArrayEquals(bytes, files.bytesOf("/tmp/in"));
    assertFails("/tmp: is a directory; name a file", weft.run("put", "-", "/tmp"));
  }

  @Test
  void putSaysWhatIsMissing() throws IOException {
    String file = write("f", random(1)).toString();
    assertFails("no such file or directory on this machine", weft.run("put", "/no/file", "/tmp"));
    assertFails("`weft fs mkdir -p /no`", weft.run("put", file, "/no/"));
    assertFails("/no: no such file", weft.run("put", file, "/no/f"));
    files.file("/tmp/f", random(1));
    assertFails("/tmp/f: is a file; name a directory", weft.run("put", file, "/tmp/f/"));
    assertFails("`weft fs mkdir -p /x`", weft.run("put", file, file, "/x"));
  }

  @Test
  void treesGoInAndComeOutTheSame() throws IOException {
    SplittableRandom random = new SplittableRandom(7);
    Path tree = local.resolve("tree");
    for (int number = 0; number < 120; number++) {
      String name = "tree/d" + random.nextInt(6) + "/e" + random.nextInt(3) + "/ü " + number;
      write(name, random(random.nextInt(3) * random.nextInt(5_000)));
    }
    Files.createDirectories(tree.resolve("empty/dir"));

    Outcome put = weft.run("put", "--progress", tree.toString(), "/tmp");
    assertEquals(0, put.exitCode(), put.err());
    assertTrue(put.err().contains("120 files"), put.err());
    assertTrue(files.paths().contains("/tmp/tree/empty/dir"));

    Path out = Files.createDirectory(local.resolve("out"));
    Outcome get = weft.run("get", "/tmp/tree", out.toString());
    assertEquals(0, get.exitCode(), get.err());
    assertEquals(listing(tree), listing(out.resolve("tree")));
  }

  private static List<String> listing(Path root) throws IOException {
    try (Stream<Path> paths = Files.walk(root)) {
      return paths.sorted().map(path -> describe(root, path)).toList();
    }
  }

  private static String describe(Path root, Path path) {
    try {
      String content =
          Files.isDirectory(path)
              ? "directory"
              : new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1);
      return root.relativize(path) + " " + content;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aLinkKeepsItsNameAndADotGetsOne() throws IOException {
    Path file = write("tree/target", random(5));
    Path link = Files.createSymbolicLink(local.resolve("link"), file);
    assertEquals(0, weft.run("put", link.toString(), "/tmp").exitCode());
    assertArrayEquals(random(5), files.bytesOf("/tmp/link"));

    assertEquals(0, weft.run("put", local.resolve("tree") + "/.", "/tmp").exitCode());
    assertArrayEquals(random(5), files.bytesOf("/tmp/tree/target"));
  }

  @Test
  void aTreeToANewNameIsThatTree() throws IOException {
    write("tree/f", random(5));
    assertEquals(0, weft.run("put", local.resolve("tree").toString(), "/new").exitCode());
    assertEquals(List.of("/new", "/new/f", "/tmp"), files.paths());
  }

  @Test
  void failedFileIsNamedAndTheRestArrives() throws IOException {
    write("tree/good", random(5));
    write("tree/bad", random(5));
    files.breakAt("/tmp/tree/bad", ErrorCode.PERMISSION_DENIED);
    Outcome outcome = weft.run("put", local.resolve("tree").toString(), "/tmp");
    assertFails("/tmp/tree/bad", outcome);
    assertEquals(1, outcome.err().lines().count(), outcome.err());
    assertEquals(List.of("/tmp", "/tmp/tree", "/tmp/tree/good"), files.paths());
  }

  @Test
  void aFullClusterStopsATreeWithOneLine() throws IOException {
    for (int number = 0; number < 40; number++) {
      write("tree/f" + number, random(5));
    }
    files.breakWhere(path -> path.toString().endsWith(TemporaryName.SUFFIX), ErrorCode.NO_SPACE);
    Outcome outcome = weft.run("put", local.resolve("tree").toString(), "/tmp");
    assertFails("`weft fs df` shows the space", outcome);
    assertEquals(1, outcome.err().lines().count(), outcome.err());
  }

  @Test
  void modesTravelBothWays() throws IOException {
    Path file = write("run.sh", random(5));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-x---"));
    weft.run("put", file.toString(), "/tmp");
    assertEquals(0750, files.modeOf("/tmp/run.sh"));

    weft.run("get", "/tmp/run.sh", local.resolve("copy").toString());
    assertEquals(
        "rwxr-x---",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(local.resolve("copy"))));
  }

  @Test
  void getReplacesAsAWholeAndLeavesNothingBehind() throws IOException {
    files.file("/tmp/f", random(10));
    Path target = write("f", random(3));
    assertEquals(0, weft.run("get", "/tmp/f", target.toString()).exitCode());
    assertArrayEquals(random(10), Files.readAllBytes(target));

    assertFails(
        "exists already on this machine", weft.run("get", "-n", "/tmp/f", target.toString()));
    files.file("/tmp/g", random(4));
    files.breakAt("/tmp/g", ErrorCode.TOO_MANY_LOST);
    assertEquals(10, weft.run("get", "/tmp/g", local.toString()).exitCode());
    assertEquals(List.of(" directory", "f " + describeBytes(10)), listing(local));
  }

  private static String describeBytes(int length) {
    return new String(random(length), StandardCharsets.ISO_8859_1);
  }

  @Test
  void getWritesToStandardOutput() {
    files.file("/tmp/f", random(10));
    Outcome outcome = weft.run("get", "/tmp/f", "-");
    assertArrayEquals(random(10), outcome.bytes());
    assertEquals("", outcome.err());
  }

  @Test
  void getSaysWhatIsMissing() {
    assertFails("/no: no such file or directory", weft.run("get", "/no", local.toString()));
    files.file("/tmp/f", random(10));
    assertFails(local + "/no: no such file", weft.run("get", "/tmp/f", local + "/no/where"));
    assertFails("not a directory on this machine", weft.run("get", "/tmp/f", local + "/nowhere/"));
  }

  @Test
  void jsonSumsUp() throws IOException {
    Path file = write("f", random(100));
    JsonNode node =
        new ObjectMapper().readTree(weft.run("put", "--json", file.toString(), "/tmp").bytes());
    assertEquals(1, node.get("files").asInt());
    assertEquals(100, node.get("bytes").asInt());
    assertFalse(node.get("failed").asBoolean());
  }

  @Test
  void progressShowsOnATerminalOrOnRequest() throws IOException {
    String file = write("f", random(100)).toString();
    assertEquals("", weft.run("put", file, "/tmp").err());
    assertTrue(weft.run("put", "--progress", file, "/tmp").err().contains("1 file, 100 B in"));
    weft.onTerminal();
    assertTrue(weft.run("put", file, "/tmp").err().contains("1 file, 100 B in"));
    assertEquals("", weft.run("put", "--no-progress", file, "/tmp").err());
  }

  @Test
  void theLongestNamesFindATemporaryOne() throws IOException {
    String name = "ü".repeat(127) + "x";
    String file = write(name, random(9)).toString();
    assertEquals(0, weft.run("put", file, "/tmp").exitCode());
    assertArrayEquals(random(9), files.bytesOf("/tmp/" + name));
    String temporary = TemporaryName.of(name);
    assertTrue(temporary.getBytes(StandardCharsets.UTF_8).length <= 255, temporary);
    assertTrue(temporary.endsWith(TemporaryName.SUFFIX));
    assertTrue(TemporaryName.of("short").matches("short\\.[0-9a-f]{16}\\._COPYING_"));

    assertEquals(0, weft.run("get", "/tmp/" + name, local.resolve("out").toString()).exitCode());
  }
}
