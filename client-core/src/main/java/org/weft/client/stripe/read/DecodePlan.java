package org.weft.client.stripe.read;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.base.UnitPool;
import org.weft.protocol.layout.Layout;

/**
 * Reads the same range of k units that are there and computes the wanted ones that are not. The
 * range is the hull of what is wanted of any unit, in whole blocks.
 */
final class DecodePlan extends ComputedPlan {
  /** Where a unit comes from in a decode; index i for d_i, k + j for P_j. */
  enum Source {
    READ,
    /** Behind the end of the file: zeros, and needs no reading. */
    ZERO,
    /** Lost, or not needed. */
    NONE
  }

  private final ErasureCode code;
  private final StripePiece piece;
  private final Source[] sources;
  private final DecodeRange hull;
  private final UnitRead[] wantBySource;
  private final List<UnitRead> wants = new ArrayList<>();

  /** Units that have been read already, and are in their places. */
  private final List<UnitRead> known = new ArrayList<>();

  /**
   * A decode.
   *
   * @param sources of each unit
   * @param atHand what has been read of the piece by a {@link DirectPlan}, to be used where it
   *     reaches far enough. Beside a writer there is none, for it has no stamps
   */
  DecodePlan(
      Layout layout,
      ErasureCode code,
      StripePiece piece,
      Source[] sources,
      List<UnitRead> atHand,
      UnitPool pool) {
    this.code = code;
    this.piece = piece;
    this.sources = sources;
    this.hull = new DecodeRange(layout, piece, pool);
    this.wantBySource = new UnitRead[sources.length];
    try {
      for (int source = 0; source < sources.length; source++) {
        if (sources[source] == Source.READ) {
          wantBySource[source] = knownOf(hull.componentOf(source), atHand);
          if (wantBySource[source] == null) {
            wantBySource[source] =
                new UnitRead(hull.componentOf(source), hull.offsetInComponent(), hull.scratch());
            wants.add(wantBySource[source]);
          } else {
            known.add(wantBySource[source]);
          }
        }
      }
    } catch (RuntimeException | Error e) {
      dispose();
      throw e;
    }
  }

  private UnitRead knownOf(int component, List<UnitRead> atHand) {
    for (UnitRead want : atHand) {
      if (want.component() == component && hull.isReadBy(want)) {
        var unused = want.sink();
        return want;
      }
    }
    return null;
  }

  @Override
  public List<UnitRead> wants() {
    return wants;
  }

  @Override
  public Outcome settle(int truncationNumber) {
    List<UnitRead> all = new ArrayList<>(wants);
    all.addAll(known);
    Outcome outcome = PiecePlan.check(all, piece, truncationNumber);
    if (outcome != Outcome.DONE) {
      return outcome;
    }
    if (isDisturbed()) {
      return Outcome.UNREST;
    }
    decode();
    return Outcome.DONE;
  }

  private void decode() {
    ByteBuffer[] units = DecodeRange.ranges(sources, wantBySource);
    ByteBuffer[] wanted = new ByteBuffer[sources.length];
    for (int unit = piece.firstUnit(); unit <= piece.lastUnit(); unit++) {
      if (units[unit] == null) {
        wanted[unit] = hull.isAllWanted(unit) ? piece.targetOf(unit) : hull.scratch();
      }
    }
    code.reconstruct(units, wanted);
    for (int unit = piece.firstUnit(); unit <= piece.lastUnit(); unit++) {
      ByteBuffer from = units[unit] == null ? wanted[unit] : units[unit];
      boolean inPlace =
          units[unit] == null ? hull.isAllWanted(unit) : known.contains(wantBySource[unit]);
      if (!inPlace) {
        hull.deliver(unit, from);
      }
    }
  }

  @Override
  public void dispose() {
    hull.dispose();
  }
}
