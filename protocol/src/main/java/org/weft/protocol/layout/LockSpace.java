package org.weft.protocol.layout;

/**
 * What the numbers of a lock's range stand for (P 6.5a). Locks of one space are never in the way of
 * locks of another one, not even of the same owner.
 */
public enum LockSpace {
  /** Bytes of the file. */
  BYTES,
  /** Ways in which the file is open: share reservations of NFS clients. */
  OPENINGS
}
