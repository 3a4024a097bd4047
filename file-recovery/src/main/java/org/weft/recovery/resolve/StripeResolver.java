package org.weft.recovery.resolve;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.weft.client.stripe.base.FileComponents;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.recovery.plan.ComponentState;
import org.weft.recovery.plan.KnownFile;
import org.weft.recovery.plan.PendingId;
import org.weft.recovery.plan.ResolvePlan;

/**
 * Makes all components of a file agree on what its writers left pending (P 5.5), and says how long
 * the file is. For managers, after the versions of all components were raised above the writers'
 * grants: until then something new may come at any moment.
 *
 * <p>Every component that the map calls present must answer, or nothing is decided. Each step may
 * be repeated, by any manager, also after other components were marked missing: a resolve that
 * ended half way has done no harm. One resolve of one file at a time. Futures complete on the
 * engine's executor and fail with a {@link WeftException}.
 */
public final class StripeResolver {
  /** Three are enough, unless a client still writes. */
  private static final int MAX_ROUNDS = 6;

  private final StripeContext context;
  private final StripedFile file;
  private final ResolveTask task;
  private final ResolveCalls calls;
  // Writes that cannot be carried on from what is left of the others.
  private final SortedSet<PendingId> unreadable = new TreeSet<>();
  private int decided;
  private int undone;

  public StripeResolver(StripeContext context, StripedFile file, ResolveTask task) {
    this.context = context;
    this.file = file;
    this.task = task;
    this.calls = new ResolveCalls(context, file);
  }

  /** Decides everything, once. */
  public CompletableFuture<ResolveOutcome> resolve() {
    return round(MAX_ROUNDS).exceptionallyCompose(StripeResolver::lost);
  }

  private static Throwable causeOf(Throwable thrown) {
    Throwable cause = thrown;
    while (cause.getCause() != null
        && (cause instanceof CompletionException || cause instanceof ExecutionException)) {
      cause = cause.getCause();
    }
    return cause;
  }

  private static CompletableFuture<ResolveOutcome> lost(Throwable thrown) {
    Throwable cause = causeOf(thrown);
    if (cause instanceof ComponentLost lost) {
      SortedMap<Integer, String> one = new TreeMap<>();
      one.put(lost.component(), lost.getMessage());
      return CompletableFuture.completedFuture(ResolveOutcome.lost(one));
    }
    return CompletableFuture.failedFuture(WeftException.of(thrown));
  }

  private CompletableFuture<ResolveOutcome> round(int roundsLeft) {
    if (roundsLeft == 0) {
      return CompletableFuture.failedFuture(
          new WeftException(
              ErrorCode.UNAVAILABLE,
              file.name() + " is still written by the client that it was taken from"));
    }
    return PendingLists.gather(calls, file, task)
        .thenCompose(
            known -> {
              ResolvePlan plan = ResolvePlan.of(known, task.asItIs(), unreadable);
              if (!plan.lost().isEmpty()) {
                return CompletableFuture.completedFuture(gone(plan));
              }
              if (plan.completeUpTo().isEmpty() && plan.decisions().isEmpty()) {
                return settle(known, plan, roundsLeft);
              }
              PlanSteps steps = new PlanSteps(context, file, task, calls, known, plan);
              return steps
                  .carryOut()
                  .thenCompose(nothing -> next(steps, roundsLeft))
                  .exceptionallyCompose(thrown -> withoutUnreadable(thrown, roundsLeft));
            });
  }

  /** A grant that was put off has its turn beyond the count: each time another one has ended. */
  private CompletableFuture<ResolveOutcome> next(PlanSteps steps, int roundsLeft) {
    decided += steps.decided();
    undone += steps.undone();
    return round(steps.isPutOff() ? roundsLeft : roundsLeft - 1);
  }

  /**
   * Decides again, knowing of one write more that it cannot be carried on; of each this is once.
   */
  private CompletableFuture<ResolveOutcome> withoutUnreadable(Throwable thrown, int roundsLeft) {
    return causeOf(thrown) instanceof WriteUnreadable write && unreadable.add(write.id())
        ? round(roundsLeft)
        : CompletableFuture.failedFuture(thrown);
  }

  private ResolveOutcome gone(ResolvePlan plan) {
    SortedMap<Integer, String> lost = new TreeMap<>();
    for (int component : plan.lost()) {
      lost.put(
          component,
          file.describe(component)
              + (plan.hopeless().contains(component)
                  ? " lacks a write that cannot be computed from what is left of the others"
                  : " is not there any more"));
    }
    return ResolveOutcome.lost(lost);
  }

  /** Nothing is pending any more: makes what a file of its length has, and the writer had not. */
  private CompletableFuture<ResolveOutcome> settle(
      KnownFile known, ResolvePlan plan, int roundsLeft) {
    long eofBytes = known.eofBytes();
    int truncation = known.truncationNumber();
    List<CompletableFuture<?>> cut = cutAgain(known, plan);
    if (!cut.isEmpty()) {
      return CompletableFuture.allOf(cut.toArray(CompletableFuture<?>[]::new))
          .thenCompose(nothing -> round(roundsLeft - 1));
    }
    List<CompletableFuture<?>> made = new ArrayList<>();
    for (int component = 0; component < file.layout().componentCount(); component++) {
      ComponentState state = known.states().get(component);
      boolean wanted =
          !task.trimming() && plan.isTrusted(component) && known.mustExist(component, eofBytes);
      if (wanted && state == null) {
        made.add(calls.make(component, task, eofBytes, truncation));
      } else if (wanted && state.isBlank()) {
        made.add(calls.tell(component, task, eofBytes, truncation));
      }
    }
    return made.isEmpty()
        ? repair(known, plan)
            .thenCompose(rows -> completeDamaged(known, plan).thenApply(nothing -> rows))
            .thenApply(rows -> ended(eofBytes, plan, rows))
        : CompletableFuture.allOf(made.toArray(CompletableFuture<?>[]::new))
            .thenCompose(nothing -> round(roundsLeft - 1));
  }

  /**
   * A component that lost its power may have forgotten a cut that others know of. What it holds
   * behind the end is no part of the file, and is to count in no parity. A small file's parities
   * are read as copies of its one unit (P 4.2, 4.3).
   */
  private List<CompletableFuture<?>> cutAgain(KnownFile known, ResolvePlan plan) {
    List<CompletableFuture<?>> cut = new ArrayList<>();
    if (task.suspects().isEmpty()) {
      return cut;
    }
    int truncation = known.cutsMade(task.trimming());
    long eofBytes = known.eofBytes(truncation);
    known
        .states()
        .forEach(
            (component, state) -> {
              boolean isBehind = state.truncationNumber() < truncation && !state.isBlank();
              if (isBehind && !plan.isOut(component)) {
                long end = FileComponents.endOf(file.layout(), eofBytes, component);
                cut.add(calls.cut(component, task, end, eofBytes, truncation));
              }
            });
    return cut;
  }

  /** First what fell back is settled, so that nothing of it that others know is lost. */
  private CompletableFuture<DoubtfulRows> repair(KnownFile known, ResolvePlan plan) {
    DoubtfulRows rows = new DoubtfulRows(context, file, task, calls, known, plan);
    ParityRepair parities = new ParityRepair(context, file, task, calls, known);
    CompletableFuture<Void> done =
        rows.settle().thenCompose(nothing -> parities.repair(plan.doubtfulGroups()));
    return done.thenCompose(nothing -> settle(rows, parities))
        .thenCompose(nothing -> rows.forget())
        .thenApply(nothing -> rows);
  }

  private static CompletableFuture<Void> settle(DoubtfulRows rows, ParityRepair parities) {
    CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
    for (var left : parities.left().entrySet()) {
      done = done.thenCompose(nothing -> rows.settle(left.getKey(), left.getValue()));
    }
    return done;
  }

  /**
   * Their parities are of what they have, or lost: from now on they are in the same state as the
   * others.
   */
  private CompletableFuture<Void> completeDamaged(KnownFile known, ResolvePlan plan) {
    List<CompletableFuture<?>> told = new ArrayList<>();
    for (int component : plan.damaged()) {
      SortedMap<Long, Long> upTo = new TreeMap<>(Long::compareUnsigned);
      known
          .states()
          .get(component)
          .records()
          .forEach(each -> upTo.merge(each.id().grant(), each.id().lastSeq(), Math::max));
      upTo.forEach((grant, last) -> told.add(calls.complete(component, grant, last)));
    }
    return CompletableFuture.allOf(told.toArray(CompletableFuture<?>[]::new));
  }

  private ResolveOutcome ended(long eofBytes, ResolvePlan plan, DoubtfulRows rows) {
    SortedMap<Integer, String> gone = new TreeMap<>();
    plan.gone().forEach(each -> gone.put(each, file.describe(each) + " has nothing of it"));
    plan.leftOut()
        .forEach(each -> gone.put(each, file.describe(each) + " may lack what it took last"));
    SortedMap<Integer, String> damaged = new TreeMap<>();
    plan.damaged()
        .forEach(each -> damaged.put(each, file.describe(each) + " may lack what it took last"));
    rows.older()
        .forEach(
            each -> damaged.put(each, file.describe(each) + " has older bytes than it should"));
    rows.lostBlocks()
        .forEach(
            (each, count) ->
                damaged.put(
                    each,
                    "%d blocks of parity on %s belong to nothing that is left, and are lost"
                        .formatted(count, file.describe(each))));
    return new ResolveOutcome(eofBytes, decided, undone, new TreeMap<>(), gone, damaged);
  }
}
