package org.weft.client.stripe.read;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;

/**
 * Reads all copies of a small file (P 4.2) and delivers what they agree on, or most of them do. A
 * copy that most others contradict is a lost unit.
 */
final class VerifiedCopies extends ComputedPlan {
  private final Layout layout;
  private final StripePiece piece;
  private final List<UnitRead> copies = new ArrayList<>();

  VerifiedCopies(Layout layout, StripePiece piece, List<Integer> components) {
    this.layout = layout;
    this.piece = piece;
    for (int component : components) {
      ByteBuffer sink = ByteBuffer.allocate(piece.wantedBytes(0));
      copies.add(new UnitRead(component, piece.startIn(0), sink));
    }
  }

  @Override
  public List<UnitRead> wants() {
    return copies;
  }

  @Override
  public Outcome settle(int truncationNumber) {
    Outcome outcome = PiecePlan.check(copies, piece, truncationNumber);
    if (outcome != Outcome.DONE) {
      return outcome;
    }
    if (copies.stream().anyMatch(copy -> !layout.isSmall(copy.eofBytes()))) {
      piece.markGrown();
      return Outcome.FAILED;
    }
    if (isDisturbed()) {
      return Outcome.UNREST;
    }
    UnitRead right = null;
    for (UnitRead copy : copies) {
      right = 2 * alike(copy) > copies.size() ? copy : right;
    }
    if (right == null) {
      return Outcome.WRONG;
    }
    boolean all = true;
    for (UnitRead copy : copies) {
      if (!copy.sink().equals(right.sink())) {
        all = false;
        piece.fail(
            copy.component(),
            new WeftException(
                ErrorCode.BAD_CHECKSUM,
                "the copy of component " + copy.component() + " differs from most others"));
      }
    }
    piece.targetOf(0).put(0, right.sink(), 0, right.lengthBytes());
    return all ? Outcome.DONE : Outcome.FAILED;
  }

  private long alike(UnitRead copy) {
    return copies.stream().filter(other -> other.sink().equals(copy.sink())).count();
  }
}
