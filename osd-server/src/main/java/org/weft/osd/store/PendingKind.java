package org.weft.osd.store;

/** What a record of the pending list stands for (P 5.4). The order is part of the stored form. */
public enum PendingKind {
  /** A data or parity unit of a stripe write: what it overwrote is kept. */
  STRIPE,
  /** The data unit of an XOR write: what it overwrote is kept. */
  XOR_DATA,
  /** A parity of an XOR write: its δ is kept. */
  XOR_DELTA,
  /** An id that was undone and must not come back: nothing is kept. */
  ABORTED
}
