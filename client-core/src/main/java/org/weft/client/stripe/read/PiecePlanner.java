package org.weft.client.stripe.read;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.read.DecodePlan.Source;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;

/**
 * Chooses from which components a piece is read. Components that the map calls missing are never
 * read, nor those that failed for this piece; doubtful ones only where the others do not suffice.
 * Of components that hold the same, one at an OSD of the own host is read, unless a writer is at
 * work (P 5.8).
 */
final class PiecePlanner {
  private final StripedFile file;
  private final Layout layout;
  private final ErasureCode code;
  private final long sizeBytes;
  private final boolean beingWritten;
  private final boolean verifyParity;
  private final FailureMemory memory;
  private final StripeContext context;

  PiecePlanner(
      StripeContext context,
      StripedFile file,
      ErasureCode code,
      long sizeBytes,
      boolean beingWritten,
      boolean verifyParity,
      FailureMemory memory) {
    this.file = file;
    this.layout = file.layout();
    this.code = code;
    this.sizeBytes = sizeBytes;
    this.beingWritten = beingWritten;
    this.verifyParity = verifyParity;
    this.memory = memory;
    this.context = context;
  }

  /** A plan, or empty if more units are lost than the code can bear. */
  Optional<PiecePlan> plan(StripePiece piece) {
    if (isHealthy(piece)) {
      return healthy(piece);
    }
    IntPredicate usable =
        component -> !file.map().isMissing(component) && !piece.hasFailed(component);
    IntPredicate trusted = usable.and(component -> !memory.isDoubtful(component));
    if (verifyParity) {
      return verified(piece, trusted).or(() -> plan(piece, usable));
    }
    return plan(piece, trusted)
        .map(plan -> aroundSlow(piece, plan, trusted))
        .or(() -> plan(piece, usable));
  }

  /** A copy, or the units where they are. */
  private Optional<PiecePlan> healthy(StripePiece piece) {
    if (isSmall(piece)) {
      return copy(component -> true).map(component -> new MirrorPlan(layout, piece, component));
    }
    if (layout.dataUnits() == 1 && !isNear(layout.dataComponent(piece.stripe(), 0))) {
      // Each parity of a single unit is that unit.
      Optional<PiecePlan> near = decode(piece, this::isNear, List.of());
      if (near.isPresent()) {
        return near;
      }
    }
    return Optional.of(new DirectPlan(layout, piece));
  }

  /** Beside a writer copies may differ for a moment, and all readers look at the same one. */
  private boolean isNear(int component) {
    return !beingWritten && context.isNear(file.map().osdOf(component));
  }

  /** Nothing is known against any component. */
  private boolean isHealthy(StripePiece piece) {
    return !verifyParity
        && piece.failures().isEmpty()
        && file.map().missing().isEmpty()
        && memory.hasNoDoubts()
        && !context.hedging().avoidsAny();
  }

  /** Empty if no more is there than is needed. */
  private Optional<PiecePlan> verified(StripePiece piece, IntPredicate allowed) {
    if (isSmall(piece)) {
      List<Integer> copies = new ArrayList<>();
      for (int component = 0; component <= layout.parityUnits(); component++) {
        if (allowed.test(component)) {
          copies.add(component);
        }
      }
      return copies.size() < 2
          ? Optional.empty()
          : Optional.of(new VerifiedCopies(layout, piece, copies));
    }
    Source[] sources = sources(piece, allowed, layout.parityUnits());
    long more =
        Arrays.stream(sources).filter(source -> source != Source.NONE).count() - layout.dataUnits();
    return more < 1
        ? Optional.empty()
        : Optional.of(new VerifiedPlan(layout, code, piece, sources, context.pool()));
  }

  /** An OSD that was late again and again is not even asked where that costs little more. */
  private PiecePlan aroundSlow(StripePiece piece, PiecePlan plan, IntPredicate trusted) {
    IntPredicate avoided = component -> context.hedging().isAvoided(file.map().osdOf(component));
    if (beingWritten || plan.wants().stream().noneMatch(want -> avoided.test(want.component()))) {
      return plan;
    }
    Optional<PiecePlan> other = plan(piece, trusted.and(avoided.negate()));
    if (other.isEmpty()) {
      return plan;
    }
    int requests = other.get().wants().size() - plan.wants().size();
    long more = PiecePlan.bytes(other.get().wants()) - PiecePlan.bytes(plan.wants());
    boolean isCheap = more <= 0 || context.hedging().goAround(Math.max(0, requests), more);
    (isCheap ? plan : other.get()).dispose();
    return isCheap ? other.get() : plan;
  }

  /**
   * Another way to a piece, without components that are late; empty if there is none. Nothing of it
   * is written to the target before it is settled.
   *
   * @param plan the way that waits for them; what has come of it is used, but beside a writer
   * @param hasCome wants of the plan that are filled
   */
  Optional<PiecePlan> around(
      StripePiece piece, PiecePlan plan, IntPredicate isLate, Predicate<UnitRead> hasCome) {
    if (verifyParity) {
      return Optional.empty();
    }
    IntPredicate allowed =
        component ->
            !file.map().isMissing(component)
                && !piece.hasFailed(component)
                && !memory.isDoubtful(component)
                && !isLate.test(component);
    if (isSmall(piece)) {
      return copy(allowed).map(component -> MirrorPlan.aside(layout, piece, component));
    }
    List<UnitRead> atHand = new ArrayList<>();
    if (plan instanceof DirectPlan && !beingWritten) {
      plan.wants().stream().filter(hasCome).forEach(atHand::add);
    }
    return decode(piece, allowed, atHand);
  }

  private boolean isSmall(StripePiece piece) {
    return layout.isSmall(sizeBytes) && layout.dataUnits() > 1 && !piece.hasGrown();
  }

  private Optional<PiecePlan> plan(StripePiece piece, IntPredicate allowed) {
    if (isSmall(piece)) {
      return copy(allowed).map(component -> new MirrorPlan(layout, piece, component));
    }
    for (int unit = piece.firstUnit(); unit <= piece.lastUnit(); unit++) {
      if (!allowed.test(layout.dataComponent(piece.stripe(), unit))) {
        return decode(piece, allowed, List.of());
      }
    }
    return Optional.of(new DirectPlan(layout, piece));
  }

  /** Of the components that hold all of a small file one that is near, else the first. */
  private Optional<Integer> copy(IntPredicate allowed) {
    Optional<Integer> first = Optional.empty();
    for (int component = 0; component <= layout.parityUnits(); component++) {
      if (allowed.test(component)) {
        if (isNear(component)) {
          return Optional.of(component);
        }
        first = first.isPresent() ? first : Optional.of(component);
      }
    }
    return first;
  }

  private Optional<PiecePlan> decode(
      StripePiece piece, IntPredicate allowed, List<UnitRead> atHand) {
    Source[] sources = sources(piece, allowed, 0);
    long there = Arrays.stream(sources).filter(source -> source != Source.NONE).count();
    return there < layout.dataUnits()
        ? Optional.empty()
        : Optional.of(new DecodePlan(layout, code, piece, sources, atHand, context.pool()));
  }

  /** All data units, and of the parities as many as are needed and some more. */
  private Source[] sources(StripePiece piece, IntPredicate allowed, int moreParities) {
    Source[] sources = new Source[layout.width()];
    Arrays.fill(sources, Source.NONE);
    int parities = moreParities;
    for (int unit = 0; unit < layout.dataUnits(); unit++) {
      if (isBehindEnd(piece, unit)) {
        sources[unit] = Source.ZERO;
      } else if (allowed.test(layout.dataComponent(piece.stripe(), unit))) {
        sources[unit] = Source.READ;
      } else {
        parities++;
      }
    }
    parities -= takeParities(piece, allowed.and(this::isNear), parities, sources);
    takeParities(piece, allowed, parities, sources);
    return sources;
  }

  /** At most so many of those that are not taken yet; how many that are. */
  private int takeParities(StripePiece piece, IntPredicate allowed, int most, Source[] sources) {
    int taken = 0;
    for (int parity = 0; parity < layout.parityUnits() && taken < most; parity++) {
      int unit = layout.dataUnits() + parity;
      if (sources[unit] == Source.NONE
          && allowed.test(layout.parityComponent(piece.stripe(), parity))) {
        sources[unit] = Source.READ;
        taken++;
      }
    }
    return taken;
  }

  /** Bytes behind the end are zero and in the parity equation (P 4.3), where the end is known. */
  private boolean isBehindEnd(StripePiece piece, int unit) {
    return !beingWritten
        && !piece.hasGrown()
        && piece.stripe() * layout.stripeBytes() + (long) unit * layout.unitBytes() >= sizeBytes;
  }

  /**
   * Why there is no plan, and what to do about it. The cause is NO_SUCH_OBJECT if a component
   * answered so: the whole file may have been removed.
   */
  WeftException tooManyLost(StripePiece piece) {
    StringBuilder lost = new StringBuilder();
    WeftException removed = null;
    int first = layout.groupOf(piece.stripe()) * layout.width();
    int count = 0;
    for (int component = first; component < first + layout.width(); component++) {
      WeftException cause = piece.failures().get(component);
      if (cause != null || file.map().isMissing(component)) {
        count++;
        removed = cause != null && cause.code() == ErrorCode.NO_SUCH_OBJECT ? cause : removed;
        lost.append(count > 1 ? "; " : "")
            .append(file.describe(component))
            .append(": ")
            .append(cause == null ? "marked missing" : cause.getMessage());
      }
    }
    String message =
        "cannot read %s: %d components of stripe %d are lost, more than its parity units (%d): %s."
                .formatted(file.name(), count, piece.stripe(), layout.parityUnits(), lost)
            + " Start these OSDs again; weft status shows their state";
    return new WeftException(ErrorCode.TOO_MANY_LOST, message, removed);
  }
}
