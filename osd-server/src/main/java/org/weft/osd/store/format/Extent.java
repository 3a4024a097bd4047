package org.weft.osd.store.format;

import java.util.Arrays;

/**
 * Blocks of an object that lie one after another in a segment and came by one write. Immutable: the
 * array is never changed, the bytes in the segment neither (P 5.2).
 *
 * @param firstBlock in the object
 * @param flags {@link #SHARED}, {@link #CUT}, {@link #HOLE}, {@link #LAST}, {@link #LOST}, or 0
 * @param snapshot number of the volume's snapshot that the write ran under
 * @param grant of the write's id
 * @param sequence of the first block
 * @param strideBlocks the sequence grows by one where the object's block number passes a multiple
 *     of this; 0: the whole extent has one
 * @param segment where the blocks lie
 * @param segmentBlock number of the first one there
 * @param crcs CRC32C of each block
 */
public record Extent(
    long firstBlock,
    int flags,
    int snapshot,
    long grant,
    long sequence,
    int strideBlocks,
    int segment,
    int segmentBlock,
    int[] crcs) {
  /** Reserved: other objects refer to the same blocks, which are counted apart. */
  public static final int SHARED = 1;

  /**
   * In notes of what was overwritten alone: these blocks were let go, and nothing replaced them.
   */
  public static final int CUT = 2;

  /**
   * In notes of what was overwritten alone: nothing was stored in these blocks. They have no place
   * and no checksums.
   */
  public static final int HOLE = 4;

  /**
   * Only in notes of what was overwritten. What these blocks held before was let go in the same
   * commit, ahead of these, and does not come back.
   */
  public static final int LAST = 8;

  /**
   * What these blocks must hold is not known any more (P 5.9). They have a place, zeros in it, and
   * checksums that those do not match. So a reader finds them damaged, whether it looks at this
   * flag or not.
   */
  public static final int LOST = 16;

  /** Blocks in which nothing was stored. */
  public static Extent hole(long fromBlock, long toBlock) {
    return new Extent(fromBlock, HOLE, 0, 0, 0, 0, 0, 0, new int[(int) (toBlock - fromBlock)]);
  }

  /** The same with {@link #CUT}. */
  public Extent asCut() {
    return flagged(flags | CUT);
  }

  /** The same with {@link #LAST}. */
  public Extent asLast() {
    return flagged(flags | LAST);
  }

  /** As it was stored, without what notes say of it. */
  public Extent asStored() {
    return flagged(flags & ~(CUT | HOLE | LAST));
  }

  /** The same with {@link #LOST}, and checksums that no longer match. */
  public Extent asLost() {
    int[] wrong = Arrays.stream(crcs).map(crc -> ~crc).toArray();
    return new Extent(
        firstBlock,
        flags | LOST,
        snapshot,
        grant,
        sequence,
        strideBlocks,
        segment,
        segmentBlock,
        wrong);
  }

  private Extent flagged(int other) {
    return new Extent(
        firstBlock, other, snapshot, grant, sequence, strideBlocks, segment, segmentBlock, crcs);
  }

  public boolean isCut() {
    return (flags & CUT) != 0;
  }

  public boolean isLast() {
    return (flags & LAST) != 0;
  }

  public boolean isLost() {
    return (flags & LOST) != 0;
  }

  public boolean isHole() {
    return (flags & HOLE) != 0;
  }

  public int blockCount() {
    return crcs.length;
  }

  public long endBlock() {
    return firstBlock + crcs.length;
  }

  /** Sequence number that a block of the extent carries. */
  public long sequenceAt(long block) {
    return strideBlocks == 0
        ? sequence
        : sequence + block / strideBlocks - firstBlock / strideBlocks;
  }

  /** The part from one block to before another. */
  public Extent part(long fromBlock, long toBlock) {
    if (fromBlock == firstBlock && toBlock == endBlock()) {
      return this;
    }
    int skipped = (int) (fromBlock - firstBlock);
    return new Extent(
        fromBlock,
        flags,
        snapshot,
        grant,
        sequenceAt(fromBlock),
        strideBlocks,
        segment,
        segmentBlock + skipped,
        Arrays.copyOfRange(crcs, skipped, (int) (toBlock - firstBlock)));
  }
}
