package org.weft.osd.store.space;

import java.util.BitSet;

/** Which blocks of one segment are free: one bit a block. Not thread-safe. */
final class SegmentMap {
  private final BitSet used = new BitSet();
  private int blocks;
  private int free;
  // No run of free blocks is longer: full segments, or such in many pieces, need no search.
  private int longestAtMost;
  // No free block is before it: what is full at the front is not looked at each time.
  private int firstFreeAtLeast;

  int blocks() {
    return blocks;
  }

  int free() {
    return free;
  }

  /** Adds blocks at the end; a segment never shrinks. */
  void grow(int newBlocks) {
    if (newBlocks < blocks) {
      throw new IllegalArgumentException("a segment of " + blocks + " blocks cannot shrink");
    }
    free += newBlocks - blocks;
    blocks = newBlocks;
    longestAtMost = Math.max(longestAtMost, blocks - used.length());
  }

  boolean isFree(int first, int count) {
    if (first < 0 || count > blocks - first) {
      return false;
    }
    int next = used.nextSetBit(first);
    return next < 0 || next >= first + count;
  }

  void take(int first, int count) {
    if (!isFree(first, count)) {
      throw new IllegalStateException(
          "blocks " + first + " to " + (first + count) + " are not all free");
    }
    used.set(first, first + count);
    free -= count;
    longestAtMost = Math.min(longestAtMost, free);
  }

  void giveBack(int first, int count) {
    int next = used.nextClearBit(first);
    if (first < 0 || first + count > blocks || next < first + count) {
      throw new IllegalStateException(
          "blocks " + first + " to " + (first + count) + " are not all in use");
    }
    used.clear(first, first + count);
    free += count;
    int nextUsed = used.nextSetBit(first + count);
    int end = nextUsed < 0 ? blocks : nextUsed;
    longestAtMost = Math.max(longestAtMost, end - used.previousSetBit(first) - 1);
    firstFreeAtLeast = Math.min(firstFreeAtLeast, first);
  }

  /** False if there is surely no run this long; cheap. */
  boolean mayHave(int count) {
    return longestAtMost >= count;
  }

  /**
   * The shortest run of at least so many blocks among the first ones, or null if there is none at
   * all.
   *
   * @param mostRuns free runs that are looked at, once one is long enough
   */
  Run bestFit(int count, int mostRuns) {
    if (!mayHave(count)) {
      return null;
    }
    Run best = null;
    int longest = 0;
    int looked = 0;
    for (int start = firstFree(); start < blocks; ) {
      int next = used.nextSetBit(start);
      int end = next < 0 ? blocks : next;
      int length = end - start;
      if (length == count) {
        return new Run(start, length);
      }
      if (length > count && (best == null || length < best.count())) {
        best = new Run(start, length);
      }
      if (++looked >= mostRuns && best != null) {
        return best;
      }
      longest = Math.max(longest, length);
      start = used.nextClearBit(end);
    }
    longestAtMost = longest;
    return best;
  }

  private int firstFree() {
    firstFreeAtLeast = used.nextClearBit(firstFreeAtLeast);
    return firstFreeAtLeast;
  }

  /** The longest run, or null. */
  Run longest() {
    Run longest = null;
    for (int start = firstFree(); start < blocks; ) {
      int next = used.nextSetBit(start);
      int end = next < 0 ? blocks : next;
      if (longest == null || end - start > longest.count()) {
        longest = new Run(start, end - start);
      }
      start = used.nextClearBit(end);
    }
    longestAtMost = longest == null ? 0 : longest.count();
    return longest;
  }

  /** A copy of the bits; set is in use. */
  BitSet usedBits() {
    return (BitSet) used.clone();
  }

  /** A run of free blocks. */
  record Run(int first, int count) {}
}
