package org.weft.client.stripe.read;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.base.UnitPool;
import org.weft.client.stripe.read.DecodePlan.Source;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;

/**
 * Reads the same range of all units that are there, more than are needed, and delivers only what
 * they agree on ({@code verifyParity}, DESIGN 5). So it finds bytes with good checksums that still
 * do not belong to their stripe. Where enough units are left to say which one is wrong, that one is
 * a lost unit; else nothing is delivered.
 */
final class VerifiedPlan extends ComputedPlan {
  private final Layout layout;
  private final ErasureCode code;
  private final StripePiece piece;
  private final Source[] sources;
  private final DecodeRange hull;
  private final UnitRead[] wantBySource;
  private final List<UnitRead> wants = new ArrayList<>();

  /**
   * A plan.
   *
   * @param sources more than k of them to be read or zero
   */
  VerifiedPlan(
      Layout layout, ErasureCode code, StripePiece piece, Source[] sources, UnitPool pool) {
    this.layout = layout;
    this.code = code;
    this.piece = piece;
    this.sources = sources;
    this.hull = new DecodeRange(layout, piece, pool);
    this.wantBySource = new UnitRead[sources.length];
    try {
      for (int source = 0; source < sources.length; source++) {
        if (sources[source] == Source.READ) {
          wantBySource[source] =
              new UnitRead(hull.componentOf(source), hull.offsetInComponent(), hull.scratch());
          wants.add(wantBySource[source]);
        }
      }
    } catch (RuntimeException | Error e) {
      dispose();
      throw e;
    }
  }

  @Override
  public List<UnitRead> wants() {
    return wants;
  }

  @Override
  public Outcome settle(int truncationNumber) {
    Outcome outcome = PiecePlan.check(wants, piece, truncationNumber);
    if (outcome != Outcome.DONE) {
      return outcome;
    }
    if (isDisturbed()) {
      return Outcome.UNREST;
    }
    ByteBuffer[] units = DecodeRange.ranges(sources, wantBySource);
    if (agree(units)) {
      for (int unit = piece.firstUnit(); unit <= piece.lastUnit(); unit++) {
        hull.deliver(unit, units[unit]);
      }
      return Outcome.DONE;
    }
    int wrong = onlyWrongOne();
    if (wrong < 0) {
      return Outcome.WRONG;
    }
    piece.fail(
        hull.componentOf(wrong),
        new WeftException(
            ErrorCode.BAD_CHECKSUM,
            "the unit of component %d does not belong to stripe %d, by all others"
                .formatted(hull.componentOf(wrong), piece.stripe())));
    return Outcome.FAILED;
  }

  /**
   * True if all units at hand belong to one stripe; then the data units that were not at hand have
   * been filled in. Some parity more than data units are lacking must be at hand.
   */
  private boolean agree(ByteBuffer[] units) {
    ByteBuffer[] lacking = new ByteBuffer[units.length];
    boolean isLacking = false;
    for (int unit = 0; unit < layout.dataUnits(); unit++) {
      if (units[unit] == null) {
        lacking[unit] = hull.scratch();
        isLacking = true;
      }
    }
    if (isLacking) {
      code.reconstruct(units, lacking);
    }
    ByteBuffer[] data = new ByteBuffer[layout.dataUnits()];
    for (int unit = 0; unit < data.length; unit++) {
      units[unit] = units[unit] == null ? lacking[unit] : units[unit];
      data[unit] = units[unit];
    }
    ByteBuffer[] parity = new ByteBuffer[layout.parityUnits()];
    System.arraycopy(units, data.length, parity, 0, parity.length);
    return code.wrongParities(data, parity) == 0;
  }

  /** The only unit without which the others agree; -1 if there is none, or it cannot be told. */
  private int onlyWrongOne() {
    int lackingData = 0;
    int parities = 0;
    for (int source = 0; source < sources.length; source++) {
      boolean isData = source < layout.dataUnits();
      lackingData += isData && sources[source] == Source.NONE ? 1 : 0;
      parities += !isData && sources[source] == Source.READ ? 1 : 0;
    }
    if (parities < lackingData + 2) {
      return -1;
    }
    int wrong = -1;
    for (int source = 0; source < sources.length; source++) {
      if (sources[source] == Source.READ) {
        ByteBuffer[] others = DecodeRange.ranges(sources, wantBySource);
        others[source] = null;
        if (agree(others)) {
          if (wrong >= 0) {
            return -1;
          }
          wrong = source;
        }
      }
    }
    return wrong;
  }

  @Override
  public void dispose() {
    hull.dispose();
  }
}
