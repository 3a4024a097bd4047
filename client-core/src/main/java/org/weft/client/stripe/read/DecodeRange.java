package org.weft.client.stripe.read;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.weft.client.stripe.base.BlockChecksums;
import org.weft.client.stripe.base.UnitPool;
import org.weft.client.stripe.base.Zeros;
import org.weft.client.stripe.read.DecodePlan.Source;
import org.weft.protocol.layout.Layout;

/**
 * What of each unit of a stripe is looked at for a piece. It is the smallest range of whole blocks,
 * the same in each unit, that holds everything wanted. The pool gives the memory for it.
 */
final class DecodeRange {
  /** Stands for a unit behind the end of the file, all zeros. */
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final Layout layout;
  private final StripePiece piece;
  private final UnitPool pool;
  private final int startInUnit;
  private final int endInUnit;
  private final List<ByteBuffer> taken = new ArrayList<>();

  DecodeRange(Layout layout, StripePiece piece, UnitPool pool) {
    this.layout = layout;
    this.piece = piece;
    this.pool = pool;
    int start = layout.unitBytes();
    int end = 0;
    for (int unit = piece.firstUnit(); unit <= piece.lastUnit(); unit++) {
      start = Math.min(start, piece.startIn(unit));
      end = Math.max(end, piece.endIn(unit));
    }
    int block = BlockChecksums.BLOCK_BYTES;
    this.startInUnit = start / block * block;
    this.endInUnit = (end + block - 1) / block * block;
  }

  int lengthBytes() {
    return endInUnit - startInUnit;
  }

  /** Of the range in every component of the stripe. */
  long offsetInComponent() {
    return layout.componentOffsetBytes(piece.stripe()) + startInUnit;
  }

  /** Index i for d_i, k + j for P_j. */
  int componentOf(int source) {
    return source < layout.dataUnits()
        ? layout.dataComponent(piece.stripe(), source)
        : layout.parityComponent(piece.stripe(), source - layout.dataUnits());
  }

  /** True if everything in the range is wanted of d_i. */
  boolean isAllWanted(int unit) {
    return piece.startIn(unit) == startInUnit && piece.endIn(unit) == endInUnit;
  }

  /** True if this is the range in its component. */
  boolean isReadBy(UnitRead want) {
    return want.offsetBytes() == offsetInComponent() && want.lengthBytes() == lengthBytes();
  }

  /** What has been read of each unit: empty for zeros, null for what is not at hand. */
  static ByteBuffer[] ranges(Source[] sources, UnitRead[] wantBySource) {
    ByteBuffer[] ranges = new ByteBuffer[sources.length];
    for (int source = 0; source < sources.length; source++) {
      ranges[source] =
          switch (sources[source]) {
            case READ -> wantBySource[source].sink();
            case ZERO -> NOTHING;
            case NONE -> null;
          };
    }
    return ranges;
  }

  /** Memory for the range of one unit. */
  ByteBuffer scratch() {
    ByteBuffer unit = pool.take(layout.unitBytes());
    pool.reserve(layout.unitBytes());
    taken.add(unit);
    return unit.slice(0, lengthBytes());
  }

  /**
   * Puts the part that is wanted of d_i in its place.
   *
   * @param range of the unit; empty for zeros
   */
  void deliver(int unit, ByteBuffer range) {
    ByteBuffer target = piece.targetOf(unit);
    if (range.capacity() == 0) {
      Zeros.fill(target, 0, target.capacity());
    } else {
      target.put(0, range, piece.startIn(unit) - startInUnit, target.capacity());
    }
  }

  void dispose() {
    for (ByteBuffer unit : taken) {
      pool.give(unit);
      pool.unreserve(layout.unitBytes());
    }
    taken.clear();
  }
}
