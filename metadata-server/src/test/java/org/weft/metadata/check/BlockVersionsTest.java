package org.weft.metadata.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.directory.Directory;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.directory.HashKey;
import org.weft.metadata.directory.MemoryBlocks;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/** Copies of a directory are compared while it changes (P 6.8d). */
class BlockVersionsTest {
  private static final ObjectId DIRECTORY = new ObjectId(7);
  private static final OsdId ONE = new OsdId(1);
  private static final OsdId OTHER = new OsdId(2);
  private static final List<Integer> BOTH_BLOCKS = List.of(0, 1);

  private final SortedMap<Integer, byte[]> blocks = new TreeMap<>();
  private final Directory directory = new Directory(new MemoryBlocks(DIRECTORY, blocks));
  private final BlockVersions versions = new BlockVersions(DIRECTORY);
  private int records;

  BlockVersionsTest() {
    directory.create(new HashKey(1, 2), next());
    put("first");
  }

  private Lsn next() {
    records++;
    return Lsn.of(1, records);
  }

  private void put(String name) {
    DirectoryEntry entry = new DirectoryEntry(new ObjectId(9), NodeKind.FILE, next(), List.of());
    assertTrue(directory.put(name, entry, Lsn.of(1, records)).value());
  }

  private SortedMap<Integer, byte[]> copy() {
    return new TreeMap<>(blocks);
  }

  private static DirectoryBlockCopies copies(
      SortedMap<Integer, byte[]> one, SortedMap<Integer, byte[]> other) {
    DirectoryBlockCopies copies = DirectoryBlockCopies.none();
    copies.blocks().put(ONE, one);
    copies.blocks().put(OTHER, other);
    return copies;
  }

  private List<BlockVersions.Difference> differences(DirectoryBlockCopies copies) {
    return versions.differences(copies, BOTH_BLOCKS);
  }

  @Test
  void aCopyThatLacksWhatAnotherHadBeforeAFlushIsNamed() {
    SortedMap<Integer, byte[]> old = copy();
    put("second");
    versions.saw(copies(copy(), old));
    put("third");
    List<BlockVersions.Difference> found = differences(copies(copy(), old));
    assertEquals(2, found.size(), "header and bucket");
    for (BlockVersions.Difference each : found) {
      assertEquals(OTHER, each.osd());
      assertEquals(FindingKind.DIRECTORY_COPIES_DIFFER, each.what().kind());
    }
  }

  @Test
  void blockOnItsWayToACopyIsNotReported() {
    SortedMap<Integer, byte[]> old = copy();
    versions.saw(copies(old, old));
    put("second");
    assertEquals(List.of(), differences(copies(copy(), old)));
  }

  @Test
  void bytesThatDifferAlthoughTheyAreOfOneRecordAreNamed() {
    SortedMap<Integer, byte[]> others = new TreeMap<>();
    Directory other = new Directory(new MemoryBlocks(DIRECTORY, others));
    other.create(new HashKey(1, 2), Lsn.of(1, 1));
    DirectoryEntry entry =
        new DirectoryEntry(new ObjectId(8), NodeKind.FILE, Lsn.of(1, 2), List.of());
    assertTrue(other.put("first", entry, Lsn.of(1, 2)).value());
    DirectoryBlockCopies both = copies(copy(), others);
    versions.saw(both);
    List<BlockVersions.Difference> found = differences(both);
    assertEquals(1, found.size(), "the headers are alike");
    assertEquals(1, found.get(0).number());
  }

  @Test
  void unreadableBlockIsReported() {
    SortedMap<Integer, byte[]> harmed = copy();
    byte[] bucket = harmed.get(1).clone();
    bucket[100] ^= 1;
    harmed.put(1, bucket);
    DirectoryBlockCopies both = copies(harmed, copy());
    versions.saw(both);
    List<BlockVersions.Difference> found = differences(both);
    assertEquals(1, found.size());
    assertEquals(ONE, found.get(0).osd());
    assertTrue(found.get(0).isIn(found));
  }

  @Test
  void aCopyThatLagsIsLeftOut() {
    DirectoryBlockCopies both = copies(copy(), new TreeMap<>());
    versions.saw(both);
    assertEquals(2, differences(both).size());
    LiveNode live =
        new LiveNode(false, false, false, false, 0, new TreeSet<>(List.of(OTHER)), new TreeSet<>());
    assertEquals(List.of(), differences(both.without(live)));
  }
}
