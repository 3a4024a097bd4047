package org.weft.metadata.directory;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * The way from the root of an index to what lies at a place.
 *
 * @param steps a node each, the root first
 * @param leaf number of the bucket; 0 for none, or the node that is missing in memory
 * @param isMissing the way ends early, at a node that must be loaded
 */
record IndexPath(List<Step> steps, int leaf, boolean isMissing) {
  /**
   * A node on the way.
   *
   * @param block its number
   * @param usedBits bits of a place that the nodes above have used
   * @param slot the way goes through it
   */
  record Step(int block, int usedBits, int slot) {}

  /** Follows the index; a function gives its nodes, or null for one that is not in memory. */
  static IndexPath to(long place, IntFunction<IndexNode> nodes) {
    List<Step> steps = new ArrayList<>(2);
    int block = DirectoryBlock.HEADER;
    int usedBits = 0;
    while (true) {
      IndexNode node = nodes.apply(block);
      if (node == null) {
        return new IndexPath(steps, block, true);
      }
      int slot = node.slotOf(place, usedBits);
      steps.add(new Step(block, usedBits, slot));
      int pointer = node.pointer(slot);
      if (!IndexNode.isNode(pointer)) {
        return new IndexPath(steps, pointer, false);
      }
      block = IndexNode.blockOf(pointer);
      usedBits += IndexNode.MAX_DEPTH;
    }
  }

  Step last() {
    return steps.get(steps.size() - 1);
  }

  /** The lowest place that goes through that slot of the last node. */
  long firstPlace(long place, int depth, int slot) {
    int usedBits = last().usedBits();
    // Aligned to 64 bits; two shifts, because a shift by 64 would not clear anything.
    long prefix = usedBits == 0 ? 0 : place << 1 & -1L << Long.SIZE - usedBits;
    long own = (long) slot << 1 << Long.SIZE - 1 - usedBits - depth;
    return (prefix | own) >>> 1;
  }

  /** The highest cookie that goes through these slots of the last node. */
  long lastCookie(long place, int depth, int firstSlot, int length) {
    long span = (long) length << Long.SIZE - 1 - last().usedBits() - depth;
    return firstPlace(place, depth, firstSlot) + span - 1;
  }
}
