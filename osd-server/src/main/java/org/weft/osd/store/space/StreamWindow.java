package org.weft.osd.store.space;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Blocks kept for an object that is being streamed to: block b of the object has its place at
 * {@code segmentBlock + (b - firstBlock)}. Not thread-safe.
 */
final class StreamWindow {
  private final int segment;
  private long firstBlock;
  private int segmentBlock;
  private int count;
  private BitSet taken = new BitSet();

  StreamWindow(int segment, long firstBlock, int segmentBlock, int count) {
    this.segment = segment;
    this.firstBlock = firstBlock;
    this.segmentBlock = segmentBlock;
    this.count = count;
  }

  int segment() {
    return segment;
  }

  /** Where in the segment the window ends. */
  int segmentEnd() {
    return segmentBlock + count;
  }

  /** The object's block behind the window. */
  long endBlock() {
    return firstBlock + count;
  }

  /** How many of the object's blocks from this one on have their place here, untaken. */
  int available(long block, int wanted) {
    if (block < firstBlock || block >= endBlock()) {
      return 0;
    }
    int place = (int) (block - firstBlock);
    int next = taken.nextSetBit(place);
    int end = next < 0 ? count : Math.min(next, count);
    return Math.min(wanted, end - place);
  }

  /** Takes blocks that are {@link #available}. */
  BlockRange take(long block, int blocks) {
    int place = (int) (block - firstBlock);
    BlockRange range = new BlockRange(segment, segmentBlock + place, blocks);
    taken.set(place, place + blocks);
    trim();
    return range;
  }

  /** Adds blocks that lie behind the window. */
  void extend(int blocks) {
    count += blocks;
  }

  /** Drops the part at the start that is wholly taken: it belongs to extents now. */
  private void trim() {
    int done = Math.min(taken.nextClearBit(0), count);
    if (done > 0) {
      firstBlock += done;
      segmentBlock += done;
      count -= done;
      taken = taken.get(done, done + count);
    }
  }

  /** The blocks that were not taken. */
  List<BlockRange> untaken() {
    List<BlockRange> ranges = new ArrayList<>();
    for (int start = taken.nextClearBit(0); start < count; ) {
      int next = taken.nextSetBit(start);
      int end = next < 0 ? count : Math.min(next, count);
      ranges.add(new BlockRange(segment, segmentBlock + start, end - start));
      start = taken.nextClearBit(end);
    }
    return ranges;
  }
}
