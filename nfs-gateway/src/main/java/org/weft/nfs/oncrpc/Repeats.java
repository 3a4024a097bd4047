package org.weft.nfs.oncrpc;

/** What becomes of a call that comes again, with the same number and bytes from the same client. */
public enum Repeats {
  /** It is carried out like any other: the procedure changes nothing. */
  CARRIED_OUT,

  /**
   * While the first one is under way the repeat gets its answer; afterwards it is carried out: done
   * twice in a row it does the same, but the first must not end after what follows the second.
   */
  JOIN_THE_FIRST,

  /** It gets the first one's answer, as long as that is kept. */
  ANSWERED_AS_THE_FIRST
}
