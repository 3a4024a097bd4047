package org.weft.osd.store.space;

/**
 * A component that is written in order, more or less. It has the window that its writes go to, and
 * the one before, in which late runs still find their place. Not thread-safe.
 */
final class Stream {
  /** How far behind a window its stream may go on, for runs in front that are still to come. */
  private static final int LEAP_BLOCKS = 1024;

  StreamWindow current;
  StreamWindow previous;
  private long servedBlocks;
  private boolean touched;

  /** The window that has a place for this block, or null. */
  StreamWindow windowOf(long block) {
    if (current != null && current.available(block, 1) > 0) {
      return current;
    }
    return previous != null && previous.available(block, 1) > 0 ? previous : null;
  }

  /** True if these blocks go on behind the current window, or end there. */
  boolean goesOn(long firstBlock, int count) {
    return current != null
        && firstBlock + count > current.endBlock()
        && firstBlock - current.endBlock() <= LEAP_BLOCKS
        && (firstBlock >= current.endBlock() || current.available(firstBlock, 1) > 0);
  }

  /** True if the block lies beyond all windows. */
  boolean isAhead(long block) {
    return current == null || block >= current.endBlock();
  }

  /** Goes on in another window; gives the one that is of no use any more, or null. */
  StreamWindow moveTo(StreamWindow window) {
    StreamWindow old = previous;
    previous = current;
    current = window;
    return old;
  }

  /** How much the stream was given so far. */
  long servedBlocks() {
    return servedBlocks;
  }

  void served(int blocks) {
    servedBlocks += blocks;
    touched = true;
  }

  /** True if it was given something since the last call. */
  boolean wasTouched() {
    boolean was = touched;
    touched = false;
    return was;
  }
}
