package org.weft.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.metadata.journal.JournalOptions;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.seam.BootIdentity;

/** Which starts of a manager may say that the start before has ended (P 5.10). */
class ManagerOneLifeTest {
  private static final ClusterId CLUSTER = new ClusterId("0123456789abcdef0123456789abcdef");
  private static final BootIdentity BOOT =
      new BootIdentity() {
        @Override
        public String bootId() {
          return "boot";
        }

        @Override
        public String folderId(Path directory) {
          return directory.getFileName().toString();
        }
      };

  @TempDir private Path scratch;
  private final SplittableRandom random = new SplittableRandom(1);

  private Path original() {
    return scratch.resolve("original");
  }

  private Path copy() {
    return scratch.resolve("copy");
  }

  private ManagerIdentity start(Path folder, BootIdentity boot, boolean letIn) throws IOException {
    try (DataDirectory directory =
        new DataDirectory(LocalFolders.open(folder), JournalOptions.DEFAULT)) {
      ManagerIdentity identity = directory.start(random, boot);
      if (letIn) {
        directory.store(identity.joined(CLUSTER, 3));
      }
      return identity;
    }
  }

  private void makeCopy() throws IOException {
    Files.createDirectories(copy());
    Files.copy(original().resolve("manager.properties"), copy().resolve("manager.properties"));
  }

  @Test
  void aKilledStartIsFollowedByOneThatHoldsItsLock() throws IOException {
    start(original(), BOOT, true);
    for (int starts = 0; starts < 3; starts++) {
      assertTrue(start(original(), BOOT, false).oneLife());
    }
  }

  @Test
  void repeatedStartsOfACopyNeverCountAsTheOriginal() throws IOException {
    long letIn = start(original(), BOOT, true).startId();
    makeCopy();
    for (int starts = 0; starts < 3; starts++) {
      ManagerIdentity identity = start(copy(), BOOT, false);
      assertEquals(letIn, identity.starts().get(0));
      assertFalse(identity.oneLife(), "the last start that was let in may go on in the original");
    }
    start(copy(), BOOT, true);
    assertTrue(start(copy(), BOOT, false).oneLife(), "the last one let in was in this folder");
  }

  @Test
  void startOnAnotherMachineDoesNotCountAsOneLife() throws IOException {
    start(original(), BOOT, true);
    BootIdentity another = () -> "another boot";
    for (int starts = 0; starts < 3; starts++) {
      assertFalse(start(original(), another, false).oneLife(), "the first machine may only hang");
    }
  }

  @Test
  void admittedStartCountsThoughItDiedBeforeItRecordedThat() throws IOException {
    start(original(), BOOT, true);
    makeCopy();
    start(copy(), BOOT, false);
    Files.delete(original().resolve("manager.properties"));
    Files.copy(copy().resolve("manager.properties"), original().resolve("manager.properties"));
    assertFalse(start(original(), BOOT, false).oneLife(), "the copy's start may go on");
  }

  /** It notes in which life the last start was, let in or not. */
  private void leaveAsAnOlderRelease() throws IOException {
    Path file = original().resolve("manager.properties");
    List<String> lines = Files.readAllLines(file);
    assertTrue(lines.removeIf(line -> line.startsWith("oneLife=")));
    Files.write(file, lines);
  }

  @Test
  void directoryOfAnOlderReleaseIsTakenUpAtOnce() throws IOException {
    start(original(), BOOT, true);
    leaveAsAnOlderRelease();
    assertTrue(start(original(), BOOT, false).oneLife(), "it knows of the one start let in");
    leaveAsAnOlderRelease();
    assertFalse(start(original(), BOOT, false).oneLife(), "nothing tells where that start was");
    start(original(), BOOT, true);
    assertTrue(start(original(), BOOT, false).oneLife());
  }
}
