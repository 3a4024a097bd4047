package org.weft.client.stripe;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.weft.client.raid.ErasureCode;
import org.weft.protocol.layout.Layout;

/**
 * Reads the same range of k units that are there and computes the wanted ones that are not. The
 * range is the hull of what is wanted of any unit, in whole blocks.
 */
final class DecodePlan implements ComputedPlan {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  /** Where a unit comes from in a decode; index i for d_i, k + j for P_j. */
  enum Source {
    READ,
    /** Behind the end of the file: zeros, and needs no reading. */
    ZERO,
    /** Lost, or not needed. */
    NONE
  }

  private final Layout layout;
  private final ErasureCode code;
  private final StripePiece piece;
  private final UnitPool pool;
  private final Source[] sources;
  private final int hullStart;
  private final int hullEnd;
  private final UnitWant[] wantBySource;
  private final List<UnitWant> wants = new ArrayList<>();

  /** Units that have been read already, into their places. */
  private final List<UnitWant> known = new ArrayList<>();

  private final List<ByteBuffer> taken = new ArrayList<>();
  private boolean unrest;
  private boolean looked;

  /**
   * A decode.
   *
   * @param sources of each unit
   * @param atHand what has been read of the piece by a {@link DirectPlan}, to be used where it
   *     reaches far enough; none beside a writer, for it has no stamps
   */
  DecodePlan(
      Layout layout,
      ErasureCode code,
      StripePiece piece,
      Source[] sources,
      List<UnitWant> atHand,
      UnitPool pool) {
    this.layout = layout;
    this.code = code;
    this.piece = piece;
    this.sources = sources;
    this.pool = pool;
    int start = layout.unitBytes();
    int end = 0;
    for (int unit = piece.firstUnit(); unit <= piece.lastUnit(); unit++) {
      start = Math.min(start, piece.startIn(unit));
      end = Math.max(end, piece.endIn(unit));
    }
    int block = BlockChecksums.BLOCK_BYTES;
    this.hullStart = start / block * block;
    this.hullEnd = (end + block - 1) / block * block;
    this.wantBySource = new UnitWant[sources.length];
    try {
      for (int source = 0; source < sources.length; source++) {
        if (sources[source] == Source.READ) {
          wantBySource[source] = knownOf(component(source), atHand);
          if (wantBySource[source] == null) {
            wantBySource[source] = new UnitWant(component(source), offsetBytes(), scratch());
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

  private UnitWant knownOf(int component, List<UnitWant> atHand) {
    for (UnitWant want : atHand) {
      if (want.component() == component
          && want.offsetBytes() == offsetBytes()
          && want.lengthBytes() == hullEnd - hullStart) {
        return want;
      }
    }
    return null;
  }

  private int component(int source) {
    return source < layout.dataUnits()
        ? layout.dataComponent(piece.stripe(), source)
        : layout.parityComponent(piece.stripe(), source - layout.dataUnits());
  }

  private long offsetBytes() {
    return layout.componentOffsetBytes(piece.stripe()) + hullStart;
  }

  private ByteBuffer scratch() {
    ByteBuffer unit = pool.take(layout.unitBytes());
    pool.reserve(layout.unitBytes());
    taken.add(unit);
    return unit.slice(0, hullEnd - hullStart);
  }

  @Override
  public List<UnitWant> wants() {
    return wants;
  }

  @Override
  public void disturb() {
    unrest = true;
  }

  @Override
  public void markLooked() {
    looked = true;
  }

  @Override
  public boolean isLooked() {
    return looked;
  }

  @Override
  public boolean isDisturbed() {
    return unrest;
  }

  @Override
  public Outcome settle(int truncationNumber) {
    List<UnitWant> all = new ArrayList<>(wants);
    all.addAll(known);
    Outcome outcome = PiecePlan.check(all, piece, truncationNumber);
    if (outcome != Outcome.DONE) {
      return outcome;
    }
    if (unrest) {
      return Outcome.UNREST;
    }
    decode();
    return Outcome.DONE;
  }

  private void decode() {
    ByteBuffer[] units = new ByteBuffer[sources.length];
    ByteBuffer[] wanted = new ByteBuffer[sources.length];
    for (int source = 0; source < sources.length; source++) {
      units[source] =
          switch (sources[source]) {
            case READ -> wantBySource[source].sink();
            case ZERO -> NOTHING;
            case NONE -> null;
          };
    }
    for (int unit = piece.firstUnit(); unit <= piece.lastUnit(); unit++) {
      if (units[unit] == null) {
        wanted[unit] = isWholeHull(unit) ? piece.targetOf(unit) : scratch();
      }
    }
    code.reconstruct(units, wanted);
    for (int unit = piece.firstUnit(); unit <= piece.lastUnit(); unit++) {
      ByteBuffer from = units[unit] == null ? wanted[unit] : units[unit];
      boolean inPlace =
          units[unit] == null ? isWholeHull(unit) : known.contains(wantBySource[unit]);
      if (!inPlace) {
        copy(unit, from);
      }
    }
  }

  private boolean isWholeHull(int unit) {
    return piece.startIn(unit) == hullStart && piece.endIn(unit) == hullEnd;
  }

  private void copy(int unit, ByteBuffer from) {
    ByteBuffer target = piece.targetOf(unit);
    if (from == NOTHING) {
      Zeros.fill(target, 0, target.capacity());
    } else {
      target.put(0, from, piece.startIn(unit) - hullStart, target.capacity());
    }
  }

  @Override
  public void dispose() {
    for (ByteBuffer unit : taken) {
      pool.give(unit);
      pool.unreserve(layout.unitBytes());
    }
    taken.clear();
  }
}
