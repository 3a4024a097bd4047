package org.weft.client.stripe.read;

import java.util.List;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** One way to get the bytes of a piece: it says what to read and how to compute the piece. */
interface PiecePlan {
  /** What came of it. */
  enum Outcome {
    /** The bytes are in their place. */
    DONE,
    /** A component has failed; the piece knows it. */
    FAILED,
    /** A writer was at work: look again later (P 5.6). */
    UNREST,
    /** What was read contradicts itself, and nothing tells which of it is wrong. */
    WRONG,
    /** The file has been cut since it was opened: what it holds now is another question (P 4.3). */
    CUT
  }

  List<UnitRead> wants();

  /**
   * All wants are in, or have failed.
   *
   * @param truncationNumber how often the file had been cut when it was opened; a component that
   *     knows of a later time is not believed
   */
  Outcome settle(int truncationNumber);

  /** What is wrong with the wants by themselves; DONE if nothing is. The piece is told. */
  static Outcome check(List<UnitRead> wants, StripePiece piece, int truncationNumber) {
    Outcome outcome = Outcome.DONE;
    for (UnitRead want : wants) {
      if (want.failure() != null) {
        piece.fail(want.component(), want.failure());
        outcome = Outcome.FAILED;
      } else if (want.truncationNumber() > truncationNumber) {
        return Outcome.CUT;
      } else if (want.isBlank()) {
        piece.fail(
            want.component(),
            new WeftException(
                ErrorCode.NO_SUCH_OBJECT,
                "component " + want.component() + " holds nothing of the file: it was made anew"));
        outcome = Outcome.FAILED;
      }
    }
    return outcome;
  }

  /** How much is read. */
  static long bytes(List<UnitRead> wants) {
    long bytes = 0;
    for (UnitRead want : wants) {
      bytes += want.lengthBytes();
    }
    return bytes;
  }

  /** Gives memory back; after {@link #settle}, or instead of it. */
  default void dispose() {}
}
