package org.weft.client;

/**
 * How much to fetch at a time and how far ahead, from what was read before: a reader that goes on
 * where it stopped gets more with each step, one that jumps gets about what it asks for. Pure; not
 * thread-safe.
 */
final class ReadAhead {
  private static final long NOWHERE = -1;

  private final int unitBytes;
  private final int chunkBytes;
  private final int windowBytes;
  private long nextBytes;
  private int grownBytes;

  /**
   * @param unitBytes fetched at once after a jump, at least; chunks end at multiples of it
   * @param chunkBytes fetched at once at most; a multiple of the unit
   * @param windowBytes fetched ahead at most
   */
  ReadAhead(int unitBytes, int chunkBytes, int windowBytes) {
    this.unitBytes = unitBytes;
    this.chunkBytes = chunkBytes;
    this.windowBytes = Math.max(windowBytes, chunkBytes);
  }

  /**
   * Says how long the chunk that begins at this offset is to be.
   *
   * @param wantedBytes how much the reader asked for
   */
  int chunkAt(long offsetBytes, int wantedBytes) {
    boolean goesOn = offsetBytes == nextBytes;
    grownBytes = goesOn ? Math.min(windowBytes, Math.max(unitBytes, grownBytes * 2)) : 0;
    long least = Math.max(Math.max(unitBytes, grownBytes), wantedBytes);
    long endBytes = offsetBytes + Math.min(least, chunkBytes);
    // Down to a unit's end, so that later chunks begin at units.
    long alignedBytes = endBytes / unitBytes * unitBytes;
    if (alignedBytes > offsetBytes + wantedBytes / 2) {
      endBytes = alignedBytes;
    }
    nextBytes = endBytes;
    return (int) (endBytes - offsetBytes);
  }

  /**
   * How far behind the reader's position to fetch now: nothing until it has gone on for a while.
   */
  int aheadBytes() {
    return grownBytes > unitBytes ? grownBytes : 0;
  }

  /** The reader jumped. */
  void jumped() {
    nextBytes = NOWHERE;
    grownBytes = 0;
  }
}
