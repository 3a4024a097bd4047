package org.weft.client.stripe;

import java.util.Arrays;
import java.util.Optional;
import java.util.function.IntPredicate;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.DecodePlan.Source;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * Chooses from which components a piece is read. Components that the map calls missing are never
 * read, nor those that failed for this piece; doubtful ones only where the others do not suffice.
 */
final class PiecePlanner {
  private final StripedFile file;
  private final Layout layout;
  private final ErasureCode code;
  private final long sizeBytes;
  private final boolean beingWritten;
  private final FailureMemory memory;
  private final UnitPool pool;

  PiecePlanner(
      StripedFile file,
      ErasureCode code,
      long sizeBytes,
      boolean beingWritten,
      FailureMemory memory,
      UnitPool pool) {
    this.file = file;
    this.layout = file.layout();
    this.code = code;
    this.sizeBytes = sizeBytes;
    this.beingWritten = beingWritten;
    this.memory = memory;
    this.pool = pool;
  }

  /** A plan, or empty if more units are lost than the code can bear. */
  Optional<PiecePlan> plan(StripePiece piece) {
    IntPredicate usable =
        component -> !file.map().isMissing(component) && !piece.hasFailed(component);
    IntPredicate trusted = usable.and(component -> !memory.isDoubtful(component));
    return plan(piece, trusted).or(() -> plan(piece, usable));
  }

  private Optional<PiecePlan> plan(StripePiece piece, IntPredicate allowed) {
    if (layout.isSmall(sizeBytes) && layout.dataUnits() > 1 && !piece.hasGrown()) {
      return mirror(piece, allowed);
    }
    for (int unit = piece.firstUnit(); unit <= piece.lastUnit(); unit++) {
      if (!allowed.test(layout.dataComponent(piece.stripe(), unit))) {
        return decode(piece, allowed);
      }
    }
    return Optional.of(new DirectPlan(layout, piece));
  }

  private Optional<PiecePlan> mirror(StripePiece piece, IntPredicate allowed) {
    for (int component = 0; component <= layout.parityUnits(); component++) {
      if (allowed.test(component)) {
        return Optional.of(new MirrorPlan(layout, piece, component));
      }
    }
    return Optional.empty();
  }

  private Optional<PiecePlan> decode(StripePiece piece, IntPredicate allowed) {
    Source[] sources = new Source[layout.width()];
    Arrays.fill(sources, Source.NONE);
    int lost = 0;
    for (int unit = 0; unit < layout.dataUnits(); unit++) {
      if (isBehindEnd(piece, unit)) {
        sources[unit] = Source.ZERO;
      } else if (allowed.test(layout.dataComponent(piece.stripe(), unit))) {
        sources[unit] = Source.READ;
      } else {
        lost++;
      }
    }
    for (int parity = 0; parity < layout.parityUnits() && lost > 0; parity++) {
      if (allowed.test(layout.parityComponent(piece.stripe(), parity))) {
        sources[layout.dataUnits() + parity] = Source.READ;
        lost--;
      }
    }
    return lost > 0
        ? Optional.empty()
        : Optional.of(new DecodePlan(layout, code, piece, sources, pool));
  }

  /** Bytes behind the end are zero and in the parity equation (P 4.3), where the end is known. */
  private boolean isBehindEnd(StripePiece piece, int unit) {
    return !beingWritten
        && !piece.hasGrown()
        && piece.stripe() * layout.stripeBytes() + (long) unit * layout.unitBytes() >= sizeBytes;
  }

  /** Why there is no plan, and what to do about it. */
  RpcException tooManyLost(StripePiece piece) {
    StringBuilder lost = new StringBuilder();
    int first = layout.groupOf(piece.stripe()) * layout.width();
    int count = 0;
    for (int component = first; component < first + layout.width(); component++) {
      RpcException cause = piece.failures().get(component);
      if (cause != null || file.map().isMissing(component)) {
        count++;
        lost.append(count > 1 ? "; " : "")
            .append(file.describe(component))
            .append(": ")
            .append(cause == null ? "marked missing" : cause.getMessage());
      }
    }
    String message =
        "cannot read %s: %d components of stripe %d are lost and its code bears the loss of %d (%s)."
                .formatted(file.name(), count, piece.stripe(), layout.parityUnits(), lost)
            + " Start these OSDs again; weft status shows their state";
    return new RpcException(ErrorCode.TOO_MANY_LOST, message);
  }
}
