package org.weft.simulator.gateway;

/**
 * Times by which a client of NFS knows whether its cached bytes are still right.
 *
 * @param changes how often the file had changed when they were told; -1: never told
 */
record ToldTimes(int changes, long mtimeNanos, long ctimeNanos) {
  static final ToldTimes NONE = new ToldTimes(-1, 0, 0);

  /** The client got these, and the file has changed since then. */
  boolean isOfOtherContent(ToldTimes now) {
    return changes >= 0 && changes != now.changes();
  }

  /** A client that knows these sees by the later ones that the file has changed. */
  boolean tells(ToldTimes now) {
    return now.mtimeNanos() > mtimeNanos && now.ctimeNanos() > ctimeNanos;
  }
}
