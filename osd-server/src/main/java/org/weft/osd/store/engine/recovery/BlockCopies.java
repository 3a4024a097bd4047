package org.weft.osd.store.engine.recovery;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SortedMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.osd.store.engine.state.Segments;
import org.weft.osd.store.format.BlockCopyCodec;
import org.weft.osd.store.format.StoreKeys;
import org.weft.osd.store.space.BlockRange;
import org.weft.protocol.seam.KeyValueStore;

/**
 * Second copies of what small durable writes put into segments. Such a write is on stable storage
 * when the tables' log is. Only the next checkpoint syncs its blocks, and it removes the copies
 * with the same batch that makes it count. Until then a start after a power loss finds them and
 * fills the blocks again.
 *
 * <p>A copy never meets a block that means something else by then. Blocks that a commit lets go are
 * used again only after a checkpoint that covers that commit. That checkpoint also covers the
 * earlier commit that made the copy.
 */
public final class BlockCopies {
  private static final Logger LOG = LoggerFactory.getLogger(BlockCopies.class);

  private final KeyValueStore store;
  private final Segments segments;

  /** Copies of a store that is being opened. */
  public BlockCopies(KeyValueStore store, Segments segments) {
    this.store = store;
    this.segments = segments;
  }

  /**
   * Fills all blocks that there are copies of. Makes nothing durable, removes no copy, and may be
   * done again.
   */
  public void writeBack() throws IOException {
    SortedMap<Integer, Integer> grown = segments.grownBlocks();
    long[] filled = {0};
    Entries.ofKind(
        store,
        StoreKeys.BLOCK_COPY,
        (key, value) -> {
          int blocks = BlockCopyCodec.blocksOf(key, value, n -> grown.getOrDefault(n, 0));
          BlockRange range =
              new BlockRange(StoreKeys.copySegmentOf(key), StoreKeys.copyBlockOf(key), blocks);
          segments.write(range, List.of(ByteBuffer.wrap(value)));
          filled[0] += blocks;
        });
    if (filled[0] > 0) {
      LOG.info("{} blocks were filled again from the copies of durable writes", filled[0]);
    }
  }
}
