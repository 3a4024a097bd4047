package org.weft.nfs.v3;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.ids.NodeId;
import org.weft.nfs.model.ModelFileService;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.model.Nfs3Client;
import org.weft.nfs.model.Nfs3Client.Result;

/** Each procedure over a socket, against the model. */
class ProceduresTest {
  private final ModelFileService files = new ModelFileService();
  private final ModelGateway gateway = new ModelGateway(files, files.root());
  private final Nfs3Client root = new Nfs3Client(gateway.connect(gateway.address()), 0, 0);
  private final Nfs3Client alice =
      new Nfs3Client(gateway.connect(gateway.address()), 1_000, 100, 101);
  private final Nfs3Client bob = new Nfs3Client(gateway.connect(gateway.address()), 1_001, 100);
  private final byte[] top = gateway.handle(ModelGateway.OPEN, files.root());

  @AfterEach
  void nothingIsHeld() {
    gateway.close();
    assertEquals(0, files.unreleased());
    assertEquals(0, gateway.transport().usedBytes());
  }

  private static byte[] bytes(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private byte[] file(String name) {
    return alice.create(top, name, true, Nfs3Client.Set.mode(0640)).handle;
  }

  @Test
  void aFileHasItsOwnersNumbersAndWhatWasWritten() {
    Result created = alice.create(top, "file", true, Nfs3Client.Set.mode(0640));
    assertEquals(Nfs3Client.OK, created.status);
    assertEquals(1, created.node.type());
    assertEquals(0640, created.node.mode());
    assertEquals(1_000, created.node.uid());
    assertEquals(100, created.node.gid());
    byte[] large = bytes(1, 1 << 20);
    Result written = alice.write(created.handle, 5, Nfs3Client.FILE_SYNC, large);
    assertEquals(large.length, written.count);
    assertEquals(Nfs3Client.FILE_SYNC, written.committed);
    assertEquals(0, written.wcc.before().size());
    assertEquals(large.length + 5, written.wcc.after().size());
    Result read = alice.read(created.handle, 5, 1 << 20);
    assertArrayEquals(large, read.data);
    assertTrue(read.end);
    Result first = alice.read(created.handle, 0, 5);
    assertArrayEquals(new byte[5], first.data);
    assertFalse(first.end);
  }

  @Test
  void readingBehindTheEndReadsNothing() {
    byte[] file = file("file");
    alice.write(file, 0, Nfs3Client.UNSTABLE, bytes(1, 10));
    for (long offset : new long[] {10, 11, 1L << 40, Long.MAX_VALUE, -1, Long.MIN_VALUE}) {
      Result read = alice.read(file, offset, 100);
      assertEquals(Nfs3Client.OK, read.status);
      assertEquals(0, read.count);
      assertTrue(read.end);
    }
    Result none = alice.read(file, 3, 0);
    assertEquals(0, none.count);
    assertFalse(none.end);
  }

  @Test
  void aReadOfMoreThanTheMostIsAnsweredInPart() {
    byte[] file = file("file");
    alice.write(file, (1 << 20) - 1, Nfs3Client.UNSTABLE, bytes(1, 1 << 20));
    Result read = alice.read(file, 0, -1);
    assertEquals(1 << 20, read.count);
    assertFalse(read.end);
  }

  @Test
  void writingBeyondTheLongestFileIsRefused() {
    byte[] file = file("file");
    for (long offset : new long[] {1L << 30, (1L << 30) - 9, Long.MAX_VALUE, -1}) {
      Result written = alice.write(file, offset, Nfs3Client.UNSTABLE, bytes(1, 10));
      assertEquals(Nfs3Client.FBIG, written.status);
    }
    assertEquals(Nfs3Client.FBIG, alice.setAttr(file, Nfs3Client.Set.size(-1), null).status);
    assertEquals(Nfs3Client.FBIG, alice.setAttr(file, Nfs3Client.Set.size(1L << 40), null).status);
  }

  @Test
  void unstableBytesAreLostWithTheServerAndTheVerifierTells() {
    byte[] file = file("file");
    Result first = alice.write(file, 0, Nfs3Client.UNSTABLE, bytes(1, 10));
    assertEquals(Nfs3Client.UNSTABLE, first.committed);
    assertEquals(first.verifier, alice.commit(file, 0, 0).verifier);
    Result second = alice.write(file, 10, Nfs3Client.UNSTABLE, bytes(2, 10));
    files.crash();
    Result commit = alice.commit(file, 0, 0);
    assertEquals(Nfs3Client.OK, commit.status);
    assertNotEquals(second.verifier, commit.verifier);
    assertArrayEquals(bytes(1, 10), alice.read(file, 0, 100).data);
    Result again = alice.write(file, 10, Nfs3Client.UNSTABLE, bytes(2, 10));
    assertEquals(commit.verifier, again.verifier);
    assertArrayEquals(bytes(2, 10), alice.read(file, 10, 10).data);
  }

  @Test
  void anExclusiveCreateIsRepeatedWithItsVerifierAlone() {
    Result first = alice.createExclusive(top, "once", 77);
    assertEquals(Nfs3Client.OK, first.status);
    Result repeat = alice.createExclusive(top, "once", 77);
    assertEquals(Nfs3Client.OK, repeat.status);
    assertArrayEquals(first.handle, repeat.handle);
    assertEquals(Nfs3Client.EXIST, alice.createExclusive(top, "once", 78).status);
    alice.setAttr(first.handle, Nfs3Client.Set.mode(0600), null);
    assertEquals(Nfs3Client.EXIST, alice.createExclusive(top, "once", 77).status);
  }

  @Test
  void anUncheckedCreateTakesTheFileThatIsThere() {
    byte[] file = file("file");
    alice.write(file, 0, Nfs3Client.UNSTABLE, bytes(1, 10));
    Result same = alice.create(top, "file", false, Nfs3Client.Set.NONE);
    assertArrayEquals(file, same.handle);
    assertEquals(10, same.node.size());
    Result cut = alice.create(top, "file", false, Nfs3Client.Set.size(0));
    assertEquals(0, cut.node.size());
    assertEquals(Nfs3Client.EXIST, alice.create(top, "file", true, Nfs3Client.Set.NONE).status);
    assertEquals(Nfs3Client.EXIST, alice.create(top, ".", false, Nfs3Client.Set.NONE).status);
    assertEquals(Nfs3Client.EXIST, alice.mkDir(top, "..", Nfs3Client.Set.NONE).status);
  }

  @Test
  void attributesAreSetIfTheGuardHolds() {
    byte[] file = file("file");
    long ctime = alice.getAttr(file).node.ctime();
    Result refused = alice.setAttr(file, Nfs3Client.Set.mode(0600), ctime + 1);
    assertEquals(Nfs3Client.NOT_SYNC, refused.status);
    assertEquals(ctime, refused.wcc.after().ctime());
    Result set = alice.setAttr(file, Nfs3Client.Set.mode(0100600), ctime);
    assertEquals(Nfs3Client.OK, set.status);
    assertEquals(ctime, set.wcc.before().ctime());
    assertEquals(0600, set.wcc.after().mode());
    assertTrue(set.wcc.after().ctime() > ctime);
    Nfs3Client.Set times =
        new Nfs3Client.Set(null, null, null, null, 1_000_000_001L, 2_000_000_002L);
    Result dated = alice.setAttr(file, times, null);
    assertEquals(1_000_000_001L, dated.wcc.after().atime());
    assertEquals(2_000_000_002L, dated.wcc.after().mtime());
    Nfs3Client.Set owner = new Nfs3Client.Set(null, 1_001, 4_711, null, null, null);
    assertEquals(Nfs3Client.PERM, alice.setAttr(file, owner, null).status);
    assertEquals(Nfs3Client.OK, root.setAttr(file, owner, null).status);
    assertEquals(1_001, root.getAttr(file).node.uid());
    assertEquals(4_711, root.getAttr(file).node.gid(), "a group that no table knows");
  }

  @Test
  void permissionsAreTheCallersOwn() {
    byte[] file = file("file");
    assertEquals(Nfs3Client.OK, bob.read(file, 0, 10).status, "by the group");
    assertEquals(Nfs3Client.ACCES, bob.write(file, 0, 0, bytes(1, 1)).status);
    assertEquals(Nfs3Client.PERM, bob.setAttr(file, Nfs3Client.Set.mode(0666), null).status);
    assertEquals(0x01 | 0x04 | 0x08, alice.access(file, 0x3f).access);
    assertEquals(0x01, bob.access(file, 0x3f).access);
    byte[] closed = alice.mkDir(top, "closed", Nfs3Client.Set.mode(0700)).handle;
    assertEquals(Nfs3Client.ACCES, bob.lookup(closed, "x").status);
    assertEquals(Nfs3Client.ACCES, bob.create(closed, "x", true, Nfs3Client.Set.NONE).status);
    assertEquals(Nfs3Client.ACCES, bob.readDir(closed, 0, 0, 4_096).status);
    alice.setAttr(file, Nfs3Client.Set.mode(0), null);
    assertEquals(Nfs3Client.OK, alice.read(file, 0, 10).status, "the owner may have it open");
    Nfs3Client nobody = new Nfs3Client(gateway.connect(gateway.address()));
    assertEquals(Nfs3Client.ACCES, nobody.read(file, 0, 10).status);
    assertEquals(Nfs3Client.OK, nobody.getAttr(file).status);
  }

  @Test
  void handlesOfReadOnlyAndSquashedExportsKeepTheirRules() {
    byte[] file = file("file");
    byte[] readOnly = gateway.handle(ModelGateway.READ_ONLY, files.root());
    byte[] sameFile = root.lookup(readOnly, "file").handle;
    assertFalse(java.util.Arrays.equals(file, sameFile));
    assertEquals(Nfs3Client.OK, alice.read(sameFile, 0, 1).status);
    assertEquals(Nfs3Client.ROFS, root.write(sameFile, 0, 0, bytes(1, 1)).status);
    assertEquals(Nfs3Client.ROFS, root.setAttr(sameFile, Nfs3Client.Set.mode(0), null).status);
    assertEquals(Nfs3Client.ROFS, root.remove(readOnly, "file").status);
    assertEquals(Nfs3Client.ROFS, root.rename(top, "file", readOnly, "x").status);
    assertEquals(0x01, alice.access(sameFile, 0x3f).access);
    byte[] squashed = gateway.handle(ModelGateway.SQUASHED, files.root());
    Result made = root.create(squashed, "by-root", true, Nfs3Client.Set.NONE);
    assertEquals(65_534, made.node.uid());
    assertEquals(65_534, made.node.gid());
    assertEquals(1_000, alice.create(squashed, "a", true, Nfs3Client.Set.NONE).node.uid());
    assertEquals(Nfs3Client.XDEV, root.rename(top, "file", squashed, "x").status);
    assertEquals(Nfs3Client.XDEV, root.link(file, squashed, "x").status);
    byte[] elsewhere = gateway.handle(ModelGateway.ELSEWHERE, files.root());
    assertEquals(Nfs3Client.ACCES, root.getAttr(elsewhere).status, "not from an open port");
  }

  @Test
  void handlesThatNoGatewayMadeAreRefused() {
    byte[] file = file("file");
    for (int bit = 0; bit < file.length * 8; bit++) {
      byte[] forged = file.clone();
      forged[bit / 8] ^= (byte) (1 << bit % 8);
      assertEquals(Nfs3Client.BADHANDLE, root.getAttr(forged).status, "bit " + bit);
    }
    assertEquals(Nfs3Client.BADHANDLE, root.getAttr(new byte[0]).status);
    assertEquals(Nfs3Client.BADHANDLE, root.getAttr(new byte[64]).status);
    alice.remove(top, "file");
    assertEquals(Nfs3Client.STALE, root.getAttr(file).status);
    assertEquals(Nfs3Client.STALE, root.read(file, 0, 1).status);
    assertEquals(
        Nfs3Client.STALE, root.getAttr(gateway.handleOfExport(99, NodeId.of(7, 1))).status);
  }

  @Test
  void namesThatWeftCannotKeepAreRefused() {
    String tooLong = "x".repeat(256);
    assertEquals(
        Nfs3Client.NAMETOOLONG, alice.create(top, tooLong, true, Nfs3Client.Set.NONE).status);
    assertEquals(Nfs3Client.NAMETOOLONG, alice.lookup(top, tooLong).status);
    assertEquals(
        Nfs3Client.OK, alice.create(top, "x".repeat(255), true, Nfs3Client.Set.NONE).status);
    for (String bad : List.of("", "a/b", "a\0b", "/")) {
      assertEquals(Nfs3Client.INVAL, alice.mkDir(top, bad, Nfs3Client.Set.NONE).status);
      assertEquals(Nfs3Client.INVAL, alice.lookup(top, bad).status);
    }
    assertEquals(Nfs3Client.INVAL, alice.remove(top, ".").status);
    assertEquals(Nfs3Client.INVAL, alice.rmDir(top, "..").status);
    assertEquals(
        Nfs3Client.OK, alice.mkDir(top, "\u00e4\u4e2d\ud83d\ude00", Nfs3Client.Set.NONE).status);
  }

  @Test
  void dotAndDotDotLeadUpToTheExport() {
    byte[] above = alice.mkDir(top, "above", Nfs3Client.Set.NONE).handle;
    byte[] below = alice.mkDir(above, "below", Nfs3Client.Set.NONE).handle;
    assertArrayEquals(above, alice.lookup(below, "..").handle);
    assertArrayEquals(below, alice.lookup(below, ".").handle);
    assertArrayEquals(top, alice.lookup(above, "..").handle);
    assertArrayEquals(top, alice.lookup(top, "..").handle);
    byte[] file = file("file");
    assertEquals(Nfs3Client.NOTDIR, alice.lookup(file, ".").status);
    assertEquals(Nfs3Client.NOTDIR, alice.lookup(file, "x").status);
  }

  @Test
  void anotherVolumeHasAnotherFsid() {
    NodeId second = files.mountSecondVolume("second");
    Result found = alice.lookup(top, "second");
    assertEquals(8, found.node.fsid());
    assertEquals(7, found.directory.fsid());
    assertArrayEquals(gateway.handle(ModelGateway.OPEN, second), found.handle);
    assertArrayEquals(top, alice.lookup(found.handle, "..").handle);
    byte[] file = file("file");
    assertEquals(Nfs3Client.XDEV, alice.rename(top, "file", found.handle, "x").status);
    assertEquals(Nfs3Client.XDEV, alice.link(file, found.handle, "x").status);
  }

  @Test
  void linksOfBothKinds() {
    byte[] target = "some/where".getBytes(StandardCharsets.UTF_8);
    Result link = alice.symlink(top, "link", target);
    assertEquals(5, link.node.type());
    assertArrayEquals(target, alice.readLink(link.handle).data);
    assertEquals(Nfs3Client.INVAL, alice.readLink(top).status);
    assertEquals(Nfs3Client.INVAL, alice.symlink(top, "none", new byte[0]).status);
    assertEquals(Nfs3Client.NAMETOOLONG, alice.symlink(top, "long", new byte[4_097]).status);
    byte[] file = file("file");
    Result hard = alice.link(file, top, "again");
    assertEquals(2, hard.node.links());
    assertArrayEquals(file, alice.lookup(top, "again").handle);
    assertEquals(Nfs3Client.EXIST, alice.link(file, top, "again").status);
    assertEquals(Nfs3Client.OK, alice.remove(top, "file").status);
    assertEquals(1, alice.getAttr(file).node.links());
  }

  @Test
  void specialFilesHaveTheirNumbers() {
    Result device = root.mkNod(top, "disk", 3, 8, 17);
    assertEquals(3, device.node.type());
    assertEquals(8, device.node.major());
    assertEquals(17, device.node.minor());
    assertEquals(4, root.mkNod(top, "tty", 4, -1, 5).node.type());
    assertEquals(6, root.mkNod(top, "socket", 6, 0, 0).node.type());
    assertEquals(7, root.mkNod(top, "fifo", 7, 0, 0).node.type());
    assertEquals(Nfs3Client.PERM, alice.mkNod(top, "own-disk", 3, 8, 17).status);
    assertEquals(Nfs3Client.PERM, alice.mkNod(top, "own-tty", 4, 1, 3).status);
    assertEquals(7, alice.mkNod(top, "own-fifo", 7, 0, 0).node.type());
    for (int type : new int[] {0, 1, 2, 5, 8, -1}) {
      assertEquals(Nfs3Client.BADTYPE, root.mkNod(top, "x", type, 0, 0).status);
    }
  }

  @Test
  void directoriesAreMadeMovedAndRemoved() {
    Result made = alice.mkDir(top, "one", Nfs3Client.Set.mode(0750));
    assertEquals(2, made.node.type());
    assertEquals(0750, made.node.mode());
    assertEquals(3, made.wcc.after().links());
    byte[] one = made.handle;
    byte[] two = alice.mkDir(one, "two", Nfs3Client.Set.NONE).handle;
    assertEquals(Nfs3Client.NOTEMPTY, alice.rmDir(top, "one").status);
    assertEquals(Nfs3Client.ISDIR, alice.remove(top, "one").status);
    assertEquals(Nfs3Client.INVAL, alice.rename(top, "one", two, "x").status);
    Result moved = alice.rename(one, "two", top, "three");
    assertEquals(2, moved.wcc.after().links());
    assertEquals(4, moved.second.after().links());
    assertArrayEquals(top, alice.lookup(two, "..").handle);
    assertEquals(Nfs3Client.OK, alice.rmDir(top, "one").status);
    assertEquals(Nfs3Client.NOENT, alice.rmDir(top, "one").status);
    file("file");
    assertEquals(Nfs3Client.NOTDIR, alice.rmDir(top, "file").status);
    assertEquals(Nfs3Client.NOTDIR, alice.rename(top, "three", top, "file").status);
    assertEquals(Nfs3Client.ISDIR, alice.rename(top, "file", top, "three").status);
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 256, 1_000, 4_096, 65_536, -1})
  void aListingHasEachNameOnceAndFitsItsBound(int count) {
    Set<String> wanted = new HashSet<>(Set.of(".", ".."));
    for (int i = 0; i < 300; i++) {
      String name = "n" + "x".repeat(i % 40) + i;
      wanted.add(name);
      file(name);
    }
    List<String> seen = new ArrayList<>();
    long cookie = 0;
    boolean end = false;
    while (!end) {
      Result page = alice.readDir(top, cookie, 0, count);
      assertEquals(Nfs3Client.OK, page.status);
      assertTrue(Integer.compareUnsigned(page.count, count) <= 0, page.count + " bytes");
      assertFalse(page.entries.isEmpty());
      for (Nfs3Client.Entry entry : page.entries) {
        seen.add(entry.name());
        cookie = entry.cookie();
      }
      assertTrue(seen.size() <= wanted.size(), "no name comes twice");
      end = page.end;
    }
    assertEquals(wanted.size(), seen.size());
    assertEquals(wanted, new HashSet<>(seen));
  }

  @Test
  void readdirplusContinuesBehindAnyCookie() {
    for (int i = 0; i < 50; i++) {
      file("file" + i);
    }
    Result all = alice.readDirPlus(top, 0, 1 << 16, 1 << 16);
    assertEquals(52, all.entries.size());
    assertTrue(all.end);
    for (int i = 0; i < all.entries.size(); i++) {
      Nfs3Client.Entry entry = all.entries.get(i);
      if (entry.name().equals("..")) {
        assertNull(entry.attributes());
      } else {
        assertEquals(entry.fileId(), entry.attributes().fileId());
        assertEquals(alice.getAttr(entry.handle()).node, entry.attributes());
      }
      Result rest = alice.readDirPlus(top, entry.cookie(), 1 << 16, 1 << 16);
      assertEquals(all.entries.size() - i - 1, rest.entries.size());
      assertTrue(rest.end);
    }
    Result few = alice.readDirPlus(top, 0, 100, 1 << 16);
    assertTrue(few.entries.size() > 1 && few.entries.size() < 6, "names in 100 bytes");
    assertFalse(few.end);
    Result one = alice.readDirPlus(top, 0, 1, 1 << 16);
    assertEquals(1, one.entries.size(), "the bound of names lets one go");
  }

  /** A handle would let its owner use what no look-up leads it to. */
  @Test
  void readdirplusGivesNoHandlesOfADirectoryThatIsNotSearchable() {
    byte[] shown = alice.mkDir(top, "shown", Nfs3Client.Set.mode(0744)).handle;
    alice.create(shown, "inner", true, Nfs3Client.Set.mode(0666));
    Nfs3Client.Entry own = entry(alice.readDirPlus(shown, 0, 1 << 16, 1 << 16), "inner");
    assertNotNull(own.handle());
    Result listed = bob.readDirPlus(shown, 0, 1 << 16, 1 << 16);
    assertEquals(Nfs3Client.OK, listed.status);
    Nfs3Client.Entry others = entry(listed, "inner");
    assertEquals(own.fileId(), others.fileId());
    assertNull(others.attributes());
    assertNull(others.handle());
    assertEquals(Nfs3Client.ACCES, bob.lookup(shown, "inner").status);
  }

  private static Nfs3Client.Entry entry(Result listed, String name) {
    return listed.entries.stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aListingWithoutRoomAndCookiesThatNeverWereAreRefused() {
    assertEquals(Nfs3Client.TOOSMALL, alice.readDir(top, 0, 0, 0).status);
    assertEquals(Nfs3Client.TOOSMALL, alice.readDir(top, 0, 0, 120).status);
    assertEquals(Nfs3Client.TOOSMALL, alice.readDirPlus(top, 0, 4_096, 200).status);
    assertEquals(Nfs3Client.BAD_COOKIE, alice.readDir(top, 3, 17, 4_096).status);
    assertEquals(Nfs3Client.BAD_COOKIE, alice.readDir(top, -1, 0, 4_096).status);
    assertEquals(Nfs3Client.OK, alice.readDir(top, Long.MAX_VALUE, 0, 4_096).status);
    byte[] file = file("file");
    assertEquals(Nfs3Client.NOTDIR, alice.readDir(file, 0, 0, 4_096).status);
  }

  @Test
  void theVolumeTellsItsSpaceAndLimits() {
    Result stat = alice.numbers(18, top);
    assertEquals(
        List.of(1L << 40, 1L << 39, 1L << 39, 1L << 32, 1L << 31, 1L << 31, 0L), stat.numbers);
    assertEquals(Nfs3Client.OK, alice.numbers(19, top).status);
    assertEquals(Nfs3Client.OK, alice.numbers(20, top).status);
    assertEquals(Nfs3Client.BADHANDLE, alice.numbers(18, new byte[3]).status);
  }

  @Test
  void aCommitBeyondAllFilesIsRefused() {
    byte[] file = file("file");
    assertEquals(Nfs3Client.INVAL, alice.commit(file, -1, 0).status);
    assertEquals(Nfs3Client.OK, alice.commit(file, 1L << 50, -1).status);
    assertEquals(Nfs3Client.ISDIR, alice.commit(top, 0, 0).status);
  }

  @Test
  void pathsAreMountedAndNothingElse() {
    byte[] above = alice.mkDir(top, "above", Nfs3Client.Set.mode(0700)).handle;
    byte[] below = alice.mkDir(above, "below", Nfs3Client.Set.NONE).handle;
    file("file");
    alice.symlink(top, "link", "above".getBytes(StandardCharsets.UTF_8));
    Result mounted = alice.mount("/");
    assertArrayEquals(top, mounted.handle);
    assertEquals(List.of(1L), mounted.numbers, "AUTH_SYS");
    assertArrayEquals(top, alice.mount("").handle);
    assertArrayEquals(below, alice.mount("/above//below/").handle);
    assertArrayEquals(
        gateway.handle(ModelGateway.SQUASHED, files.root()), alice.mount("/squashed").handle);
    assertEquals(Nfs3Client.NOENT, alice.mount("/nowhere").status);
    assertEquals(Nfs3Client.NOENT, alice.mount("relative").status);
    assertEquals(Nfs3Client.NOTDIR, alice.mount("/file").status);
    assertEquals(Nfs3Client.NOTDIR, alice.mount("/link").status);
    assertEquals(Nfs3Client.INVAL, alice.mount("/above/..").status);
    assertEquals(Nfs3Client.ACCES, bob.mount("/above/below").status);
    assertEquals(Nfs3Client.ACCES, alice.mount("/elsewhere").status, "not from an open port");
  }
}
