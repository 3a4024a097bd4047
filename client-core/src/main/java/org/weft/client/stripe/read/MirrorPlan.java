package org.weft.client.stripe.read;

import java.nio.ByteBuffer;
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
  private final UnitRead want;
  private final boolean isAside;

  /** Reads straight into the target. */
  MirrorPlan(Layout layout, StripePiece piece, int component) {
    this(layout, piece, component, piece.targetOf(0), false);
  }

  /** Reads aside while another read may still write to the target. */
  static MirrorPlan aside(Layout layout, StripePiece piece, int component) {
    return new MirrorPlan(
        layout, piece, component, ByteBuffer.allocate(piece.wantedBytes(0)), true);
  }

  private MirrorPlan(
      Layout layout, StripePiece piece, int component, ByteBuffer sink, boolean isAside) {
    this.layout = layout;
    this.piece = piece;
    this.want = new UnitRead(component, piece.startIn(0), sink);
    this.isAside = isAside;
  }

  @Override
  public List<UnitRead> wants() {
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
    if (isAside) {
      piece.targetOf(0).put(0, want.sink(), 0, want.lengthBytes());
    }
    return Outcome.DONE;
  }
}
