package org.weft.client.cache;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Decides which pages of files are worth room: those that were asked for before, not long ago. So
 * what is read once takes no room from what is read again, and costs what it did without a cache.
 * It may err both ways, for it remembers a few bits of each page. Thread-safe; never blocks.
 */
final class PageAdmission {
  private static final int MAX_SLOTS = 1 << 16;

  private final AtomicIntegerArray seen;

  /**
   * @param pages it remembers about so many that were asked for last
   */
  PageAdmission(int pages) {
    int slots = Integer.highestOneBit(Math.max(1, Math.min(MAX_SLOTS, 2 * pages - 1)));
    this.seen = new AtomicIntegerArray(slots);
  }

  /** True if the page was asked for before; it was now. */
  boolean isAskedForAgain(long objectId, long page) {
    long mixed = (objectId * 0x9e3779b97f4a7c15L + page) * 0xd6e8feb86659fd93L;
    mixed ^= mixed >>> 32;
    int mark = (int) (mixed >>> 16) | 1;
    int slot = (int) (mixed & (seen.length() - 1));
    if (seen.get(slot) == mark) {
      return true;
    }
    seen.set(slot, mark);
    return false;
  }
}
