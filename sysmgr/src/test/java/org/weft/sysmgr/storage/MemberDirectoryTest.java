package org.weft.sysmgr.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.protocol.id.ClusterId;

/** Whose a data directory is. */
final class MemberDirectoryTest {
  private static final ClusterId CLUSTER = new ClusterId("a".repeat(32));
  private static final byte[] TOKEN = "secret".getBytes(StandardCharsets.US_ASCII);

  private static final UUID FRESH = new UUID(1, 2);

  @TempDir Path root;

  private Path data() {
    return root.resolve("data");
  }

  private MemberDirectory open() throws IOException {
    return MemberDirectory.open(data(), 1, "weft", "1", FRESH);
  }

  private String refusal(int member, String name, String members) {
    IOException failure =
        assertThrows(
            IOException.class,
            () -> MemberDirectory.open(data(), member, name, members, FRESH).close());
    return failure.getMessage();
  }

  @Test
  void aNewDirectoryIsFormattedAndFoundAgain() throws IOException {
    UUID group;
    try (MemberDirectory directory = open()) {
      group = directory.group();
      Files.createDirectories(directory.log());
      directory.clusterKnown(CLUSTER, TOKEN);
    }
    try (MemberDirectory directory = open()) {
      assertEquals(group, directory.group());
      directory.clusterKnown(CLUSTER, TOKEN);
    }
  }

  /** Its configuration may still have the number of the member that was there before. */
  @Test
  void aDirectoryThatJoinedHasItsOwnNumber() throws IOException {
    MemberDirectory.openJoined(data(), 4, "weft", FRESH).close();
    try (MemberDirectory directory =
        MemberDirectory.open(data(), 2, "weft", "1@a:1,2@b:2,3@c:3", new UUID(3, 4))) {
      assertEquals(4, directory.memberId());
      assertTrue(directory.joined());
      assertEquals(FRESH, directory.group());
    }
    assertTrue(refusal(2, "other", "1").contains("belongs to cluster 'weft'"));
  }

  @Test
  void theTokenIsForItsOwnerAlone() throws IOException {
    try (MemberDirectory directory = open()) {
      directory.clusterKnown(CLUSTER, TOKEN);
    }
    Path file = data().resolve(JoinTokenFile.NAME);
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    assertArrayEquals(TOKEN, JoinTokenFile.read(file));
  }

  private void copy(Path from, Path to) throws IOException {
    Files.createDirectory(to);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
  }

  @Test
  void aCopyIsRefusedUntilAnOperatorTakesIt() throws IOException {
    open().close();
    Path copy = root.resolve("copy");
    copy(data(), copy);
    IOException refusal =
        assertThrows(
            IOException.class, () -> MemberDirectory.open(copy, 1, "weft", "1", FRESH).close());
    assertTrue(refusal.getMessage().contains("is a copy"), refusal.getMessage());
    assertTrue(refusal.getMessage().contains("--moved"), refusal.getMessage());
    open().close();
    MemberDirectory.believeMoved(copy);
    MemberDirectory.open(copy, 1, "weft", "1", FRESH).close();
    MemberDirectory.open(copy, 1, "weft", "1", FRESH).close();
  }

  /** The usual way of restoring: the old place is emptied and filled from the backup. */
  @Test
  void aBackupThatTakesThePlaceOfTheDirectoryIsRefused() throws IOException {
    open().close();
    Path backup = root.resolve("backup");
    copy(data(), backup);
    try (Stream<Path> files = Files.list(data())) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(data());
    copy(backup, data());
    assertTrue(refusal(1, "weft", "1").contains("is a copy"));
  }

  @Test
  void aRenamedDirectoryAndOneOfAnEarlierReleaseAreTaken() throws IOException {
    open().close();
    Path renamed = root.resolve("renamed");
    Files.move(data(), renamed);
    MemberDirectory.open(renamed, 1, "weft", "1", FRESH).close();
    Files.delete(renamed.resolve("place"));
    MemberDirectory.open(renamed, 1, "weft", "1", FRESH).close();
    assertTrue(Files.exists(renamed.resolve("place")));
  }

  /** Noted before the directory is a member's: no crash leaves a member without it. */
  @Test
  void aFirstStartThatDiedAfterThePlaceWasNotedIsRepeated() throws IOException {
    open().close();
    Files.delete(data().resolve("member"));
    open().close();
    assertTrue(Files.exists(data().resolve("member")));
  }

  @Test
  void aDirectoryInUseIsRefused() throws IOException {
    try (MemberDirectory directory = open()) {
      assertTrue(refusal(1, "weft", "1").contains("in use"));
      assertEquals(data().resolve("ratis"), directory.log());
    }
    open().close();
  }

  @Test
  void aDirectoryOfAnotherMemberOrClusterIsRefused() throws IOException {
    open().close();
    assertTrue(refusal(2, "weft", "1").contains("member 1"));
    assertTrue(refusal(1, "other", "1").contains("'weft'"));
    assertTrue(refusal(1, "weft", "1@a:1,2@b:2,3@c:3").contains("members"));
  }

  @Test
  void anotherClustersLogIsRefused() throws IOException {
    try (MemberDirectory directory = open()) {
      directory.clusterKnown(CLUSTER, TOKEN);
      ClusterId other = new ClusterId("b".repeat(32));
      IOException failure =
          assertThrows(IOException.class, () -> directory.clusterKnown(other, TOKEN));
      assertTrue(failure.getMessage().contains(CLUSTER.value()));
      assertTrue(failure.getMessage().contains(other.value()));
    }
  }

  @Test
  void aLostLogIsNotReplacedByANewCluster() throws IOException {
    try (MemberDirectory directory = open()) {
      directory.clusterKnown(CLUSTER, TOKEN);
    }
    assertTrue(refusal(1, "weft", "1").contains(CLUSTER.value()));
  }

  @Test
  void aDirectoryOfSomethingElseIsRefusedAndLeftAlone() throws IOException {
    Files.createDirectories(data());
    Files.writeString(data().resolve("photo.jpg"), "x");
    assertTrue(refusal(1, "weft", "1").contains("photo.jpg"));
    assertEquals(1, Files.list(data()).count());
  }

  @Test
  void aCrashWhileFormattingLeavesAnEmptyDirectory() throws IOException {
    Files.createDirectories(data());
    Files.writeString(data().resolve("member.tmp"), "half");
    Files.writeString(data().resolve("lock"), "");
    open().close();
  }

  @Test
  void aDamagedMemberFileIsNamed() throws IOException {
    open().close();
    Files.writeString(data().resolve("member"), "format=1\nmember=x\n");
    assertTrue(refusal(1, "weft", "1").contains("member"));
  }

  @Test
  void aMemberFileOfTheFirstReleaseIsRead() throws IOException {
    Files.createDirectories(data().resolve("ratis"));
    Files.writeString(
        data().resolve("member"),
        """
        # A member of Weft's SysMgr. Written by it; do not edit.
        format=1
        member=1
        cluster-name=weft
        members=1
        group=3f2504e0-4f89-31d3-9a0c-0305e82c3301
        cluster-id=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
        """);
    try (MemberDirectory directory = open()) {
      assertEquals(UUID.fromString("3f2504e0-4f89-31d3-9a0c-0305e82c3301"), directory.group());
      directory.clusterKnown(CLUSTER, TOKEN);
    }
  }
}
