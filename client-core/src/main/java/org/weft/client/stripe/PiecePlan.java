package org.weft.client.stripe;

import java.util.List;

/** One way to get the bytes of a piece: what is read for it, and what is made of that. */
interface PiecePlan {
  /** What came of it. */
  enum Outcome {
    /** The bytes are in their place. */
    DONE,
    /** A component has failed; the piece knows it. */
    FAILED,
    /** A writer was at work: look again later (P 5.6). */
    UNREST
  }

  List<UnitWant> wants();

  /** All wants are in, or have failed. */
  Outcome settle();

  /** Gives memory back; after {@link #settle}, or instead of it. */
  default void dispose() {}
}
