package org.weft.osd.store.engine.recovery;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.osd.store.engine.block.BufferRun;
import org.weft.osd.store.engine.state.Segments;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.ExtentPageCodec;
import org.weft.osd.store.format.PendingCodec;
import org.weft.osd.store.format.PendingRecord;
import org.weft.osd.store.format.StoreKeys;
import org.weft.osd.store.space.BlockRange;
import org.weft.protocol.seam.KeyValueStore;

/**
 * Writes the blocks of some segments anew, with the bytes that they have. After a sync that failed
 * the cache may show what the disk does not hold, and would never write it again by itself. What is
 * in neither is damaged, and is left to {@link PowerLossRecovery} and to the readers' checksums.
 *
 * <p>Extents are never changed, so that an end in the middle changes nothing. Single-threaded.
 */
public final class UnsyncedSegments {
  private static final Logger LOG = LoggerFactory.getLogger(UnsyncedSegments.class);

  private final KeyValueStore store;
  private final Segments segments;
  private final Set<Integer> unsynced;
  private long written;
  private long damaged;

  /**
   * @param unsynced numbers of the segments
   */
  public UnsyncedSegments(KeyValueStore store, Segments segments, Set<Integer> unsynced) {
    this.store = store;
    this.segments = segments;
    this.unsynced = unsynced;
  }

  /**
   * Reads and writes every block in them that belongs to an object, and makes them durable.
   *
   * @return true if all of them have the bytes that they must have
   */
  public boolean writeAnew() throws IOException {
    Entries.ofKind(
        store,
        StoreKeys.EXTENTS,
        (key, value) ->
            writeAnew(ExtentPageCodec.decode(StoreKeys.numberAt(key, 1), value).extents()));
    Entries.ofKind(
        store,
        StoreKeys.PENDING,
        (key, value) -> {
          for (PendingRecord record : PendingCodec.decode(value).records()) {
            writeAnew(record.kept());
          }
        });
    segments.sync(unsynced);
    LOG.warn(
        "segments {} could not be synced before this start: {} of their blocks were written anew,"
            + " {} do not have their bytes any more",
        unsynced,
        written,
        damaged);
    return damaged == 0;
  }

  private void writeAnew(List<Extent> extents) throws IOException {
    for (Extent extent : extents) {
      if (!unsynced.contains(extent.segment())) {
        continue;
      }
      for (int place = 0; place < extent.blockCount(); place++) {
        int block = extent.segmentBlock() + place;
        ByteBuffer bytes = readOrNull(extent.segment(), block);
        if (bytes == null || BufferRun.crc(bytes.duplicate()) != extent.crcs()[place]) {
          damaged++;
        } else {
          segments.write(new BlockRange(extent.segment(), block, 1), List.of(bytes));
          written++;
        }
      }
    }
  }

  private ByteBuffer readOrNull(int segment, int block) {
    try {
      return segments.readBlock(segment, block);
    } catch (IOException e) {
      LOG.warn("block {} of segment {} could not be read", block, segment, e);
      return null;
    }
  }
}
