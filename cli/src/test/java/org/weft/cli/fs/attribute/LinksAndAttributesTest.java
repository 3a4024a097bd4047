package org.weft.cli.fs.attribute;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.cli.files.CommandRun;
import org.weft.cli.files.CommandRun.Outcome;
import org.weft.cli.files.MemoryFiles;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;

/** Links, modes, owners, times, lengths and extended attributes. */
class LinksAndAttributesTest {
  private final MemoryFiles files = new MemoryFiles();
  private final CommandRun weft = new CommandRun(files);

  LinksAndAttributesTest() {
    files.directory("/tmp");
    files.directory("/tmp/d");
    files.file("/tmp/d/a", "0123456789".getBytes(StandardCharsets.UTF_8));
    files.file("/tmp/d/b", new byte[0]);
    files.symbolicLink("/tmp/link", "d/a");
  }

  @AfterEach
  void close() {
    weft.close();
  }

  private static void assertFails(int exitCode, String text, Outcome outcome) {
    assertEquals(exitCode, outcome.exitCode(), outcome.err());
    assertTrue(outcome.err().contains(text), outcome.err());
  }

  private String run(String... arguments) {
    Outcome outcome = weft.run(arguments);
    assertEquals(0, outcome.exitCode(), outcome.err());
    return outcome.out();
  }

  @Test
  void lnGivesAFileASecondName() {
    run("ln", "/tmp/d/a", "/tmp/second");
    assertEquals(10, files.bytesOf("/tmp/second").length);
    assertTrue(run("stat", "/tmp/second").contains("Links: 2"));
    assertFails(5, "/tmp/second: exists", weft.run("ln", "/tmp/d/b", "/tmp/second"));
    assertFails(6, "a directory has one name", weft.run("ln", "/tmp/d", "/tmp/e"));
  }

  @Test
  void lnIntoADirectoryKeepsTheName() {
    run("ln", "-s", "../x/c", "/no/such", "/tmp/d/");
    assertFails(5, "/tmp/d/a: exists", weft.run("ln", "-s", "../x/a", "/tmp/d"));
    assertEquals("/no/such\n", run("readlink", "/tmp/d/such"));
  }

  @Test
  void lnForceReplacesAtOnceAndNeverADirectory() {
    run("ln", "-s", "-f", "d/b", "/tmp/link");
    assertEquals("d/b\n", run("readlink", "/tmp/link"));
    run("ln", "-f", "/tmp/d/a", "/tmp/d/b");
    assertEquals(10, files.bytesOf("/tmp/d/b").length);
    run("ln", "-f", "/tmp/d/a", "/tmp/d/b");
    assertEquals(List.of("/tmp", "/tmp/d", "/tmp/d/a", "/tmp/d/b", "/tmp/link"), files.paths());
    files.symbolicLink("/tmp/current", "d");
    run("ln", "-s", "-f", "-n", "other", "/tmp/current");
    assertEquals("other\n", run("readlink", "/tmp/current"));
    files.directory("/tmp/d/b2");
    assertFails(6, "remove it first", weft.run("ln", "-s", "-f", "/x/b2", "/tmp/d"));
  }

  @Test
  void lsAndStatShowLinksThemselves() {
    assertTrue(run("ls", "/tmp").contains("/tmp/link -> d/a"));
    assertTrue(run("ls", "/tmp/link").startsWith("lrwxrwxrwx"));
    assertTrue(run("stat", "/tmp/link").contains("Target: d/a"));
    assertTrue(run("stat", "-L", "/tmp/link").contains("Size: 10 bytes"));
    files.symbolicLink("/tmp/dir", "d");
    assertEquals(2, run("ls", "/tmp/dir").lines().count());
    assertEquals(1, run("ls", "-d", "/tmp/dir").lines().count());
  }

  @Test
  void readlinkFollowsToTheEndIfAsked() {
    files.symbolicLink("/tmp/dir", "/tmp/d/../d");
    assertEquals("/tmp/d/a\n", run("readlink", "-f", "/tmp/dir/a"));
    files.symbolicLink("/tmp/loop", "loop");
    assertFails(6, "more than 40 links", weft.run("readlink", "-f", "/tmp/loop"));
    assertFails(1, "is not a symbolic link", weft.run("readlink", "/tmp/d/a"));
    assertFails(3, "/tmp/no: no such", weft.run("readlink", "/tmp/no"));
  }

  @Test
  void rmTakesTheLinkAndNotWhatItLeadsTo() {
    files.symbolicLink("/tmp/dir", "d");
    run("rm", "-r", "/tmp/dir", "/tmp/link");
    assertEquals(List.of("/tmp", "/tmp/d", "/tmp/d/a", "/tmp/d/b"), files.paths());
  }

  @Test
  void rmTakesWhatMatchesAndNeverTheRoot() {
    run("rm", "/tmp/d/*");
    assertEquals(List.of("/tmp", "/tmp/d", "/tmp/link"), files.paths());
    assertFails(3, "nothing matches", weft.run("rm", "/tmp/d/*"));
    assertEquals(0, weft.run("rm", "-f", "/tmp/d/*").exitCode());
    assertFails(1, "the root cannot be removed", weft.run("rm", "-r", "/t*/.."));
    files.file("/tmp/d/*", new byte[0]);
    files.file("/tmp/d/c", new byte[0]);
    run("rm", "--no-glob", "/tmp/d/*");
    assertTrue(files.paths().contains("/tmp/d/c"));
  }

  @ParameterizedTest
  @CsvSource({
    "644, 0777, 0644",
    "1777, 0, 01777",
    "u+x, 0644, 0744",
    "'u+rwx,go-rw', 0466, 0700",
    "a=r, 0777, 0444",
    "+x, 0644, 0755",
    "+w, 0444, 0644",
    "a+w, 0444, 0666",
    "g=u, 0740, 0770",
    "o=, 0777, 0770",
    "+t, 0777, 01777",
    "u+s, 0755, 04755",
    "g+s, 0755, 02755",
    "a+X, 0644, 0644",
    "a+X, 0744, 0755",
    "-x, 0755, 0644",
    "u=rw+x, 0, 0700"
  })
  void modesChangeAsChmodDoes(String change, String before, String after) {
    ModeChange parsed = ModeChange.parse(change, 022);
    int mode = parsed.applyTo(Integer.parseInt(before, 8), false);
    assertEquals(after, mode == 0 ? "0" : "0" + Integer.toOctalString(mode));
  }

  @Test
  void modesOfDirectoriesKeepWhatIsTheirs() {
    assertEquals(02755, ModeChange.parse("u=rwx,go=rx", 0).applyTo(02700, true));
    assertEquals(0755, ModeChange.parse("a+X", 0).applyTo(0644, true));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "9", "77777", "u", "u+q", "x+r", "u+r,", "u~r"})
  void whatIsNoModeIsRefused(String text) {
    assertThrows(IllegalArgumentException.class, () -> ModeChange.parse(text, 0));
    assertEquals(2, weft.run("chmod", text, "/tmp/d/a").exitCode());
  }

  @Test
  void chmodSetsOneOrATreeAndPassesOverLinks() {
    run("chmod", "-x", "/tmp/d");
    assertEquals(0644, files.modeOf("/tmp/d"));
    run("chmod", "755", "/tmp/d");
    assertEquals(
        "{\"changed\":3,\"errors\":0,\"failed\":false}\n",
        run("chmod", "-R", "--json", "go-rwx", "/tmp/d"));
    assertEquals(0700, files.modeOf("/tmp/d"));
    assertEquals(0600, files.modeOf("/tmp/d/a"));
    run("chmod", "-R", "0", "/tmp");
    assertEquals(0777, files.modeOf("/tmp/link"));
    assertEquals(
        "{\"changed\":0,\"errors\":0,\"failed\":false}\n",
        run("chmod", "-R", "--json", "0", "/tmp"));
    run("chmod", "u+w", "/tmp/link");
    assertEquals(0200, files.modeOf("/tmp/d/a"));
  }

  @Test
  void chmodGoesOnPastWhatFails() {
    files.breakAt("/tmp/d/a", ErrorCode.PERMISSION_DENIED);
    assertFails(4, "/tmp/d/a", weft.run("chmod", "-R", "700", "/tmp/d"));
    assertEquals(0700, files.modeOf("/tmp/d/b"));
  }

  @Test
  void chownSetsOwnerGroupOrBoth() {
    run("chown", "bob", "/tmp/d/a");
    run("chown", ":team", "/tmp/d/b");
    run("chown", "-R", "eve:all", "/tmp/d");
    run("chgrp", "some", "/tmp/link");
    assertEquals("eve", files.node("/tmp/d/b").owner);
    assertEquals("all", files.node("/tmp/d/b").group);
    assertEquals("some", files.node("/tmp/d/a").group);
    for (String wrong : List.of("", ":", "a:", "a:b:c")) {
      assertEquals(2, weft.run("chown", wrong, "/tmp/d").exitCode(), wrong);
    }
    assertEquals(2, weft.run("chgrp", "a:b", "/tmp/d").exitCode());
  }

  @Test
  void touchMakesFilesAndSetsTimes() {
    run("touch", "-d", "2026-11-01T12:00:00Z", "/tmp/new", "/tmp/d/a");
    assertEquals(1_793_534_400_000L, files.node("/tmp/new").mtimeMillis);
    assertEquals(1_793_534_400_000L, files.node("/tmp/d/a").atimeMillis);
    run("touch", "-m", "-d", "/tmp/new", "/tmp/d/b");
    assertEquals(1_793_534_400_000L, files.node("/tmp/d/b").mtimeMillis);
    assertEquals(1_795_000_000_000L, files.node("/tmp/d/b").atimeMillis);
    run("touch", "-c", "/tmp/none");
    assertTrue(!files.paths().contains("/tmp/none"));
    assertFails(3, "/no: no such", weft.run("touch", "/no/x"));
    assertEquals(2, weft.run("touch", "-d", "soon", "/tmp/new").exitCode());
  }

  @Test
  void truncateCutsExtendsAndCreates() {
    run("truncate", "-s", "-4", "/tmp/d/a");
    assertEquals("012345", run("cat", "/tmp/d/a"));
    run("truncate", "-s", "+1k", "/tmp/d/a");
    assertEquals(1030, files.bytesOf("/tmp/d/a").length);
    run("truncate", "-s", "0", "/tmp/d/a");
    run("truncate", "-s", "3", "/tmp/made");
    assertArrayEquals(new byte[3], files.bytesOf("/tmp/made"));
    run("truncate", "-c", "-s", "3", "/tmp/none");
    assertTrue(!files.paths().contains("/tmp/none"));
    assertEquals(2, weft.run("truncate", "-s", "much", "/tmp/d/a").exitCode());
    assertEquals(2, weft.run("truncate", "/tmp/d/a").exitCode());
    assertFails(6, "is a directory", weft.run("truncate", "-s", "1", "/tmp/d"));
  }

  /** 2^60 bytes are the most that a file may have; 51200T is more than an OSD once took. */
  @ParameterizedTest
  @ValueSource(
      strings = {"1048577T", "1152921504606846977", "8388607T", "9999999999T", "+1048577T"})
  void impossibleLengthIsWrongUsageAndMakesNoFile(String size) {
    Outcome outcome = weft.run("truncate", "-s", size, "/tmp/d/a", "/tmp/made");
    assertFails(2, size.replace("+", ""), outcome);
    assertEquals(10, files.bytesOf("/tmp/d/a").length);
    assertTrue(!files.paths().contains("/tmp/made"));
  }

  @Test
  void growingBeyondTheLongestFileIsRefusedWithTheLimit() {
    assertFails(
        1,
        "choose at most 1152921504606846976",
        weft.run("truncate", "-s", "+1048576T", "/tmp/d/a"));
    assertEquals(10, files.bytesOf("/tmp/d/a").length);
  }

  @Test
  void xattrsAreTextOrDigits() {
    run("xattr", "set", "/tmp/d/a", "user.origin", "station 7");
    run("xattr", "set", "/tmp/d/a", "user.sum", "0x00ff");
    run("xattr", "set", "/tmp/d/a", "user.icon", "0sAAE=");
    assertEquals("station 7\n", run("xattr", "get", "/tmp/d/a", "user.origin"));
    assertEquals("0x00ff\n", run("xattr", "get", "/tmp/d/a", "user.sum"));
    assertArrayEquals(
        new byte[] {0, 1}, weft.run("xattr", "get", "--raw", "/tmp/d/a", "user.icon").bytes());
    assertEquals(
        List.of(
            "/tmp/d/a:",
            "  user.icon = 0x0001",
            "  user.origin = station 7",
            "  user.sum = 0x00ff"),
        run("xattr", "list", "/tmp/d/a").lines().toList());
    run("xattr", "remove", "/tmp/d/a", "user.sum");
    assertFails(3, "has no attribute user.sum", weft.run("xattr", "get", "/tmp/d/a", "user.sum"));
    assertEquals("/tmp/d/b: none\n", run("xattr", "list", "/tmp/d/b"));
  }

  @Test
  void xattrsAreCheckedBeforeAnythingIsSent() {
    assertFails(2, "say user.origin", weft.run("xattr", "set", "/tmp/d/a", "origin", "x"));
    assertFails(2, "hexadecimal", weft.run("xattr", "set", "/tmp/d/a", "user.x", "0xq"));
    run("xattr", "set", "/tmp/d/a", "user.x", "1");
    assertFails(5, "exists", weft.run("xattr", "set", "--create", "/tmp/d/a", "user.x", "2"));
    assertFails(
        3, "no attribute", weft.run("xattr", "set", "--replace", "/tmp/d/a", "user.y", "2"));
    assertEquals(2, weft.run("xattr").exitCode());
  }

  @Test
  void appendWritesBehindTheEnd() {
    weft.input("!\n".getBytes(StandardCharsets.UTF_8));
    run("append", "/tmp/d/a");
    assertEquals("0123456789!\n", run("cat", "/tmp/d/a"));
    assertTrue(run("append", "--json", "-", "/tmp/fresh").contains("\"created\":true"));
    assertEquals("!\n", run("cat", "/tmp/fresh"));
    assertFails(3, "on this machine", weft.run("append", "/no/local", "/tmp/d/a"));
    assertFails(3, "/tmp/none: no such", weft.run("append", "-c", "/tmp/none"));
    assertFails(6, "is a directory", weft.run("append", "/tmp/d"));
  }

  @ParameterizedTest
  @CsvSource({
    "-e, /tmp/d/a, 0",
    "-e, /tmp/no, 1",
    "-e, /tmp/d/a/below, 1",
    "-f, /tmp/link, 0",
    "-f, /tmp/d, 1",
    "-d, /tmp/d, 0",
    "-L, /tmp/link, 0",
    "-L, /tmp/d/a, 1",
    "-z, /tmp/d/b, 0",
    "-z, /tmp/d/a, 1",
    "-z, /tmp/d, 1",
    "-s, /tmp/d/a, 0",
    "-s, /tmp/d/b, 1"
  })
  void testAnswersByItsExitCode(String question, String path, int exitCode) {
    Outcome outcome = weft.run("test", question, path);
    assertEquals(exitCode, outcome.exitCode());
    assertEquals("", outcome.out() + outcome.err());
  }

  @Test
  void testReportsAnErrorWhenItCannotDecide() {
    files.breakAt("/tmp/d/a", ErrorCode.UNAVAILABLE);
    assertEquals(9, weft.run("test", "-e", "/tmp/d/a").exitCode());
    assertEquals(2, weft.run("test", "/tmp").exitCode());
    assertEquals(2, weft.run("test", "-e", "-f", "/tmp").exitCode());
    assertEquals(
        "{\"path\":\"/tmp\",\"result\":false}\n", weft.run("test", "--json", "-f", "/tmp").out());
  }

  /** A link to /victim stands in place of the directory when that is listed. */
  private void exchangeWhenListed(String directory) {
    files.directory("/victim");
    files.file("/victim/a", new byte[3]);
    files.directory("/tmp/t");
    files.directory("/tmp/t/d");
    files.file("/tmp/t/d/a", new byte[1]);
    files.beforeListing(
        path -> {
          if (path.toString().equals(directory)) {
            files.symbolicLink(directory, "/victim");
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"/tmp/t", "/tmp/t/d"})
  void removalDoesNotFollowALinkSwappedIn(String exchanged) {
    exchangeWhenListed(exchanged);
    Outcome outcome = weft.run("rm", "-r", "/tmp/t");
    assertNotEquals(0, outcome.exitCode());
    assertTrue(outcome.err().contains("is a symbolic link"), outcome.err());
    assertEquals(3, files.bytesOf("/victim/a").length);
  }

  @ParameterizedTest
  @ValueSource(strings = {"chmod -R 777 /tmp/t", "chown -R eve /tmp/t", "chgrp -R eve /tmp/t"})
  void changeDoesNotFollowALinkSwappedIn(String command) throws IOException {
    exchangeWhenListed("/tmp/t/d");
    String before = files.find(WeftPath.of("/victim/a")).orElseThrow().toString();
    Outcome outcome = weft.run(command.split(" "));
    assertNotEquals(0, outcome.exitCode());
    assertTrue(outcome.err().contains("is a symbolic link"), outcome.err());
    assertEquals(before, files.find(WeftPath.of("/victim/a")).orElseThrow().toString());
  }
}
