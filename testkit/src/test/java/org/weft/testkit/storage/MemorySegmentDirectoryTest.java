package org.weft.testkit.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.seam.SegmentFile;

/** The folder in memory keeps the contract, and loses what it may lose. */
class MemorySegmentDirectoryTest extends SegmentDirectoryContract {
  private static final int BLOCK = 4096;
  private static final int SECTOR = 512;

  @Override
  SegmentDirectory openEmpty() {
    return new MemorySegmentDirectory(new StorageFaults());
  }

  private static byte[] filled(int value) {
    byte[] bytes = new byte[BLOCK];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  /** Two blocks: both synced as 1, then written as 2. */
  private static MemorySegmentDirectory written() throws IOException {
    MemorySegmentDirectory folder = new MemorySegmentDirectory(new StorageFaults());
    SegmentFile file = folder.create("a");
    folder.sync();
    file.write(new ByteBuffer[] {ByteBuffer.wrap(filled(1)), ByteBuffer.wrap(filled(1))}, 0);
    file.sync();
    file.write(new ByteBuffer[] {ByteBuffer.wrap(filled(2)), ByteBuffer.wrap(filled(2))}, 0);
    return folder;
  }

  @Test
  void aPowerLossLeavesAnySubsetOfBlocksAndTearsSome() throws IOException {
    Set<List<Byte>> seen = new HashSet<>();
    boolean torn = false;
    for (int seed = 0; seed < 200; seed++) {
      byte[] left =
          written().afterPowerLoss(new StorageFaults(), new SplittableRandom(seed)).contents("a");
      assertEquals(2 * BLOCK, left.length);
      for (int at = 0; at < left.length; at += SECTOR) {
        byte value = left[at];
        assertTrue(value == 1 || value == 2);
        for (int i = 0; i < SECTOR; i++) {
          assertEquals(value, left[at + i], "torn within a sector");
        }
        torn |= value != left[at / BLOCK * BLOCK];
      }
      seen.add(List.of(left[0], left[BLOCK]));
    }
    assertEquals(4, seen.size());
    assertTrue(torn);
  }

  @Test
  void blocksLostWithPowerAreKnownUntilRewritten() throws IOException {
    int lost = 0;
    for (int seed = 0; seed < 40; seed++) {
      MemorySegmentDirectory folder =
          written().afterPowerLoss(new StorageFaults(), new SplittableRandom(seed));
      byte[] left = Arrays.copyOf(folder.contents("a"), 2 * BLOCK);
      for (long block = 0; block < 2; block++) {
        byte[] now = Arrays.copyOfRange(left, (int) block * BLOCK, (int) (block + 1) * BLOCK);
        boolean whole = Arrays.equals(filled(2), now);
        assertEquals(!whole, folder.lostBlocks("a").contains(block), "block " + block);
        lost += whole ? 0 : 1;
      }
      MemorySegmentDirectory again = folder.afterProcessDeath(new StorageFaults());
      assertEquals(folder.lostBlocks("a"), again.lostBlocks("a"));
      again.open("a").write(new ByteBuffer[] {ByteBuffer.wrap(filled(5))}, 0);
      again.open("a").sync();
      assertFalse(again.lostBlocks("a").contains(0L));
    }
    assertTrue(lost > 0);
    assertEquals(Set.of(), written().lostBlocks("b"));
  }

  @Test
  void theDeathOfTheProcessLosesNothing() throws IOException {
    MemorySegmentDirectory survivor = written().afterProcessDeath(new StorageFaults());
    assertArrayEquals(filled(2), Arrays.copyOf(survivor.contents("a"), BLOCK));
    // What was not synced is still lost with the power.
    boolean lost = false;
    for (int seed = 0; seed < 20; seed++) {
      byte[] left =
          written()
              .afterProcessDeath(new StorageFaults())
              .afterPowerLoss(new StorageFaults(), new SplittableRandom(seed))
              .contents("a");
      lost |= left[0] == 1;
    }
    assertTrue(lost);
  }

  @Test
  void filesOfAFolderThatWasNotSyncedMayBeGone() throws IOException {
    Set<List<String>> seen = new HashSet<>();
    for (int seed = 0; seed < 50; seed++) {
      MemorySegmentDirectory folder = written();
      folder.create("b");
      seen.add(folder.afterPowerLoss(new StorageFaults(), new SplittableRandom(seed)).list());
    }
    assertEquals(Set.of(List.of("a"), List.of("a", "b")), seen);
  }

  @Test
  void aFullDiskSaysSoAndRotIsSeen() throws IOException {
    MemorySegmentDirectory folder = written();
    folder.limitBytes(100);
    SegmentFile file = folder.open("a");
    IOException full = assertThrows(IOException.class, () -> file.resize(2 * BLOCK + 101));
    assertEquals("No space left on device", full.getMessage());
    file.resize(2 * BLOCK + 100);
    folder.rot("a", 5);
    assertEquals(3, folder.contents("a")[5]);
  }

  @Test
  void operationsFailWhereTheFaultsSay() throws IOException {
    StorageFaults faults = new StorageFaults();
    MemorySegmentDirectory folder = new MemorySegmentDirectory(faults);
    SegmentFile file = folder.create("a");
    faults.failWhere(
        operation ->
            operation.kind() == StorageFaults.Kind.FILE_WRITE && operation.target().equals("a"),
        "bad sector");
    IOException failed =
        assertThrows(
            IOException.class, () -> file.write(new ByteBuffer[] {ByteBuffer.wrap(filled(1))}, 0));
    assertEquals("bad sector", failed.getMessage());
    assertEquals(0, file.sizeBytes());
    file.sync();
    faults.losePower();
    assertThrows(IOException.class, file::sync);
  }
}
