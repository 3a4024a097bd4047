package org.weft.client.stripe.read;

import java.util.ArrayList;
import java.util.List;
import org.weft.protocol.layout.Layout;

/** Reads the wanted data units straight into the target, or has the target keep what comes. */
final class DirectPlan implements PiecePlan {
  private final StripePiece piece;
  private final List<UnitRead> wants = new ArrayList<>();

  DirectPlan(Layout layout, StripePiece piece) {
    this.piece = piece;
    for (int unit = piece.firstUnit(); unit <= piece.lastUnit(); unit++) {
      long offsetBytes = layout.componentOffsetBytes(piece.stripe()) + piece.startIn(unit);
      int component = layout.dataComponent(piece.stripe(), unit);
      int wanted = unit;
      wants.add(
          new UnitRead(
              component,
              offsetBytes,
              piece.wantedBytes(unit),
              () -> piece.targetOf(wanted),
              piece.keepsArrived()));
    }
  }

  @Override
  public List<UnitRead> wants() {
    return wants;
  }

  @Override
  public Outcome settle(int truncationNumber) {
    Outcome outcome = PiecePlan.check(wants, piece, truncationNumber);
    if (outcome == Outcome.DONE) {
      for (int place = 0; place < wants.size(); place++) {
        int unit = piece.firstUnit() + place;
        ArrivedBytes arrived = wants.get(place).takeArrived();
        if (arrived != null) {
          piece.keep(unit, arrived);
        }
      }
    }
    return outcome;
  }

  @Override
  public void dispose() {
    for (UnitRead want : wants) {
      want.drop();
    }
  }
}
