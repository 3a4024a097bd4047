package org.weft.client.stripe.read;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.retry.Backoff;
import org.weft.protocol.rpc.OwnLimits;

/**
 * Reads a few stripes in rounds. A round plans every piece that is not there yet, reads all that
 * the plans want, neighbours in one request, and lets the plans settle. What fails is planned
 * around in the next round; what may pass is tried again after a pause, until the deadline.
 */
final class SliceRead {
  /** A writer that flushes all the time leaves moments of rest between. */
  private static final Backoff RESTS =
      Backoff.spread(TimeUnit.MILLISECONDS.toNanos(2), TimeUnit.MILLISECONDS.toNanos(50));

  private final StripeContext context;
  private final StripedFile file;
  private final PiecePlanner planner;
  private final FailureMemory memory;
  private final boolean beingWritten;
  private final boolean mayUseEventLoop;
  private final int truncationNumber;
  private final ReadTarget target;
  private final Backoff.Delays delays;
  private final Backoff.Delays restDelays;
  private final long deadlineNanos;
  private final Consumer<Throwable> ended;
  private final AtomicBoolean hasEnded = new AtomicBoolean();

  // Touched by one round at a time; rounds follow each other.
  private List<StripePiece> open;
  private List<PiecePlan> plans = List.of();

  /**
   * A read.
   *
   * @param ended runs once, with the failure or null, when no thread writes to the target any more.
   *     It runs on the engine's executor. Where that is allowed and little is read or nothing is
   *     copied, it may run on an event loop
   */
  SliceRead(
      StripeContext context,
      StripedFile file,
      PiecePlanner planner,
      FailureMemory memory,
      boolean beingWritten,
      boolean mayUseEventLoop,
      int truncationNumber,
      ReadTarget target,
      List<StripePiece> pieces,
      Consumer<Throwable> ended) {
    this.context = context;
    this.file = file;
    this.planner = planner;
    this.memory = memory;
    this.beingWritten = beingWritten;
    this.mayUseEventLoop = mayUseEventLoop;
    this.truncationNumber = truncationNumber;
    this.target = target;
    this.delays = StripeContext.RETRIES.begin(context.random());
    this.restDelays = RESTS.begin(context.random());
    this.deadlineNanos =
        context.ticker().nowNanos()
            + TimeUnit.MILLISECONDS.toNanos(context.options().readDeadlineMillis());
    this.open = pieces;
    this.ended = ended;
  }

  /** Never throws. */
  void start() {
    guarded(this::round);
  }

  /** A broken invariant, or want of memory, ends this read, not the others. */
  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      end(WeftException.of(e));
    }
  }

  private void round() {
    List<PiecePlan> planned = new ArrayList<>(open.size());
    plans = planned;
    for (StripePiece piece : open) {
      Optional<PiecePlan> plan = planner.plan(piece);
      if (plan.isEmpty()) {
        disposePlans();
        tryLater(planner.tooManyLost(piece));
        return;
      }
      planned.add(plan.get());
    }
    new ReadRound(
            context,
            file,
            planner,
            beingWritten,
            mayUseEventLoop,
            target,
            open,
            planned,
            fenced -> guarded(() -> fetched(fenced)))
        .start();
  }

  /**
   * @param fenced that the right to read has ended, if a component has said so; else null
   */
  private void fetched(WeftException fenced) {
    if (fenced != null) {
      end(fenced);
      return;
    }
    if (!beingWritten) {
      settle();
      return;
    }
    List<ComputedPlan> looks = new ArrayList<>();
    for (PiecePlan plan : plans) {
      if (plan instanceof ComputedPlan computed && !computed.isLooked()) {
        looks.add(computed);
      }
    }
    new StampCheck(context, file).all(looks, () -> guarded(this::settle));
  }

  private void settle() {
    // What failed for this reason is no component's failure.
    if (!target.enter()) {
      end(takenBack());
      return;
    }
    List<PiecePlan.Outcome> outcomes;
    try {
      outcomes = settlePlans();
    } finally {
      target.leave();
    }
    List<StripePiece> again = new ArrayList<>();
    boolean unrest = false;
    for (int i = 0; i < outcomes.size(); i++) {
      PiecePlan.Outcome outcome = outcomes.get(i);
      if (outcome == PiecePlan.Outcome.CUT) {
        end(cut());
        return;
      }
      if (outcome == PiecePlan.Outcome.WRONG) {
        end(contradiction(open.get(i)));
        return;
      }
      if (outcome != PiecePlan.Outcome.DONE) {
        again.add(open.get(i));
      }
      unrest |= outcome == PiecePlan.Outcome.UNREST;
    }
    disposePlans();
    open = again;
    if (again.isEmpty()) {
      end(null);
      return;
    }
    Optional<WeftException> ended =
        open.stream().flatMap(piece -> piece.endOfGrant().stream()).findFirst();
    if (ended.isPresent()) {
      // Of no component's making, and no other one would help.
      end(ended.get());
      return;
    }
    Optional<WeftException> ownLimit = forgiveOwnLimits();
    open.forEach(piece -> piece.failures().forEach(memory::failed));
    if (ownLimit.isPresent()) {
      // Another component would need as much; what others give back may do.
      pause(delays, outOfOwn(ownLimit.get()));
    } else if (unrest) {
      pause(
          restDelays,
          new WeftException(
              ErrorCode.BUSY,
              "a part of %s that must be decoded is being written without rest; read it later"
                  .formatted(file.name())));
    } else {
      round();
    }
  }

  /** Up to the first that says that no other counts. */
  private List<PiecePlan.Outcome> settlePlans() {
    List<PiecePlan.Outcome> outcomes = new ArrayList<>(plans.size());
    for (PiecePlan plan : plans) {
      PiecePlan.Outcome outcome = plan.settle(truncationNumber);
      outcomes.add(outcome);
      if (outcome == PiecePlan.Outcome.CUT || outcome == PiecePlan.Outcome.WRONG) {
        break;
      }
    }
    return outcomes;
  }

  private WeftException takenBack() {
    return new WeftException(
        ErrorCode.CANCELLED, "the reader of %s has taken its buffer back".formatted(file.name()));
  }

  private Optional<WeftException> forgiveOwnLimits() {
    Optional<WeftException> found = Optional.empty();
    for (StripePiece piece : open) {
      Optional<WeftException> own = piece.forgiveOwnLimits();
      found = found.or(() -> own);
    }
    return found;
  }

  private WeftException outOfOwn(WeftException failure) {
    return new WeftException(
        failure.code(),
        "cannot read %s: %s".formatted(file.name(), OwnLimits.inWords(failure)),
        failure);
  }

  private WeftException contradiction(StripePiece piece) {
    return new WeftException(
        ErrorCode.BAD_CHECKSUM,
        ("the parity of stripe %d of %s does not belong to its data, though every checksum is"
                + " right, and nothing tells which unit is wrong: take the file from another source,"
                + " or open it without verifying parity to read its data units as they are")
            .formatted(piece.stripe(), file.name()));
  }

  private WeftException cut() {
    return new WeftException(
        ErrorCode.GRANT_REVOKED,
        "%s has been truncated since it was opened; open it again".formatted(file.name()));
  }

  /** Gives failures that may pass another chance, if there are any. */
  private void tryLater(WeftException otherwise) {
    boolean hope = false;
    for (StripePiece piece : open) {
      hope |= piece.forgivePassing();
    }
    if (hope) {
      pause(delays, otherwise);
    } else {
      end(otherwise);
    }
  }

  private void pause(Backoff.Delays pauses, WeftException ifTooLate) {
    long delayNanos = pauses.nextNanos();
    if (context.ticker().nowNanos() + delayNanos - deadlineNanos >= 0) {
      end(ifTooLate);
    } else {
      context.pause(delayNanos, () -> guarded(this::round), this::end);
    }
  }

  private void disposePlans() {
    for (PiecePlan plan : plans) {
      plan.dispose();
    }
    plans = List.of();
  }

  private void end(WeftException failure) {
    disposePlans();
    if (hasEnded.compareAndSet(false, true)) {
      ended.accept(failure);
    }
  }
}
