package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.metadata.journal.ObjectEffect;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.attributes.GetAttributes;
import org.weft.metadata.volume.operation.attributes.SetAttributes;
import org.weft.metadata.volume.operation.name.LinkFile;
import org.weft.metadata.volume.operation.name.ReadDirectory;
import org.weft.metadata.volume.operation.name.RemoveDirectory;
import org.weft.metadata.volume.operation.name.Unlink;
import org.weft.metadata.volume.path.NodePath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.DirectoryEntry;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FileKind;

/** Symbolic links and second names, beyond what the model compares. */
class LinksTest {
  private TestVolume volume;
  private TestClient weft;

  @BeforeEach
  void aTree() throws WeftException {
    volume = TestVolume.formatted(21);
    weft = volume.superuser();
    weft.mkdir("/a/b", 0777, 0, true);
    weft.mkdir("/c");
    weft.write("/a/b/f", 7);
  }

  private static WeftException refused(ErrorCode expected, Executable attempt) {
    WeftException refusal = assertThrows(WeftException.class, attempt);
    assertEquals(expected, refusal.code(), refusal.getMessage());
    return refusal;
  }

  @Test
  void aLinkToANameThatNoDirectoryCanHoldIsRefused() throws WeftException {
    weft.symlink("../a/" + "n".repeat(300), "/c/l");
    refused(ErrorCode.NAME_INVALID, () -> weft.attributes("/c/l"));
    refused(ErrorCode.NAME_INVALID, () -> weft.create("/c/l", 0666, 022, true, false));
    refused(ErrorCode.NAME_INVALID, () -> weft.open("/c/l"));
  }

  @ParameterizedTest(name = "/c/l -> {0}, then {1}")
  @CsvSource({
    "../a, /c/l/b/f",
    "/a, /c/l/b/f",
    "//a///b/, /c/l/f",
    "../a/./b/../b, /c/l/f",
    "../../../a/b, /c/l/f",
    "/../a/b/f, /c/l",
    ".., /c/l/a/b/f",
    "., /c/l/l/../a/b/f",
  })
  void linksOnTheWayAreFollowed(String target, String path) throws WeftException {
    weft.symlink(target, "/c/l");
    if (path.contains("..")) {
      weft.symlink(path.substring(1), "/via");
      path = "/via";
    }
    assertEquals(7, weft.attributes(path).getSize());
    assertEquals(7, weft.open(path).getAttributes().getSize());
  }

  @Test
  void linkHasItsOwnNode() throws WeftException {
    FileAttributes made = weft.symlink("../a/b/f", "/c/l");
    assertEquals(FileKind.SYMLINK, made.getKind());
    assertEquals("../a/b/f", made.getSymlinkTarget().toStringUtf8());
    assertEquals(8, made.getSize());
    assertEquals(0777, made.getMode());
    assertEquals(made, weft.linkAttributes("/c/l"));
    DirectoryEntry entry = weft.list("/c", 10).get(0);
    assertEquals(FileKind.SYMLINK, entry.getKind());
    assertEquals(FileKind.SYMLINK, entry.getAttributes().getKind());
    assertEquals(FileKind.FILE, weft.attributes("/c/l").getKind());
    long files = weft.statfs().getFiles();
    weft.unlink("/c/l");
    assertEquals(files - 1, weft.statfs().getFiles());
    assertEquals(7, weft.attributes("/a/b/f").getSize());
  }

  @Test
  void renamesAndRemovalsActOnTheLinkItself() throws WeftException {
    weft.symlink("/a/b", "/l");
    refused(ErrorCode.NOT_DIRECTORY, () -> weft.rmdir("/l"));
    weft.rename("/l", "/c/m");
    assertEquals("/a/b", weft.linkAttributes("/c/m").getSymlinkTarget().toStringUtf8());
    weft.symlink("nowhere", "/c/n");
    weft.rename("/c/n", "/c/m");
    assertEquals("nowhere", weft.linkAttributes("/c/m").getSymlinkTarget().toStringUtf8());
    weft.link("/c/m", "/c/o");
    assertEquals(2, weft.linkAttributes("/c/o").getLinks());
    assertEquals(FileKind.SYMLINK, weft.linkAttributes("/c/o").getKind());
  }

  @Test
  void aNewFileGoesWhereADanglingLinkLeads() throws WeftException {
    weft.symlink("../a/new", "/c/l");
    weft.symlink("/c/l", "/m");
    refused(ErrorCode.NOT_FOUND, () -> weft.attributes("/m"));
    refused(ErrorCode.EXISTS, () -> weft.create("/m"));
    CreateReply created = weft.create("/m", 0644, 0, true, false);
    assertEquals("new", created.getAttributes().getParentName());
    weft.close(created, 12);
    assertEquals(12, weft.attributes("/a/new").getSize());
    assertEquals(FileKind.SYMLINK, weft.linkAttributes("/m").getKind());
    weft.close(weft.create("/m", 0644, 0, true, false), 13);
    assertEquals(13, weft.attributes("/a/new").getSize());
  }

  @Test
  void missingTargetOfALinkIsNotCreated() throws WeftException {
    weft.symlink("/no/where", "/l");
    refused(ErrorCode.NOT_FOUND, () -> weft.mkdir("/l/x", 0755, 0, true));
    refused(ErrorCode.EXISTS, () -> weft.mkdir("/l", 0755, 0, true));
    refused(ErrorCode.NOT_FOUND, () -> weft.create("/l", 0644, 0, true, true));
    weft.symlink("/a/b", "/m");
    weft.mkdir("/m", 0755, 0, true);
    refused(ErrorCode.EXISTS, () -> weft.mkdir("/m"));
    weft.mkdir("/m/x/y", 0755, 0, true);
    weft.attributes("/a/b/x/y");
  }

  @Test
  void linksThatLeadToEachOtherAreFoundOut() throws WeftException {
    weft.symlink("/m/x", "/l");
    weft.symlink("/l/y", "/m");
    WeftException refusal = refused(ErrorCode.LOOP, () -> weft.attributes("/l"));
    assertTrue(refusal.getMessage().contains("40 symbolic links"), refusal.getMessage());
    refused(ErrorCode.LOOP, () -> weft.create("/m", 0644, 0, true, false));
    weft.unlink("/l");
  }

  @Test
  void fortyLinksAreFollowedAndNotOneMore() throws WeftException {
    weft.symlink("a/b/f", "/l0");
    for (int link = 1; link <= 40; link++) {
      weft.symlink("l" + (link - 1), "/l" + link);
    }
    assertEquals(7, weft.attributes("/l39").getSize());
    refused(ErrorCode.LOOP, () -> weft.attributes("/l40"));
  }

  @Test
  void followingALinkTakesPermissionsOnItsWay() throws WeftException {
    weft.chmod("/a", 0700);
    weft.symlink("/a/b/f", "/c/l");
    TestClient bob = volume.client("bob", "bobs");
    refused(ErrorCode.PERMISSION_DENIED, () -> bob.attributes("/c/l"));
    bob.linkAttributes("/c/l");
  }

  @Test
  void targetsAreHeldToTheirLimit() throws WeftException {
    String longest = "x/".repeat(2047) + "x";
    assertEquals(4095, weft.symlink(longest, "/l").getSymlinkTarget().size());
    refused(ErrorCode.NAME_INVALID, () -> weft.symlink("x/".repeat(2048), "/m"));
    refused(ErrorCode.NAME_INVALID, () -> weft.symlink("", "/m"));
    refused(ErrorCode.NAME_INVALID, () -> weft.symlink("a\0b", "/m"));
    refused(ErrorCode.NAME_INVALID, () -> weft.symlink("\ud800", "/m"));
    refused(ErrorCode.EXISTS, () -> weft.symlink("x", "/a"));
  }

  @Test
  void linksThatLeaveTheirVolumeAreRefused() throws WeftException {
    TestVolume other = TestVolume.formattedAt("/vol/two", 5);
    TestClient client = other.superuser();
    client.write("/f", 3);
    client.symlink("/vol/two/f", "/inside");
    client.symlink("/vol//two", "/root");
    client.symlink("/vol/twofold", "/beside");
    client.symlink("../x", "/above");
    client.symlink("/", "/cluster");
    assertEquals(3, client.attributes("/inside").getSize());
    assertEquals(3, client.attributes("/root/f").getSize());
    for (String link : new String[] {"/beside", "/above", "/cluster"}) {
      WeftException refusal = refused(ErrorCode.CROSS_VOLUME, () -> client.attributes(link));
      assertTrue(refusal.getMessage().contains("/vol/two"), refusal.getMessage());
    }
  }

  @Test
  void aSecondNameIsTheSameFile() throws WeftException {
    FileAttributes first = weft.attributes("/a/b/f");
    volume.pass(10);
    FileAttributes linked = weft.link("/a/b/f", "/c/g");
    assertEquals(first.getObjectId(), linked.getObjectId());
    assertEquals(2, linked.getLinks());
    assertTrue(linked.getManyParents());
    assertEquals(first.getMtimeMillis(), linked.getMtimeMillis());
    assertEquals(volume.now().wallMillis(), linked.getCtimeMillis());
    assertEquals(volume.now().wallMillis(), weft.attributes("/c").getMtimeMillis());
    long files = weft.statfs().getFiles();
    weft.chmod("/c/g", 0600);
    assertEquals(0600, weft.attributes("/a/b/f").getMode());
    weft.unlink("/a/b/f");
    assertEquals(1, weft.attributes("/c/g").getLinks());
    assertEquals(files, weft.statfs().getFiles(), "the file is still there");
    assertFalse(isRemoved(first.getObjectId()));
    weft.rename("/c/g", "/c/h");
    assertEquals("h", weft.attributes("/c/h").getParentName(), "it has one name again");
    weft.unlink("/c/h");
    assertTrue(isRemoved(first.getObjectId()));
    assertEquals(files - 1, weft.statfs().getFiles());
  }

  @Test
  void aRenameOverAnotherNameOfTheSameFileLeavesBoth() throws WeftException {
    weft.link("/a/b/f", "/c/g");
    int before = volume.records().size();
    weft.rename("/a/b/f", "/c/g");
    assertEquals(before, volume.records().size());
    assertEquals(2, weft.attributes("/a/b/f").getLinks());
  }

  @Test
  void replacingOneNameLeavesTheOther() throws WeftException {
    long object = weft.link("/a/b/f", "/c/g").getObjectId();
    weft.write("/x", 1);
    weft.rename("/x", "/c/g");
    assertEquals(1, weft.attributes("/a/b/f").getLinks());
    weft.link("/a/b/f", "/c/h");
    weft.close(weft.create("/c/h", 0644, 0, true, false), 2);
    assertEquals(object, weft.attributes("/a/b/f").getObjectId());
    assertEquals(7, weft.attributes("/a/b/f").getSize());
    assertFalse(isRemoved(object));
  }

  @Test
  void aFileBeingWrittenTakesANameAndKeepsItsWriter() throws WeftException {
    CreateReply created = weft.create("/c/new");
    weft.link("/c/new", "/c/second");
    weft.unlink("/c/new");
    weft.close(created, 99);
    assertEquals(99, weft.attributes("/c/second").getSize());
    assertEquals(1, weft.attributes("/c/second").getLinks());
  }

  @Test
  void namesAreRefusedToDirectoriesAndToWhatHasNone() throws WeftException {
    refused(ErrorCode.IS_DIRECTORY, () -> weft.link("/a", "/c/a"));
    refused(ErrorCode.EXISTS, () -> weft.link("/a/b/f", "/c"));
    refused(ErrorCode.NOT_FOUND, () -> weft.link("/nothing", "/c/x"));
    CreateReply created = weft.create("/c/new");
    weft.unlink("/c/new");
    NodePath orphan = weft.byId(created.getAttributes().getObjectId());
    refused(
        ErrorCode.NOT_FOUND, () -> weft.execute(new LinkFile(orphan, TestClient.path("/c/again"))));
    TestClient bob = volume.client("bob", "bobs");
    refused(ErrorCode.PERMISSION_DENIED, () -> bob.link("/a/b/f", "/c/x"));
  }

  private boolean isRemoved(long object) {
    return volume.records().stream()
        .flatMap(record -> record.effects().stream())
        .anyMatch(
            effect ->
                effect instanceof ObjectEffect.RemoveObject remove
                    && remove.object().value() == object);
  }

  @Test
  void longTargetsOfManyLinksAreNotWalkedForLong() throws WeftException {
    // Each link goes back and forth before it leads to the one before.
    String longest = "c/../".repeat(800);
    weft.symlink("a/b/f", "/l0");
    for (int link = 1; link <= 39; link++) {
      weft.symlink(longest + "l" + (link - 1), "/l" + link);
    }
    assertEquals(7, weft.attributes("/l2").getSize());
    WeftException refusal = refused(ErrorCode.LOOP, () -> weft.attributes("/l39"));
    assertTrue(refusal.getMessage().contains("4096 names"), refusal.getMessage());
  }

  @Test
  void dotsBeforeOtherNamesOfATargetAreNoStep() throws WeftException {
    weft.symlink("./".repeat(2_000) + "a/./b/f", "/l");
    assertEquals(7, weft.attributes("/l").getSize());
    weft.symlink("a/b/f/.", "/m");
    refused(ErrorCode.NOT_DIRECTORY, () -> weft.attributes("/m"));
    weft.symlink("a/b/f/./.", "/n");
    refused(ErrorCode.NOT_DIRECTORY, () -> weft.attributes("/n"));
  }

  private static NodePath plain(int plainNames, String... names) {
    return new NodePath(Optional.empty(), List.of(names), plainNames);
  }

  @Test
  void linksInPlaceOfPlainNamesAreNotFollowed() throws WeftException {
    weft.symlink("/a", "/c/l");
    weft.symlink("/a/b/f", "/c/m");
    for (Operation attempt :
        List.of(
            new Unlink(plain(3, "c", "l", "b", "f")),
            new RemoveDirectory(plain(2, "c", "l", "b")),
            new ReadDirectory(plain(1, "c", "l"), 0, 10, true, false),
            new GetAttributes(plain(1, "c", "m")),
            new SetAttributes(
                plain(1, "c", "m"),
                OptionalInt.of(0777),
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                OptionalLong.empty()))) {
      WeftException refusal = refused(ErrorCode.LOOP, () -> weft.execute(attempt));
      assertTrue(refusal.getMessage().contains("not followed here"), refusal.getMessage());
    }
    assertEquals(7, weft.attributes("/a/b/f").getSize());
    // Links above the plain names lead on, and a link may be removed itself.
    var unused = weft.execute(new GetAttributes(plain(2, "c", "l", "b", "f")));
    unused = weft.execute(new Unlink(plain(2, "c", "l")));
    unused = weft.execute(new Unlink(plain(9, "c", "m")));
  }
}
