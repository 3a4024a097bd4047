package org.weft.client.stripe;

import java.util.ArrayList;
import java.util.List;
import org.weft.protocol.layout.Layout;

/** Reads the wanted data units straight into the target. */
final class DirectPlan implements PiecePlan {
  private final StripePiece piece;
  private final List<UnitWant> wants = new ArrayList<>();

  DirectPlan(Layout layout, StripePiece piece) {
    this.piece = piece;
    for (int unit = piece.firstUnit(); unit <= piece.lastUnit(); unit++) {
      long offsetBytes = layout.componentOffsetBytes(piece.stripe()) + piece.startIn(unit);
      int component = layout.dataComponent(piece.stripe(), unit);
      wants.add(new UnitWant(component, offsetBytes, piece.targetOf(unit)));
    }
  }

  @Override
  public List<UnitWant> wants() {
    return wants;
  }

  @Override
  public Outcome settle(int truncationNumber) {
    return PiecePlan.check(wants, piece, truncationNumber);
  }
}
