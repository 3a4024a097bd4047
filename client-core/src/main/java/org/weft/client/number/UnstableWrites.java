package org.weft.client.number;

/**
 * Whether a file has taken bytes that no reply to a commit covers yet. If its writing fails these
 * may be lost, and the write verifier has to change (RFC 1813 section 3.3.7). Thread-safe.
 */
final class UnstableWrites {
  private static final long NONE = -1;

  private boolean uncommitted;

  /** Counts the beginnings and ends of writes. */
  private long steps;

  private int underWay;

  synchronized void begin() {
    uncommitted = true;
    steps++;
    underWay++;
  }

  synchronized void end() {
    steps++;
    underWay--;
  }

  /** What a commit covers that begins now; nothing while a write is under way. */
  synchronized long covered() {
    return underWay == 0 ? steps : NONE;
  }

  /** The commit has succeeded: if nothing was written beside it, all is on stable storage. */
  synchronized void committed(long covered) {
    uncommitted &= covered != steps;
  }

  /** True if some were uncommitted; from now on none are. */
  synchronized boolean forget() {
    boolean some = uncommitted;
    uncommitted = false;
    return some;
  }
}
