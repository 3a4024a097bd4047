package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.metadata.volume.operation.attributes.GetAttributes;
import org.weft.metadata.volume.operation.name.MakeDirectory;
import org.weft.metadata.volume.operation.name.ReadDirectory;
import org.weft.metadata.volume.operation.name.Rename;
import org.weft.metadata.volume.path.NodePath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.DirectoryEntry;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.StatfsReply;

/**
 * What the operations do to the namespace beyond what the model compares: times, ids, groups,
 * pages.
 */
class NamespaceTest {
  private TestVolume volume;
  private TestClient weft;

  @BeforeEach
  void aNewVolume() throws WeftException {
    volume = TestVolume.formatted(11);
    weft = volume.superuser();
  }

  @Test
  void theRootBelongsToTheSuperuser() throws WeftException {
    FileAttributes root = weft.attributes("/");
    assertEquals(1, root.getObjectId());
    assertEquals("weft:supergroup", root.getOwner() + ":" + root.getGroup());
    assertEquals(0755, root.getMode());
    assertEquals(2, root.getLinks());
    assertEquals(3, root.getMap().getOsdCount());
  }

  @Test
  void aChangeOfEntriesIsATimeOfTheDirectory() throws WeftException {
    weft.mkdir("/d");
    volume.pass(1_000);
    weft.mkdir("/d/e");
    long made = volume.now().wallMillis();
    assertEquals(made, weft.attributes("/d").getMtimeMillis());
    assertEquals(made, weft.attributes("/d").getCtimeMillis());
    volume.pass(1_000);
    weft.rmdir("/d/e");
    assertEquals(made + 1_000, weft.attributes("/d").getMtimeMillis());
  }

  @Test
  void aRenameIsATimeOfBothDirectoriesAndTheNode() throws WeftException {
    weft.mkdir("/a");
    weft.mkdir("/b");
    FileAttributes file = weft.write("/a/f", 1);
    volume.pass(500);
    weft.rename("/a/f", "/b/g");
    long moved = volume.now().wallMillis();
    assertEquals(moved, weft.attributes("/a").getMtimeMillis());
    assertEquals(moved, weft.attributes("/b").getMtimeMillis());
    FileAttributes after = weft.attributes("/b/g");
    assertEquals(file.getMtimeMillis(), after.getMtimeMillis());
    assertEquals(moved, after.getCtimeMillis());
    assertEquals(file.getObjectId(), after.getObjectId());
  }

  @Test
  void aCloseSetsLengthAndTimeOfChange() throws WeftException {
    var created = weft.create("/f");
    volume.pass(300);
    FileAttributes closed = weft.close(created, 1L << 40);
    assertEquals(1L << 40, closed.getSize());
    assertEquals(volume.now().wallMillis(), closed.getMtimeMillis());
  }

  @Test
  void aDirectoryMovedCountsAsALinkElsewhere() throws WeftException {
    weft.mkdir("/a/b", 0777, 0, true);
    weft.mkdir("/c");
    weft.rename("/a/b", "/c/b");
    assertEquals(2, weft.attributes("/a").getLinks());
    assertEquals(3, weft.attributes("/c").getLinks());
    assertEquals(4, weft.attributes("/").getLinks());
    assertEquals(1, weft.attributes("/c").getEntries());
  }

  @Test
  void aNodeIsReachedFromAnyBase() throws WeftException {
    FileAttributes dir = weft.mkdir("/a/b", 0777, 0, true);
    weft.write("/a/b/f", 9);
    NodePath below = weft.below(dir.getObjectId(), List.of("f"));
    assertEquals(9, TestClient.attributes(weft.execute(new GetAttributes(below))).getSize());
  }

  @Test
  void aRemovedDirectoryIsNoBase() throws WeftException {
    FileAttributes dir = weft.mkdir("/d");
    weft.rmdir("/d");
    NodePath below = weft.below(dir.getObjectId(), List.of("f"));
    WeftException refusal =
        assertThrows(
            WeftException.class, () -> weft.execute(new MakeDirectory(below, 0755, 0, false)));
    assertEquals(ErrorCode.NOT_FOUND, refusal.code());
  }

  @Test
  void aDirectoryDoesNotMoveBelowItselfByWayOfABase() throws WeftException {
    FileAttributes inner = weft.mkdir("/a/b/c", 0777, 0, true);
    NodePath target = weft.below(inner.getObjectId(), List.of("x"));
    WeftException refusal =
        assertThrows(
            WeftException.class,
            () -> weft.execute(new Rename(TestClient.path("/a"), target, true)));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal.code());
  }

  @Test
  void depthIsBoundedByWayOfABaseToo() throws WeftException {
    String names = "/d".repeat(200);
    long base = ObjectId.ROOT.value();
    for (int round = 0; round < 5; round++) {
      NodePath below = weft.below(base, TestClient.path(names).names());
      MakeDirectory deeper = new MakeDirectory(below, 0755, 0, true);
      if (round < 4) {
        base = TestClient.attributes(weft.execute(deeper)).getObjectId();
      } else {
        // 1000 names exactly are as deep as a path can say.
        NodePath oneMore = weft.below(base, TestClient.path(names + "/d").names());
        assertEquals(
            ErrorCode.INVALID_ARGUMENT,
            assertThrows(
                    WeftException.class,
                    () -> weft.execute(new MakeDirectory(oneMore, 0755, 0, true)))
                .code());
        weft.execute(deeper);
      }
    }
  }

  @Test
  void tooManyMissingDirectoriesAreMadeInSteps() {
    WeftException refusal =
        assertThrows(WeftException.class, () -> weft.mkdir("/d".repeat(300), 0777, 0, true));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal.code());
    assertTrue(refusal.getMessage().contains("steps"), refusal.getMessage());
  }

  @Test
  void parentsAreMadePassableForTheirOwnerWhateverTheUmask() throws WeftException {
    weft.mkdir("/tmp", 01777, 0, false);
    TestClient alice = volume.client("alice", "alices");
    alice.create("/tmp/a/b/f", 0666, 0777, false, true);
    assertEquals(0300, alice.attributes("/tmp/a").getMode());
    assertEquals(0, weft.attributes("/tmp/a/b/f").getMode());
  }

  @Test
  void setgidDirectoriesPassTheirGroupOn() throws WeftException {
    weft.mkdir("/team", 02777, 0, false);
    weft.chown("/team", null, "team");
    TestClient alice = volume.client("alice", "alices", "team");
    TestClient bob = volume.client("bob", "bobs");
    assertEquals("team", alice.mkdir("/team/d").getGroup());
    assertEquals(02755, alice.attributes("/team/d").getMode());
    var file = bob.create("/team/f", 02755, 0, false, false).getAttributes();
    assertEquals("team", file.getGroup());
    assertEquals(0755, file.getMode(), "bob is not in the group");
  }

  @Test
  void listingPageContinuesBehindItsCookie() throws WeftException {
    for (int file = 0; file < 250; file++) {
      weft.write("/f" + file, file);
    }
    Set<String> names = new HashSet<>();
    List<DirectoryEntry> entries = weft.list("/", 7);
    entries.forEach(entry -> assertTrue(names.add(entry.getName())));
    assertEquals(250, names.size());
    for (DirectoryEntry entry : entries) {
      assertEquals("f" + entry.getAttributes().getSize(), entry.getName());
    }
  }

  @Test
  void listingShowsStableNamesExactlyOnce() throws WeftException {
    for (int file = 0; file < 120; file++) {
      weft.mkdir("/d" + file);
    }
    Set<String> seen = new HashSet<>();
    long cookie = 0;
    int round = 0;
    boolean end = false;
    while (!end) {
      var page =
          TestClient.parse(
              org.weft.protocol.wire.ReaddirReply.parser(),
              weft.execute(new ReadDirectory(TestClient.path("/"), cookie, 5, false)));
      for (DirectoryEntry entry : page.getEntriesList()) {
        assertTrue(seen.add(entry.getName()), entry.getName());
        cookie = entry.getCookie();
      }
      end = page.getEnd();
      weft.mkdir("/new" + round);
      if (round % 2 == 1) {
        weft.rmdir("/new" + (round - 1));
      }
      round++;
    }
    for (int file = 0; file < 120; file++) {
      assertTrue(seen.contains("d" + file), "d" + file);
    }
  }

  @Test
  void statfsTellsTheBladeSetsSpaceAndTheNames() throws WeftException {
    weft.mkdir("/d");
    weft.write("/d/f", 1);
    StatfsReply space = weft.statfs();
    assertEquals(600, space.getCapacityBytes());
    assertEquals(60, space.getUsedBytes());
    assertEquals(534, space.getFreeBytes());
    assertEquals(3, space.getFiles());
    weft.unlink("/d/f");
    assertEquals(2, weft.statfs().getFiles());
  }
}
