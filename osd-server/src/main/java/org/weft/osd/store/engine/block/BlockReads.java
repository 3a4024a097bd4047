package org.weft.osd.store.engine.block;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.osd.store.engine.state.Segments;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.HeaderCodec;
import org.weft.osd.store.space.BlockRange;

/**
 * Reads extents from the medium into one buffer, and says which of their blocks are bad. What seems
 * so is read once more by itself before it is called so. Not thread-safe.
 */
public final class BlockReads {
  private static final Logger LOG = LoggerFactory.getLogger(BlockReads.class);
  private static final int BLOCK_BYTES = HeaderCodec.BLOCK_BYTES;

  private final Segments segments;
  private ByteBuffer buffer;

  /** Reads from these segments. */
  public BlockReads(Segments segments) {
    this.segments = segments;
  }

  /** Places in the extent. */
  public List<Integer> bad(Extent extent) {
    List<Integer> suspects = new ArrayList<>();
    for (int done = 0; done < extent.blockCount(); done += ExtentPage.BLOCKS) {
      int count = Math.min(ExtentPage.BLOCKS, extent.blockCount() - done);
      IOException failure = read(extent, done, count);
      for (int i = 0; i < count; i++) {
        if (failure != null || !matches(extent, done + i, i)) {
          suspects.add(done + i);
        }
      }
    }
    return suspects.stream().filter(place -> isBadAlone(extent, place)).toList();
  }

  private boolean isBadAlone(Extent extent, int place) {
    IOException failure = read(extent, place, 1);
    if (failure != null || !matches(extent, place, 0)) {
      LOG.warn(
          "block {} of segment {} {}",
          extent.segmentBlock() + place,
          extent.segment(),
          failure == null ? "does not match its checksum" : "cannot be read",
          failure);
      return true;
    }
    return false;
  }

  private boolean matches(Extent extent, int place, int at) {
    return BufferRun.crc(buffer.slice(at * BLOCK_BYTES, BLOCK_BYTES)) == extent.crcs()[place];
  }

  private IOException read(Extent extent, int place, int count) {
    if (buffer == null) {
      buffer =
          ByteBuffer.allocateDirect((ExtentPage.BLOCKS + 1) * BLOCK_BYTES)
              .alignedSlice(BLOCK_BYTES);
    }
    BlockRange range = new BlockRange(extent.segment(), extent.segmentBlock() + place, count);
    try {
      segments.readFromMedium(range, buffer.clear().limit(count * BLOCK_BYTES));
      return null;
    } catch (IOException e) {
      return e;
    }
  }
}
