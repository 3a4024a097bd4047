package org.weft.nfs.oncrpc;

/** What becomes of a call that comes again, with the same number and bytes from the same client. */
public enum Repeats {
  /** It is carried out like any other: the procedure changes nothing. */
  CARRIED_OUT,

  /**
   * While the first call is under way, the repeat gets its answer. Afterwards the repeat is carried
   * out, which does the same twice in a row. But the first call must not end after a call that
   * follows the second.
   */
  JOIN_THE_FIRST,

  /** It gets the first one's answer while that is kept. */
  ANSWERED_AS_THE_FIRST
}
