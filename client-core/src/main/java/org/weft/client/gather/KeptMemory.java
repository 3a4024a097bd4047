package org.weft.client.gather;

import org.weft.client.stripe.base.References;

/**
 * The memory of one write, held while stripes of it are kept. All of it counts as long as one of
 * them is: nothing else can have the rest. Not thread-safe.
 */
final class KeptMemory {
  /** What is kept of a file: each memory once, and as a whole. Not thread-safe. */
  static final class Sum {
    private long bytes;
    private long idleBytes;

    long bytes() {
      return bytes;
    }

    /** Of memories with a stripe that is not due. */
    long idleBytes() {
      return idleBytes;
    }
  }

  private final References memory;
  private final long bytes;
  private final Sum sum;
  private int stripes;
  private int idleStripes;

  /**
   * Memory of which nothing is kept yet.
   *
   * @param bytes how much goes back when it is released
   * @param sum where it counts
   */
  KeptMemory(References memory, long bytes, Sum sum) {
    this.memory = memory;
    this.bytes = bytes;
    this.sum = sum;
  }

  long bytes() {
    return bytes;
  }

  /** One more stripe is kept there. */
  void retain() {
    if (stripes == 0) {
      memory.retain();
      sum.bytes += bytes;
    }
    stripes++;
  }

  /** One stripe less is kept there. */
  void release() {
    stripes--;
    if (stripes == 0) {
      sum.bytes -= bytes;
      memory.release();
    }
  }

  /** Counts a stripe of it that is not due in (1) or out (-1). */
  void countIdle(int sign) {
    boolean wasIdle = idleStripes > 0;
    idleStripes += sign;
    if (wasIdle != (idleStripes > 0)) {
      sum.idleBytes += sign * bytes;
    }
  }
}
