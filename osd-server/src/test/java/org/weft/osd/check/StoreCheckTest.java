package org.weft.osd.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.engine.CheckedStore;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ExtentPageCodec;
import org.weft.osd.store.format.FreeMapCodec;
import org.weft.osd.store.format.NumberCodec;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.format.ObjectRecordCodec;
import org.weft.osd.store.format.StoreKeys;
import org.weft.osd.store.rocksdb.StoreFolder;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.KeyValueStore;
import org.weft.protocol.system.SystemEnvironment;

/** Each kind of damage is found. */
class StoreCheckTest {
  private static final ObjectName FIRST = ObjectName.of(7, 1);

  private CheckedStore store;
  private KeyValueStore tables;

  /**
   * Objects 1 and 2 of partition 7 with 10 blocks each, attributes, and a tombstone of object 3.
   */
  @BeforeEach
  void makeStore() throws WeftException {
    store = new CheckedStore();
    tables = store.tables();
  }

  private CheckReport check(boolean readData) throws IOException {
    return StoreCheck.run(tables, store.segments(), readData, CheckListener.NONE);
  }

  private void finds(String finding) throws IOException {
    CheckReport report = check(true);
    assertTrue(
        report.findings().stream().anyMatch(sentence -> sentence.contains(finding)),
        report.findings().toString());
  }

  private void put(byte[] key, byte[] value) throws IOException {
    tables.write(new KeyValueStore.Batch().put(key, value), true);
  }

  private void remove(byte[] key) throws IOException {
    tables.write(new KeyValueStore.Batch().remove(key), true);
  }

  private ObjectRecord first() throws IOException {
    return ObjectRecordCodec.decode(tables.get(StoreKeys.object(FIRST)));
  }

  private ExtentPage firstPage() throws IOException {
    return ExtentPageCodec.decode(0, tables.get(StoreKeys.extents(first().handle(), 0)));
  }

  private void putFirstPage(List<Extent> extents) throws IOException {
    put(StoreKeys.extents(first().handle(), 0), ExtentPageCodec.encode(new ExtentPage(0, extents)));
  }

  @Test
  void aSoundStoreIsCounted() throws IOException {
    CheckReport report = check(true);
    assertEquals(List.of(), report.findings());
    assertTrue(report.orderly());
    assertEquals(1, report.partitions());
    assertEquals(2, report.objects());
    assertEquals(1, report.attributePages());
    assertEquals(20, report.blocks());
    assertEquals(1, report.tombstones());
    assertEquals(20 * 4096, report.dataBytes());
    assertEquals(0, check(false).dataBytes());
  }

  @Test
  void damagedBytesAreFoundWhereDataIsRead() throws IOException {
    Extent extent = firstPage().extents().get(0);
    store.rot("segment-00000000", (extent.segmentBlock() + 3) * 4096L + 7);
    finds("object 7/1, blocks 0 to 10: block 3 does not match its checksum");
    assertTrue(check(false).isSound());
  }

  @Test
  void blocksHeldTwiceAreFound() throws IOException {
    List<Extent> extents = new ArrayList<>(firstPage().extents());
    Extent stolen = extents.get(0);
    extents.add(
        new Extent(20, 0, 0, 1, 1, 0, stolen.segment(), stolen.segmentBlock() + 9, new int[] {1}));
    putFirstPage(extents);
    finds("is held twice");
  }

  @Test
  void extentsOutsideAreFound() throws IOException {
    putFirstPage(List.of(new Extent(0, 0, 0, 1, 1, 0, 0, 1 << 20, new int[] {1})));
    finds("which has");
    putFirstPage(List.of(new Extent(0, 0, 0, 1, 1, 0, 9, 0, new int[] {1})));
    finds("segment 9, which is not there");
  }

  @Test
  void wrongFiguresAreFound() throws IOException {
    put(StoreKeys.object(FIRST), ObjectRecordCodec.encode(first().written(0, 5)));
    finds("object 7/1 counts 15 blocks, it has 10");
  }

  @Test
  void aWrongFreeMapIsFound() throws IOException {
    BitSet used = FreeMapCodec.decode(tables.get(StoreKeys.freeMap(0)));
    used.flip(500);
    put(StoreKeys.freeMap(0), FreeMapCodec.encode(used, 2048));
    finds("the free map of segment 0 is wrong about 1 blocks, the first is 500");
  }

  @Test
  void theCheckFindsOrphanedValues() throws IOException {
    put(StoreKeys.extents(77, 0), ExtentPageCodec.encode(ExtentPage.empty(0)));
    finds("extents belong to no object: handle 77");
    put(StoreKeys.attribute(78, 0), tables.get(StoreKeys.attribute(first().handle(), 0)));
    finds("an attribute page belongs to no object: handle 78");
    put(StoreKeys.object(ObjectName.of(9, 1)), ObjectRecordCodec.encode(first()));
    finds("object 9/1 lies in a partition that does not exist");
    finds("has handle");
  }

  @Test
  void tombstonesAndTheirListAgree() throws IOException {
    remove(StoreKeys.tombstone(ObjectName.of(7, 3)));
    finds("object 7/3 is listed with a tombstone that it does not have");
    put(StoreKeys.tombstone(ObjectName.of(7, 4)), NumberCodec.encode(5));
    finds("the tombstone of object 7/4 is not listed by its LSN");
    remove(StoreKeys.tombstoneByLsn(new PartitionId(7), 1, 3));
  }

  @Test
  void valuesThatDoNotDecodeAreFoundOneByOne() throws IOException {
    put(StoreKeys.object(FIRST), new byte[] {2, 0, 3});
    put(StoreKeys.attribute(second().handle(), 9), new byte[0]);
    put(new byte[] {'Z', 1}, new byte[0]);
    put(new byte[] {'P'}, new byte[0]);
    CheckReport report = check(true);
    assertTrue(report.findings().size() >= 4, report.findings().toString());
    finds("entries of a kind that is not known");
    finds("an object's record is cut short");
  }

  private ObjectRecord second() throws IOException {
    return ObjectRecordCodec.decode(tables.get(StoreKeys.object(ObjectName.of(7, 2))));
  }

  @Test
  void blocksUsedAgainBeforeACheckpointAreFound() throws IOException {
    Extent other = firstPage().extents().get(0).part(4, 5);
    put(
        StoreKeys.replaced(5, second().handle(), 0),
        ExtentPageCodec.encode(new ExtentPage(0, List.of(other))));
    finds("was used again before a checkpoint");
  }

  @Test
  void copiesThatLeadOutOfTheirSegmentAreFound() throws IOException {
    put(StoreKeys.blockCopy(5, 77, 0), new byte[4096]);
    finds("a copy of 4096 bytes for block 0 of segment 77 leads out of it");
  }

  @Test
  void aStoreThatIsOpenIsNotChecked(@TempDir Path folder) throws IOException {
    assertEquals(
        ErrorCode.INVALID_ARGUMENT,
        assertThrows(
                WeftException.class,
                () -> StoreCheck.run(folder.resolve("none"), true, CheckListener.NONE))
            .code());
    StoreOptions options = StoreOptions.ofCapacity(16 << 20);
    try (SystemEnvironment system = SystemEnvironment.create()) {
      try (ObjectStore open = new StoreFolder(folder).open(options, system.environment())) {
        assertEquals(
            ErrorCode.UNAVAILABLE,
            assertThrows(
                    WeftException.class, () -> StoreCheck.run(folder, true, CheckListener.NONE))
                .code());
        assertEquals(0, open.status().objects());
      }
    }
    assertTrue(StoreCheck.run(folder, true, CheckListener.NONE).isSound());
  }
}
