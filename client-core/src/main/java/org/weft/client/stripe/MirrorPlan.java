package org.weft.client.stripe;

import java.util.List;
import org.weft.protocol.layout.Layout;

/**
 * Reads a small file from one of its m + 1 copies (P 4.2). A parity component stands for d_0 only
 * while it knows of no byte beyond the first unit: afterwards it holds parity, with a good
 * checksum.
 */
final class MirrorPlan implements PiecePlan {
  private final Layout layout;
  private final StripePiece piece;
  private final UnitWant want;

  MirrorPlan(Layout layout, StripePiece piece, int component) {
    this.layout = layout;
    this.piece = piece;
    this.want = new UnitWant(component, piece.startIn(0), piece.targetOf(0));
  }

  @Override
  public List<UnitWant> wants() {
    return List.of(want);
  }

  @Override
  public Outcome settle(int truncationNumber) {
    Outcome outcome = PiecePlan.check(wants(), piece, truncationNumber);
    if (outcome != Outcome.DONE) {
      return outcome;
    }
    boolean isData = want.component() == layout.dataComponent(0, 0);
    if (!isData && !layout.isSmall(want.eofBytes())) {
      piece.markGrown();
      return Outcome.FAILED;
    }
    return Outcome.DONE;
  }
}
