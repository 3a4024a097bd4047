package org.weft.osd.store.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.ExtentPageCodec;
import org.weft.osd.store.format.StoreKeys;
import org.weft.protocol.seam.KeyValueStore;

/**
 * After a power loss the tables may know of writes whose bytes never reached the disk. Where such a
 * write had taken the place of older bytes, those are still there: no checkpoint covered the
 * commit, so its blocks were not used again. Each block of it that does not match its checksum gets
 * its older bytes back, if those do. So a durable block stays readable, as it was or as it became.
 * What was let go in between does not come back.
 */
final class PowerLossRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(PowerLossRecovery.class);

  private final KeyValueStore store;
  private final Segments segments;
  // Blocks that were let go after the notes that are still to come.
  private final Set<Place> cut = new HashSet<>();
  private long restored;
  private long damaged;

  /** A block of an object. */
  private record Place(long handle, long block) {}

  PowerLossRecovery(KeyValueStore store, Segments segments) {
    this.store = store;
    this.segments = segments;
  }

  /** Goes through all notes of what was overwritten, the newest first; may be run again. */
  void run() throws IOException {
    List<Transaction.Entry> notes = new ArrayList<>();
    byte[] prefix = StoreKeys.prefix(StoreKeys.REPLACED);
    try (KeyValueStore.Cursor cursor = store.scan(prefix, StoreKeys.after(prefix))) {
      while (cursor.next()) {
        notes.add(new Transaction.Entry(cursor.key(), cursor.value()));
      }
    }
    for (int i = notes.size() - 1; i >= 0; i--) {
      byte[] key = notes.get(i).key();
      long number = StoreKeys.numberAt(key, 2);
      restore(StoreKeys.numberAt(key, 1), ExtentPageCodec.decode(number, notes.get(i).value()));
    }
    if (restored + damaged > 0) {
      LOG.warn(
          "after a power loss {} blocks got their bytes before the last overwrite back; {} have"
              + " neither those nor the new ones",
          restored,
          damaged);
    }
  }

  private void restore(long handle, ExtentPage older) throws IOException {
    for (Extent extent : older.extents()) {
      for (long block = extent.firstBlock(); extent.isCut() && block < extent.endBlock(); block++) {
        cut.add(new Place(handle, block));
      }
    }
    byte[] key = StoreKeys.extents(handle, older.number());
    byte[] value = store.get(key);
    if (value == null) {
      return;
    }
    ExtentPage before = ExtentPageCodec.decode(older.number(), value);
    ExtentPage page = before;
    for (Extent extent : older.extents()) {
      for (long block = extent.firstBlock(); block < extent.endBlock(); block++) {
        Extent now = page.at(block);
        if (now == null || extent.isCut() || isGood(now, block)) {
          continue;
        }
        if (!cut.contains(new Place(handle, block)) && isGood(extent, block)) {
          page = page.with(extent.part(block, block + 1));
          restored++;
        } else {
          damaged++;
        }
      }
    }
    if (page != before) {
      store.write(new KeyValueStore.Batch().put(key, ExtentPageCodec.encode(page)), false);
    }
  }

  private boolean isGood(Extent extent, long block) throws IOException {
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
}
