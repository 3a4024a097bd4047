package org.weft.osd.store.engine.commit;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.weft.osd.store.MutationOutcome;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.mutation.Mutation;
import org.weft.protocol.error.WeftException;

/**
 * Mutations that are committed together, and the callers that wait for them. Handed from thread to
 * thread.
 */
public final class CommitGroup {
  private final List<Mutation> mutations;
  private final boolean durable;
  private final boolean brief;
  private final CompletableFuture<List<MutationOutcome>> done = new CompletableFuture<>();
  private final List<Change> changes = new ArrayList<>();
  // One for each change: what staging said, or why it was refused.
  private final List<Change.Staged> staged = new ArrayList<>();
  private final List<WeftException> refusals = new ArrayList<>();
  private int attempts;

  /**
   * @param durable the unit is answered when it is on stable storage
   */
  public CommitGroup(List<Mutation> mutations, boolean durable) {
    this(mutations, durable, false);
  }

  /**
   * @param brief its commit asks memory alone, so that it may be committed on a thread that must
   *     not wait
   */
  public CommitGroup(List<Mutation> mutations, boolean durable, boolean brief) {
    this.mutations = mutations;
    this.durable = durable;
    this.brief = brief;
  }

  /** What is to be committed, in this order. */
  public List<Mutation> mutations() {
    return mutations;
  }

  /** True if it is answered when it is on stable storage. */
  public boolean durable() {
    return durable;
  }

  boolean brief() {
    return brief;
  }

  /**
   * Others wait for it, or it gives space back: a manager's commands, removals, what ends writes, a
   * delta whose change is made elsewhere. On a full disk it may use the space that is kept.
   */
  boolean isUrgent() {
    return mutations.stream().allMatch(Mutation::isUrgent);
  }

  /** Completes with one outcome for each mutation. */
  public CompletableFuture<List<MutationOutcome>> done() {
    return done;
  }

  /** One for each mutation, once they are prepared. */
  public List<Change> changes() {
    return changes;
  }

  /**
   * How often the unit was started, this time included. Changes that were made from its mutations
   * are to be made anew. Those of a unit without any were put there by its owner, and stay.
   */
  public int startAgain() {
    if (!mutations.isEmpty()) {
      changes.clear();
    }
    forgetStaging();
    return ++attempts;
  }

  int attempts() {
    return attempts;
  }

  void forgetStaging() {
    staged.clear();
    refusals.clear();
  }

  void accept(Change.Staged result) {
    staged.add(result);
    refusals.add(null);
  }

  void refuse(WeftException why) {
    staged.add(null);
    refusals.add(why);
  }

  /** Tells each change what became of it, after the commit. */
  void settle() {
    for (int i = 0; i < changes.size(); i++) {
      if (refusals.get(i) == null) {
        changes.get(i).committed();
      } else {
        changes.get(i).abandoned();
      }
    }
  }

  /** Tells each change that nothing of it is stored. */
  public void abandonAll() {
    changes.forEach(Change::abandoned);
  }

  void doubtAll() {
    changes.forEach(Change::inDoubt);
  }

  /** True if some change was committed now or earlier. */
  boolean anyAccepted() {
    return staged.stream().anyMatch(result -> result != null);
  }

  /** True if something rests on what earlier units committed, whose data may lie anywhere. */
  boolean restsOnOthers() {
    return staged.stream().anyMatch(result -> result != null && result.answered())
        || changes.stream().anyMatch(Change::restsOnOthers);
  }

  SortedSet<Integer> segments() {
    SortedSet<Integer> all = new TreeSet<>();
    changes.forEach(change -> all.addAll(change.segments()));
    return all;
  }

  /** Completes what waits, with these numbers of checkpoints. */
  void complete(long pendingCheckpoint, long durableCheckpoint) {
    List<MutationOutcome> outcomes = new ArrayList<>(changes.size());
    for (int i = 0; i < changes.size(); i++) {
      Change.Staged result = staged.get(i);
      outcomes.add(
          result == null
              ? new MutationOutcome(null, refusals.get(i))
              : new MutationOutcome(
                  new Receipt(pendingCheckpoint, durableCheckpoint, result.result()), null));
    }
    done.complete(outcomes);
  }

  /** Completes what waits with a failure of the whole unit. */
  public void fail(WeftException why) {
    done.completeExceptionally(why);
  }
}
