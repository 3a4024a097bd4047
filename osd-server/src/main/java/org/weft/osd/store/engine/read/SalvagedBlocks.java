package org.weft.osd.store.engine.read;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import org.weft.osd.store.engine.block.BufferRun;
import org.weft.osd.store.engine.state.StoreState;
import org.weft.osd.store.format.HeaderCodec;
import org.weft.osd.store.space.BlockRange;

/**
 * What a READ answers where the disk does not give all of it. A block that cannot be read travels
 * as bytes that do not match its checksum, as if it had rotted (P 5.2). So its reader loses this
 * block alone, knows which one it is, and tells the OSD. An error would say as much of all others
 * that were asked for with it.
 */
final class SalvagedBlocks {
  private static final int BLOCK_BYTES = HeaderCodec.BLOCK_BYTES;
  private static final int CRC_OF_ZEROS = BufferRun.crc(ByteBuffer.allocate(BLOCK_BYTES));

  private final StoreState store;
  private final List<BlockRange> ranges;
  private final int[] crcs;

  /**
   * @param crcs one for each block of the ranges
   */
  SalvagedBlocks(StoreState store, List<BlockRange> ranges, int[] crcs) {
    this.store = store;
    this.ranges = ranges;
    this.crcs = crcs;
  }

  /** A transfer of them failed, and may have met a block that cannot be read. */
  void doubt() {
    ranges.forEach(store.segments().doubts()::doubt);
  }

  /** One of them is better read here than by the transport. */
  boolean isDoubtful() {
    return ranges.stream().anyMatch(store.segments().doubts()::touches);
  }

  /**
   * Reads all of them into memory, each block by itself. Waits for the disk, which may try a bad
   * block for seconds.
   *
   * @throws UncheckedIOException if the store was closed meanwhile
   */
  List<ByteBuffer> read() {
    List<ByteBuffer> all = new ArrayList<>(ranges.size());
    int done = 0;
    for (BlockRange range : ranges) {
      ByteBuffer bytes = ByteBuffer.allocate(range.blockCount() * BLOCK_BYTES);
      for (int block = range.firstBlock(); block < range.endBlock(); block++) {
        bytes.put(block(range.segment(), block, crcs[done]));
        done++;
      }
      all.add(bytes.flip());
    }
    return all;
  }

  private ByteBuffer block(int segment, int block, int crc) {
    try {
      return store.segments().readBlock(segment, block);
    } catch (ClosedChannelException e) {
      // The store's end says nothing of the disk.
      throw new UncheckedIOException(e);
    } catch (IOException e) {
      if (store.segments().doubts().addUnreadable(segment, block)) {
        store.health().report("block " + block + " of segment " + segment + ": " + e, e);
      }
      return unlike(crc);
    }
  }

  /** A block that has another checksum. */
  private static ByteBuffer unlike(int crc) {
    ByteBuffer bytes = ByteBuffer.allocate(BLOCK_BYTES);
    return crc == CRC_OF_ZEROS ? bytes.put(0, (byte) 1) : bytes;
  }
}
