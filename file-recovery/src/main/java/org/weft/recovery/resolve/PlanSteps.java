package org.weft.recovery.resolve;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.recovery.plan.KnownFile;
import org.weft.recovery.plan.ResolvePlan;
import org.weft.recovery.plan.WriteDecision;

/**
 * Carries out what a plan decides: one grant after another, and of each grant one write after
 * another. Then it tells all components what of it is complete.
 *
 * <p>Writers of a shared file write one after the other, and not in the order of their grants. What
 * is to be done under one grant may meet a record of another. That one is complete, or will be once
 * the other's turn has come. It is refused as BUSY then. Such a grant is put off, the others have
 * their turns, and the next plan finds the way free.
 */
final class PlanSteps {
  private final StripeContext context;
  private final StripedFile file;
  private final ResolveTask task;
  private final ResolveCalls calls;
  private final KnownFile known;
  private final ResolvePlan plan;
  private int decided;
  private int undone;
  private boolean advanced;
  private WeftException busy;

  PlanSteps(
      StripeContext context,
      StripedFile file,
      ResolveTask task,
      ResolveCalls calls,
      KnownFile known,
      ResolvePlan plan) {
    this.context = context;
    this.file = file;
    this.task = task;
    this.calls = calls;
    this.known = known;
    this.plan = plan;
  }

  /** How many writes were decided. */
  int decided() {
    return decided;
  }

  /** How many of these were undone. */
  int undone() {
    return undone;
  }

  /** True if a grant was put off: then there is more to do than this plan says. */
  boolean isPutOff() {
    return busy != null;
  }

  /** Fails with BUSY if every grant met another's record: no turn brings it further. */
  CompletableFuture<Void> carryOut() {
    SortedMap<Long, List<WriteDecision>> byGrant = new TreeMap<>(Long::compareUnsigned);
    plan.completeUpTo().keySet().forEach(grant -> byGrant.put(grant, new ArrayList<>()));
    plan.decisions()
        .forEach(
            each -> byGrant.computeIfAbsent(each.id().grant(), g -> new ArrayList<>()).add(each));
    CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
    for (var ofGrant : byGrant.entrySet()) {
      done = done.thenCompose(nothing -> carryOut(ofGrant.getKey(), ofGrant.getValue()));
    }
    return done.thenRun(
        () -> {
          if (busy != null && !advanced) {
            throw new CompletionException(busy);
          }
        });
  }

  private CompletableFuture<Void> carryOut(long grant, List<WriteDecision> decisions) {
    return inTurn(decisions, 0)
        .thenCompose(
            count -> {
              boolean all = count == decisions.size();
              advanced |= all || count > 0;
              long upTo =
                  all ? plan.completeUpTo().getOrDefault(grant, 0L) : before(decisions.get(count));
              return all || count > 0
                  ? complete(grant, upTo)
                  : CompletableFuture.completedFuture(null);
            });
  }

  /** Up to there its grant agrees everywhere, once everything older has been carried out. */
  private static long before(WriteDecision decision) {
    return decision.id().firstSeq() - 1;
  }

  /** How many of them were carried out, up to the first that met another grant's record. */
  private CompletableFuture<Integer> inTurn(List<WriteDecision> decisions, int next) {
    if (next == decisions.size()) {
      return CompletableFuture.completedFuture(next);
    }
    return carryOut(decisions.get(next))
        .thenApply(nothing -> true)
        .exceptionally(this::putOff)
        .thenCompose(
            went -> went ? inTurn(decisions, next + 1) : CompletableFuture.completedFuture(next));
  }

  private boolean putOff(Throwable thrown) {
    WeftException refusal = WeftException.of(thrown);
    if (refusal.code() != ErrorCode.BUSY) {
      throw thrown instanceof CompletionException wrapped
          ? wrapped
          : new CompletionException(thrown);
    }
    busy = refusal;
    return false;
  }

  private CompletableFuture<Void> carryOut(WriteDecision decision) {
    CompletableFuture<Void> done =
        switch (decision.verdict()) {
          case FORWARD ->
              makeTargets(decision)
                  .thenCompose(
                      nothing ->
                          new ForwardWrite(context, file, calls, decision, before(decision))
                              .carryOut());
          case APPLY -> new DeltaApply(file, calls, decision, before(decision)).carryOut();
          case UNDO -> undo(decision);
        };
    return done.thenRun(() -> count(decision));
  }

  private void count(WriteDecision decision) {
    decided++;
    undone += decision.verdict() == WriteDecision.Verdict.UNDO ? 1 : 0;
  }

  /** Those that the writer has not reached. */
  private CompletableFuture<Void> makeTargets(WriteDecision decision) {
    return CompletableFuture.allOf(
        decision.targets().stream()
            .filter(target -> !known.states().containsKey(target))
            .map(target -> calls.make(target, task, 0, 0))
            .toArray(CompletableFuture<?>[]::new));
  }

  private CompletableFuture<Void> undo(WriteDecision decision) {
    return CompletableFuture.allOf(
        decision.targets().stream()
            .map(target -> calls.abort(target, decision.id()))
            .toArray(CompletableFuture<?>[]::new));
  }

  /** Tells those that are in the same state. */
  private CompletableFuture<Void> complete(long grant, long upTo) {
    if (upTo == 0) {
      return CompletableFuture.completedFuture(null);
    }
    return CompletableFuture.allOf(
        known.states().keySet().stream()
            .filter(plan::isTrusted)
            .map(component -> calls.complete(component, grant, upTo))
            .toArray(CompletableFuture<?>[]::new));
  }
}
