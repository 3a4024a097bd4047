package org.weft.osd.store.engine.recovery;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.osd.store.engine.block.BufferRun;
import org.weft.osd.store.engine.state.Segments;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ExtentPageCodec;
import org.weft.osd.store.format.PendingCodec;
import org.weft.osd.store.format.PendingRecord;
import org.weft.osd.store.format.PendingRecords;
import org.weft.osd.store.format.RevertedBlocks;
import org.weft.osd.store.format.RevertedBlocksCodec;
import org.weft.osd.store.format.StoreKeys;
import org.weft.protocol.seam.KeyValueStore;

/** The pages and the pending list of one object while a start repairs it after a power loss. */
final class RecoveredObject {
  private static final Logger LOG = LoggerFactory.getLogger(RecoveredObject.class);

  private final KeyValueStore store;
  private final Segments segments;
  private final long handle;
  private final SortedMap<Long, ExtentPage> before = new TreeMap<>();
  private final SortedMap<Long, ExtentPage> pages = new TreeMap<>();
  private final PendingRecords listBefore;
  private PendingRecords list;
  private final SortedSet<Long> settled = new TreeSet<>();
  private final SortedSet<Long> givenBack = new TreeSet<>();

  RecoveredObject(KeyValueStore store, Segments segments, long handle) throws IOException {
    this.store = store;
    this.segments = segments;
    this.handle = handle;
    byte[] value = store.get(StoreKeys.pending(handle));
    this.listBefore = value == null ? PendingRecords.NONE : PendingCodec.decode(value);
    this.list = listBefore;
  }

  long handle() {
    return handle;
  }

  List<PendingRecord> records() {
    return list.records();
  }

  /** True if a record of the list has bytes in the block. */
  boolean isPending(long block) {
    return !list.overlapping(block, block + 1).isEmpty();
  }

  /** The block holds what it must, if it is damaged, too: nothing else is put there. */
  void settle(long block) {
    settled.add(block);
  }

  boolean isSettled(long block) {
    return settled.contains(block);
  }

  /** The block holds, or a pending write keeps for it, older bytes than were committed. */
  void noteGivenBack(long block) {
    givenBack.add(block);
  }

  void remove(PendingRecord record) {
    list = list.without(record);
  }

  void replace(PendingRecord record, PendingRecord other) {
    list = list.without(record).with(other);
  }

  /** What holds the block, or null. */
  Extent at(long block) throws IOException {
    return page(ExtentPage.of(block)).at(block);
  }

  /** The block is held by this, or by nothing if it is null. */
  void put(long block, Extent extent) throws IOException {
    ExtentPage page = page(ExtentPage.of(block));
    if (extent != null) {
      pages.put(page.number(), page.with(extent.part(block, block + 1)));
      return;
    }
    List<Extent> next = new ArrayList<>();
    for (Extent one : page.extents()) {
      if (block < one.firstBlock() || block >= one.endBlock()) {
        next.add(one);
        continue;
      }
      if (one.firstBlock() < block) {
        next.add(one.part(one.firstBlock(), block));
      }
      if (block + 1 < one.endBlock()) {
        next.add(one.part(block + 1, one.endBlock()));
      }
    }
    pages.put(page.number(), new ExtentPage(page.number(), next));
  }

  private ExtentPage page(long number) throws IOException {
    ExtentPage page = pages.get(number);
    if (page == null) {
      byte[] value = store.get(StoreKeys.extents(handle, number));
      page = value == null ? ExtentPage.empty(number) : ExtentPageCodec.decode(number, value);
      pages.put(number, page);
      before.put(number, page);
    }
    return page;
  }

  /**
   * True if the bytes of the block match its checksum; where there is none they do. One that is
   * lost is as it must be: what was there before does not belong to its stripe any more.
   */
  boolean isGood(Extent extent, long block) {
    if (extent == null || extent.isLost()) {
      return true;
    }
    int place = (int) (block - extent.firstBlock());
    ByteBuffer bytes;
    try {
      bytes = segments.readBlock(extent.segment(), extent.segmentBlock() + place);
    } catch (IOException e) {
      LOG.warn("block {} of segment {} could not be read", block, extent.segment(), e);
      return false;
    }
    return BufferRun.crc(bytes) == extent.crcs()[place];
  }

  /** True if something differs from what is stored. */
  boolean isChanged() {
    return list != listBefore || !pages.equals(before) || !givenBack.isEmpty();
  }

  boolean hasPending() {
    return !list.isEmpty();
  }

  /** How many blocks more the object holds. */
  long addedBlocks() {
    long added = list.keptBlocks() - listBefore.keptBlocks();
    for (ExtentPage page : pages.values()) {
      added += page.storedBlocks() - before.get(page.number()).storedBlocks();
    }
    return added;
  }

  /**
   * Puts what differs into a batch: it is written in one step, with the object's record.
   *
   * @param exists it has a record; what was given back of one that was removed is of no concern
   */
  void stage(KeyValueStore.Batch batch, boolean exists) throws IOException {
    if (exists && !givenBack.isEmpty()) {
      byte[] known = store.get(StoreKeys.givenBack(handle));
      RevertedBlocks given =
          known == null ? RevertedBlocks.NONE : RevertedBlocksCodec.decode(known);
      batch.put(StoreKeys.givenBack(handle), RevertedBlocksCodec.encode(given.with(givenBack)));
    }
    for (ExtentPage page : pages.values()) {
      byte[] key = StoreKeys.extents(handle, page.number());
      if (!page.extents().isEmpty()) {
        batch.put(key, ExtentPageCodec.encode(page));
      } else if (!before.get(page.number()).extents().isEmpty()) {
        batch.remove(key);
      }
    }
    byte[] key = StoreKeys.pending(handle);
    if (!list.isEmpty()) {
      batch.put(key, PendingCodec.encode(list));
    } else if (!listBefore.isEmpty()) {
      batch.remove(key);
    }
  }
}
