package org.weft.osd.store.format;

import java.util.ArrayList;
import java.util.List;
import org.weft.osd.store.PendingKind;
import org.weft.osd.store.PendingWrite;

/**
 * A write of the pending list, and what undoes it (P 5.4). The record owns the blocks of its
 * extents: they are counted as used, and nothing else leads to them.
 *
 * @param checkpoint the one that was pending when the write came. Once a later one is durable, so
 *     is the write. Bytes that are bad then were not lost with the power
 * @param kept of a STRIPE or XOR_DATA the extents that it took the place of, as they were; where
 *     there is none, nothing was stored. Of a XOR_DELTA the δ, whose blocks lie somewhere else. In
 *     the order of the object's blocks; none reaches over the border of a page.
 */
public record PendingRecord(PendingWrite write, long checkpoint, List<Extent> kept) {
  private static final int BLOCK_BYTES = HeaderCodec.BLOCK_BYTES;

  public PendingRecord {
    kept = List.copyOf(kept);
  }

  public long grant() {
    return write.grant();
  }

  public PendingKind kind() {
    return write.kind();
  }

  public long firstBlock() {
    return write.offsetBytes() / BLOCK_BYTES;
  }

  /** The first block behind the write's. */
  public long endBlock() {
    return write.lengthBytes() == 0
        ? firstBlock()
        : (write.offsetBytes() + write.lengthBytes() + BLOCK_BYTES - 1) / BLOCK_BYTES;
  }

  /**
   * True if some of these blocks are the write's; one that was aborted, or has no bytes, has none.
   */
  public boolean overlaps(long fromBlock, long toBlock) {
    return kind() != PendingKind.ABORTED
        && Math.max(firstBlock(), fromBlock) < Math.min(endBlock(), toBlock);
  }

  /** True if one of these numbers is the write's. */
  public boolean overlapsNumbers(long firstSequence, long lastSequence) {
    return write.firstSequence() <= lastSequence && firstSequence <= write.lastSequence();
  }

  /** True if the block of this extent came by this write. */
  public boolean wrote(Extent extent, long block) {
    long sequence = extent.sequenceAt(block);
    return extent.grant() == grant()
        && sequence >= write.firstSequence()
        && sequence <= write.lastSequence();
  }

  public int keptBlocks() {
    int blocks = 0;
    for (Extent extent : kept) {
      blocks += extent.blockCount();
    }
    return blocks;
  }

  /** What is kept of this block, or null. */
  public Extent keptAt(long block) {
    for (Extent extent : kept) {
      if (block >= extent.firstBlock() && block < extent.endBlock()) {
        return extent;
      }
    }
    return null;
  }

  /** What is kept of the blocks from here on. */
  public List<Extent> keptFrom(long block) {
    List<Extent> parts = new ArrayList<>();
    for (Extent extent : kept) {
      if (extent.endBlock() > block) {
        parts.add(extent.part(Math.max(block, extent.firstBlock()), extent.endBlock()));
      }
    }
    return parts;
  }

  /** The same without the blocks from here on, of which the first is not the write's first. */
  public PendingRecord before(long block) {
    List<Extent> parts = new ArrayList<>();
    for (Extent extent : kept) {
      if (extent.firstBlock() < block) {
        parts.add(extent.part(extent.firstBlock(), Math.min(block, extent.endBlock())));
      }
    }
    return new PendingRecord(write.before(block * BLOCK_BYTES), checkpoint, parts);
  }

  /** The same, keeping these. */
  public PendingRecord keeping(List<Extent> other) {
    return new PendingRecord(write, checkpoint, other);
  }
}
