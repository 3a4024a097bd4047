package org.weft.cli.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.cli.files.CommandRun;
import org.weft.cli.files.CommandRun.Outcome;
import org.weft.cli.files.MemoryFiles;
import org.weft.client.AttributeChanges;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;

/** Trees in and out: links, modes and times, going on, what is summed up at the end. */
class TreeTransferTest {
  private static final long THEN_MILLIS = 1_600_000_000_123L;

  private final MemoryFiles files = new MemoryFiles();
  private final CommandRun weft = new CommandRun(files);

  @TempDir private Path local;

  TreeTransferTest() {
    files.directory("/tmp");
  }

  @AfterEach
  void close() {
    weft.close();
  }

  private Path write(String name, int length) throws IOException {
    Path file = local.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.write(file, new byte[length]);
  }

  private String tree() {
    return local.resolve("tree").toString();
  }

  private Outcome run(String... arguments) {
    Outcome outcome = weft.run(arguments);
    assertEquals(0, outcome.exitCode(), outcome.err());
    return outcome;
  }

  private JsonNode json(String... arguments) throws IOException {
    return new ObjectMapper().readTree(run(arguments).bytes());
  }

  @Test
  void aPlantedLinkToADirectoryIsNotFollowed() throws IOException {
    write("tree/d/a", 5);
    run("put", tree(), "/tmp");
    Path elsewhere = Files.createDirectory(local.resolve("elsewhere"));
    Path copy = Files.createDirectory(local.resolve("copy"));
    Files.createSymbolicLink(Files.createDirectory(copy.resolve("tree")).resolve("d"), elsewhere);
    Outcome outcome = weft.run("get", "/tmp/tree", copy.toString());
    assertNotEquals(0, outcome.exitCode(), outcome.err());
    assertTrue(outcome.err().contains("symbolic link to a directory"), outcome.err());
    assertFalse(Files.exists(elsewhere.resolve("a")));
  }

  @Test
  void aPlantedLinkInPlaceOfTheCopiedDirectoryIsNotFollowed() throws IOException {
    write("tree/a", 5);
    run("put", tree(), "/tmp");
    Path elsewhere = Files.createDirectory(local.resolve("elsewhere"));
    Path copy = Files.createDirectory(local.resolve("copy"));
    Files.createSymbolicLink(copy.resolve("tree"), elsewhere);
    Outcome outcome = weft.run("get", "/tmp/tree", copy.toString());
    assertNotEquals(0, outcome.exitCode(), outcome.err());
    assertFalse(Files.exists(elsewhere.resolve("a")));
    // The user named this one.
    run("get", "/tmp/tree/a", copy.resolve("tree").toString());
    assertTrue(Files.exists(elsewhere.resolve("a")));
  }

  /** Another user that may rename in the directory does it between the check and the use. */
  @ParameterizedTest
  @ValueSource(strings = {"tree", "tree/d"})
  void aDirectoryThatIsExchangedForALinkMeanwhileLeadsNowhere(String exchanged) throws IOException {
    write("tree/d/a", 5);
    run("put", tree(), "/tmp");
    Path elsewhere = Files.createDirectory(local.resolve("elsewhere"));
    Path copy = Files.createDirectory(local.resolve("copy"));
    Path place = copy.resolve(exchanged);
    AtomicInteger exchanges = new AtomicInteger();
    files.beforeListing(
        directory -> {
          if (directory.toString().equals("/tmp/tree/d")
              && Files.exists(place)
              && exchanges.getAndIncrement() == 0) {
            exchange(place, elsewhere);
          }
        });
    run("get", "--no-progress", "-p", "/tmp/tree", copy.toString());
    assertEquals(1, exchanges.get());
    try (Stream<Path> planted = Files.list(elsewhere)) {
      assertEquals(List.of(), planted.toList());
    }
    String rest = "tree/d/a".substring(exchanged.length() + 1);
    assertEquals(5, Files.size(copy.resolve(exchanged + ".old").resolve(rest)));
  }

  private static void exchange(Path place, Path elsewhere) {
    try {
      Files.move(place, place.resolveSibling(place.getFileName() + ".old"));
      Files.createSymbolicLink(place, elsewhere);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aPlantedTemporaryNameIsNotWrittenThrough() throws IOException {
    write("a", 5);
    run("put", local.resolve("a").toString(), "/tmp");
    Path copy = Files.createDirectory(local.resolve("copy"));
    Path victim = write("victim", 3);
    Files.createSymbolicLink(copy.resolve("a._COPYING_"), victim);
    run("get", "/tmp/a", copy.toString());
    run("get", "--sparse", "/tmp/a", copy.resolve("b").toString());
    assertEquals(3, Files.size(victim));
    assertEquals(5, Files.size(copy.resolve("a")));
    assertEquals(5, Files.size(copy.resolve("b")));
  }

  @Test
  void temporaryNameIsRandomAndNeverReusesAnExistingFile() throws IOException {
    write("a", 5);
    write("victim", 3);
    run("put", local.resolve("victim").toString(), "/tmp");
    for (String planted : List.of("a._COPYING_", "b._COPYING_")) {
      var unused = files.symlink("/tmp/victim", WeftPath.of("/tmp").child(planted));
    }
    run("put", local.resolve("a").toString(), "/tmp");
    run("put", local.resolve("a").toString(), "/tmp/b");
    assertEquals(3, files.bytesOf("/tmp/victim").length);
    assertEquals(5, files.bytesOf("/tmp/b").length);
    assertNotEquals(TemporaryName.of("a"), TemporaryName.of("a"));
  }

  @Test
  void modesThatAreGotAreNoWiderThanTheUmaskAllows() throws IOException {
    Path mine = Files.createFile(local.resolve("mine"));
    var allowed = Files.getPosixFilePermissions(mine);
    Path wide = write("tree/d/wide", 5);
    Files.setPosixFilePermissions(wide, PosixFilePermissions.fromString("rw-rw-rw-"));
    run("put", tree(), "/tmp");
    var unused =
        files.setAttributes(
            WeftPath.of("/tmp/tree/d/wide"), AttributeChanges.none().withMode(0666));
    unused =
        files.setAttributes(WeftPath.of("/tmp/tree/d"), AttributeChanges.none().withMode(0700));
    unused = files.setAttributes(WeftPath.of("/tmp/tree"), AttributeChanges.none().withMode(0777));
    run("get", "/tmp/tree", local.resolve("out").toString());
    Path got = local.resolve("out");
    assertEquals(allowed, Files.getPosixFilePermissions(got.resolve("d/wide")));
    assertEquals("rwx------", mode(got.resolve("d")));
    assertEquals(mode(Files.createDirectory(local.resolve("my directory"))), mode(got));
    run("get", "-p", "/tmp/tree", local.resolve("exact").toString());
    assertEquals("rw-rw-rw-", mode(local.resolve("exact/d/wide")));
    assertEquals("rwxrwxrwx", mode(local.resolve("exact")));
  }

  @Test
  void newDirectoryIsPrivateWhileFilledAndOldModesStay() throws IOException {
    write("tree/d/a", 5);
    run("put", tree(), "/tmp");
    Path there = Files.createDirectory(local.resolve("there"));
    Files.setPosixFilePermissions(there, PosixFilePermissions.fromString("rwxrwx---"));
    List<String> seen = new ArrayList<>();
    files.beforeListing(
        path -> {
          try {
            if (Files.exists(there.resolve("tree"))) {
              seen.add(mode(there.resolve("tree")));
            }
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    run("get", "/tmp/tree", there.toString());
    assertTrue(seen.contains("rwx------"), seen.toString());
    assertEquals("rwxrwx---", mode(there));
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void linksInATreeStayLinksBothWays() throws IOException {
    write("tree/d/a", 5);
    Files.createSymbolicLink(local.resolve("tree/link"), Path.of("d/a"));
    Files.createSymbolicLink(local.resolve("tree/dir"), Path.of("d"));
    Files.createSymbolicLink(local.resolve("tree/nowhere"), Path.of("../no such"));
    run("put", tree(), "/tmp");
    run("put", tree(), "/tmp");
    assertEquals(
        List.of(
            "/tmp",
            "/tmp/tree",
            "/tmp/tree/d",
            "/tmp/tree/d/a",
            "/tmp/tree/dir",
            "/tmp/tree/link",
            "/tmp/tree/nowhere"),
        files.paths());

    run("get", "/tmp/tree", local.resolve("out").toString());
    run("get", "/tmp/tree", local.resolve("out2").toString());
    assertEquals(Path.of("d"), Files.readSymbolicLink(local.resolve("out/dir")));
    assertEquals(Path.of("../no such"), Files.readSymbolicLink(local.resolve("out/nowhere")));
    assertEquals(5, Files.size(local.resolve("out/link")));
  }

  @Test
  void linksAreFollowedIfAsked() throws IOException {
    write("tree/d/a", 5);
    Files.createSymbolicLink(local.resolve("tree/dir"), Path.of("d"));
    Files.createSymbolicLink(local.resolve("tree/loop"), Path.of("."));
    Outcome outcome = weft.run("put", "-L", tree(), "/tmp");
    assertTrue(outcome.err().contains("a symbolic link that leads back"), outcome.err());
    assertEquals(6, outcome.exitCode());
    assertEquals(5, files.bytesOf("/tmp/tree/dir/a").length);
  }

  @Test
  void aLinkThatIsNamedIsFollowedAlsoToADirectory() throws IOException {
    write("tree/a", 5);
    Path link = Files.createSymbolicLink(local.resolve("link"), Path.of("tree"));
    run("put", link.toString(), "/tmp");
    assertEquals(5, files.bytesOf("/tmp/link/a").length);
    files.symbolicLink("/tmp/remote", "link");
    run("get", "/tmp/remote", local.toString());
    assertEquals(5, Files.size(local.resolve("remote/a")));
  }

  @Test
  void preserveTakesModesAndTimesAlongOfDirectoriesToo() throws IOException {
    Path file = write("tree/d/a", 5);
    Path directory = file.getParent();
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r-----"));
    Files.setLastModifiedTime(file, FileTime.fromMillis(THEN_MILLIS));
    Files.setLastModifiedTime(directory, FileTime.fromMillis(THEN_MILLIS + 1));
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("r-xr-xr-x"));
    run("put", "-p", tree(), "/tmp");
    assertEquals(0440, files.modeOf("/tmp/tree/d/a"));
    assertEquals(THEN_MILLIS, files.node("/tmp/tree/d/a").mtimeMillis);
    assertEquals(0555, files.modeOf("/tmp/tree/d"));
    assertEquals(THEN_MILLIS + 1, files.node("/tmp/tree/d").mtimeMillis);

    Path out = local.resolve("out");
    run("get", "-p", "/tmp/tree", out.toString());
    assertEquals(THEN_MILLIS, Files.getLastModifiedTime(out.resolve("d/a")).toMillis());
    assertEquals(THEN_MILLIS + 1, Files.getLastModifiedTime(out.resolve("d")).toMillis());
    assertEquals(
        "r-xr-xr-x",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(out.resolve("d"))));
    for (Path readOnly : List.of(directory, out.resolve("d"))) {
      Files.setPosixFilePermissions(readOnly, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
  }

  @Test
  void withoutPreserveADirectoryStaysFillable() throws IOException {
    Path directory = write("tree/d/a", 5).getParent();
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("r-xr-xr-x"));
    run("put", tree(), "/tmp");
    assertEquals(0755, files.modeOf("/tmp/tree/d"));
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  void updateContinuesAnInterruptedCopy() throws IOException {
    for (int number = 0; number < 20; number++) {
      write("tree/f" + number, 10 + number);
    }
    files.breakAt("/tmp/tree/f7", ErrorCode.PERMISSION_DENIED);
    assertEquals(4, weft.run("put", "-u", tree(), "/tmp").exitCode());
    files.breakAt("/tmp/tree/f7", null);
    write("tree/f3", 99);
    JsonNode second = json("put", "-u", "--json", tree(), "/tmp");
    assertEquals(2, second.get("files").asInt());
    assertEquals(18, second.get("skipped").asInt());
    assertEquals(99, files.bytesOf("/tmp/tree/f3").length);

    run("get", "-p", "/tmp/tree", local.resolve("out").toString());
    Files.delete(local.resolve("out/f5"));
    JsonNode again = json("get", "-u", "--json", "/tmp/tree", local.resolve("out").toString());
    assertEquals(20, again.get("files").asInt() + again.get("skipped").asInt(), "into out/tree");
  }

  @Test
  void updateCopiesWhatIsOlderOrOfAnotherSize() throws IOException {
    Path file = write("f", 10);
    Files.setLastModifiedTime(file, FileTime.fromMillis(THEN_MILLIS));
    files.file("/tmp/f", new byte[10]);
    files.node("/tmp/f").mtimeMillis = THEN_MILLIS - 1;
    assertEquals(1, json("put", "-u", "--json", file.toString(), "/tmp").get("files").asInt());
    files.node("/tmp/f").mtimeMillis = THEN_MILLIS;
    assertEquals(0, json("put", "-u", "--json", file.toString(), "/tmp").get("files").asInt());
    files.file("/tmp/f", new byte[11]);
    assertEquals(1, json("put", "-u", "--json", file.toString(), "/tmp").get("files").asInt());
    assertEquals(2, weft.run("put", "-u", "-n", file.toString(), "/tmp").exitCode());
  }

  @Test
  void errorsAreCountedAndSummedUp() throws IOException {
    for (int number = 0; number < 30; number++) {
      write("tree/f" + number, 10);
      if (number % 3 == 0) {
        files.breakAt("/tmp/tree/f" + number, ErrorCode.PERMISSION_DENIED);
      }
    }
    Outcome outcome = weft.run("put", tree(), "/tmp");
    List<String> lines = outcome.err().lines().toList();
    assertEquals(11, lines.size(), outcome.err());
    assertEquals(
        "weft: put " + tree() + ": 20 files copied; 10 errors", lines.get(lines.size() - 1));
    Outcome shown = weft.run("put", "--progress", tree(), "/tmp");
    assertTrue(shown.err().contains("20 files, 300 B in "), shown.err());
    assertTrue(shown.err().contains("; 10 errors"), shown.err());
    Outcome json = weft.run("put", "--json", tree(), "/tmp");
    assertEquals(10, new ObjectMapper().readTree(json.bytes()).get("errors").asInt());
    JsonNode first = new ObjectMapper().readTree(json.err().lines().findFirst().orElseThrow());
    assertEquals("permission_denied", first.get("error").asText());
    assertEquals(4, first.get("exitCode").asInt());
  }

  @Test
  void getTakesWhatMatchesAndWritesNoHalfFile() throws IOException {
    files.file("/tmp/a.csv", new byte[3]);
    files.file("/tmp/b.csv", new byte[4]);
    files.file("/tmp/c.txt", new byte[5]);
    files.breakAt("/tmp/b.csv", null);
    Path out = Files.createDirectory(local.resolve("out"));
    run("get", "/tmp/*.csv", out.toString());
    try (var names = Files.list(out)) {
      assertEquals(2, names.count());
    }
    assertEquals(4, Files.size(out.resolve("b.csv")));
    assertEquals(6, weft.run("get", "/tmp/*.csv", local.resolve("no").toString()).exitCode());
    assertEquals(3, weft.run("get", "/tmp/*.pdf", out.toString()).exitCode());
  }

  @Test
  void obstacleInATreeCopyIsNamed() throws IOException {
    write("tree/a", 5);
    files.directory("/tmp/tree");
    files.directory("/tmp/tree/a");
    assertEquals(5, weft.run("put", tree(), "/tmp").exitCode());
    files.file("/tmp/other", new byte[1]);
    Files.createDirectory(local.resolve("other"));
    Outcome outcome = weft.run("get", "/tmp/other", local.toString());
    assertEquals(5, outcome.exitCode());
    assertTrue(outcome.err().contains("exists already") || outcome.err().contains("stands there"));
  }

  @Test
  void sparseGetsLeaveHolesAndTheSameBytes() throws IOException {
    byte[] bytes = new byte[3_000_000];
    bytes[0] = 1;
    bytes[5_000] = 2;
    Arrays.fill(bytes, 100_000, 130_000, (byte) 3);
    files.file("/tmp/sparse", bytes);
    Path out = local.resolve("sparse");
    run("get", "--sparse", "/tmp/sparse", out.toString());
    assertArrayEquals(bytes, Files.readAllBytes(out));
    files.file("/tmp/empty", new byte[0]);
    run("get", "--sparse", "/tmp/empty", local.resolve("empty").toString());
    assertEquals(0, Files.size(local.resolve("empty")));
  }

  @Test
  void anEmptyTreeIsATree() throws IOException {
    Files.createDirectories(local.resolve("tree/a/b"));
    run("put", tree(), "/tmp/new");
    assertEquals(List.of("/tmp", "/tmp/new", "/tmp/new/a", "/tmp/new/a/b"), files.paths());
    run("get", "/tmp/new", local.resolve("out").toString());
    assertTrue(Files.isDirectory(local.resolve("out/a/b")));
    assertFalse(Files.exists(local.resolve("out/new")));
  }
}
