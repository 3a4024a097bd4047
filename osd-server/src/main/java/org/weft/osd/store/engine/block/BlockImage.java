package org.weft.osd.store.engine.block;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.weft.osd.store.format.Extent;
import org.weft.osd.store.format.ExtentPage;
import org.weft.osd.store.format.HeaderCodec;
import org.weft.protocol.error.WeftException;

/**
 * The bytes of a write as whole blocks. Where the first or the last block is written in part, the
 * rest comes from the old bytes.
 *
 * @param bytes a whole number of blocks
 * @param crcs one for each block
 * @param merged the blocks that are part new, part old
 * @param endsComponent the rest of its last block is zeros only if nothing is stored behind it
 */
public record BlockImage(
    long firstBlock, BufferRun bytes, int[] crcs, List<Merged> merged, boolean endsComponent) {
  private static final int BLOCK_BYTES = HeaderCodec.BLOCK_BYTES;

  /** A block that is part new, part old; {@code old} is null where nothing was stored. */
  public record Merged(long block, Extent old) {
    /** True if the block is still stored where its old bytes were read. */
    public boolean holds(Extent now) {
      if (old == null || now == null) {
        return old == now;
      }
      return old.segment() == now.segment()
          && old.segmentBlock() + block - old.firstBlock()
              == now.segmentBlock() + block - now.firstBlock();
    }
  }

  /** Where old bytes come from. */
  @FunctionalInterface
  public interface OldBytes {
    /** The bytes of the block as stored in the extent; zeros if it is null. A fresh buffer. */
    ByteBuffer read(Extent extent, long block) throws WeftException;
  }

  /**
   * @param sent what was sent, at least one byte
   * @param sentCrcs verified
   * @param pages that hold the blocks touched
   * @param storedEndBytes from here on all that is stored is zeros: it need not be read
   */
  public static BlockImage of(
      long offsetBytes,
      BufferRun sent,
      int[] sentCrcs,
      List<ExtentPage> pages,
      long storedEndBytes,
      OldBytes old)
      throws WeftException {
    long first = offsetBytes / BLOCK_BYTES;
    int lead = (int) (offsetBytes % BLOCK_BYTES);
    int length = sent.lengthBytes();
    int tail = (lead + length) % BLOCK_BYTES;
    int[] crcs = sentCrcs.clone();
    List<ByteBuffer> buffers = new ArrayList<>();
    List<Merged> merged = new ArrayList<>();
    boolean endsComponent = false;
    int done = 0;
    if (lead != 0) {
      done = Math.min(length, BLOCK_BYTES - lead);
      Extent extent = at(pages, first);
      merged.add(new Merged(first, extent));
      buffers.add(merge(old.read(extent, first), lead, sent, 0, done));
      crcs[0] = BufferRun.crc(buffers.get(0));
    }
    int whole = (length - done) / BLOCK_BYTES * BLOCK_BYTES;
    buffers.addAll(sent.slice(done, whole));
    done += whole;
    if (done < length) {
      long last = first + crcs.length - 1;
      Extent extent = at(pages, last);
      merged.add(new Merged(last, extent));
      endsComponent = offsetBytes + length >= storedEndBytes;
      ByteBuffer block = merge(old.read(endsComponent ? null : extent, last), 0, sent, done, tail);
      buffers.add(block);
      crcs[crcs.length - 1] = BufferRun.crc(block);
    }
    return new BlockImage(first, new BufferRun(buffers), crcs, merged, endsComponent);
  }

  /** What holds the block in these pages, or null. */
  public static Extent at(List<ExtentPage> pages, long block) {
    for (ExtentPage page : pages) {
      if (page.number() == ExtentPage.of(block)) {
        return page.at(block);
      }
    }
    return null;
  }

  /** The bytes of one of its blocks. */
  public ByteBuffer block(long block) {
    ByteBuffer copy = ByteBuffer.allocate(BLOCK_BYTES);
    bytes.copy((int) (block - firstBlock) * BLOCK_BYTES, BLOCK_BYTES, copy);
    return copy.flip();
  }

  private static ByteBuffer merge(
      ByteBuffer block, int place, BufferRun sent, int from, int bytes) {
    block.position(place);
    sent.copy(from, bytes, block);
    return block.clear();
  }
}
