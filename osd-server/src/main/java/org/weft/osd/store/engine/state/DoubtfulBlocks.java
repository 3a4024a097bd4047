package org.weft.osd.store.engine.state;

import java.util.LinkedHashMap;
import java.util.Map;
import org.weft.osd.store.space.BlockRange;

/**
 * Blocks of segments that could not be read, or that were part of a transfer that failed, and were
 * neither read nor written since. Whatever reads such a block reads it by itself, before anything
 * is sent. In memory alone, and bounded: the eldest are forgotten first, and are found again by the
 * next transfer that fails. Thread-safe.
 */
public final class DoubtfulBlocks {
  /** 128 MiB of blocks. */
  static final int MAX_BLOCKS = 1 << 15;

  // True: it could not be read by itself. Guarded by this.
  private final Map<Long, Boolean> blocks =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
          return size() > MAX_BLOCKS;
        }
      };

  private volatile boolean isEmpty = true;

  private static long placeOf(int segment, int block) {
    return (long) segment << Integer.SIZE | block;
  }

  /** A transfer of these failed: one of them may be why. */
  public synchronized void doubt(BlockRange range) {
    for (int block = range.firstBlock(); block < range.endBlock(); block++) {
      blocks.putIfAbsent(placeOf(range.segment(), block), false);
    }
    isEmpty = blocks.isEmpty();
  }

  /** The disk did not give this one; false if that was known. */
  public synchronized boolean addUnreadable(int segment, int block) {
    Boolean before = blocks.put(placeOf(segment, block), true);
    isEmpty = false;
    return before == null || !before;
  }

  /** True if one of them is in the range. */
  public boolean touches(BlockRange range) {
    return !isEmpty && isAnyIn(range);
  }

  private synchronized boolean isAnyIn(BlockRange range) {
    for (int block = range.firstBlock(); block < range.endBlock(); block++) {
      if (blocks.containsKey(placeOf(range.segment(), block))) {
        return true;
      }
    }
    return false;
  }

  /** They were written, or could be read. */
  void forget(BlockRange range) {
    if (!isEmpty) {
      remove(range);
    }
  }

  private synchronized void remove(BlockRange range) {
    for (int block = range.firstBlock(); block < range.endBlock(); block++) {
      blocks.remove(placeOf(range.segment(), block));
    }
    isEmpty = blocks.isEmpty();
  }
}
