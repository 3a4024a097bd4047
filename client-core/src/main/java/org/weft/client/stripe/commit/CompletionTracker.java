package org.weft.client.stripe.commit;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Tracks up to which sequence number every write is complete on every component (P 5.4). Runs end
 * in any order; the mark passes a run only once all before it have ended. Part of a {@link
 * FileWriteMachine}: single-threaded.
 */
final class CompletionTracker {
  /** A caller waits until the mark has passed a number. */
  private record Wait(long seq, CompletableFuture<Void> passed) implements Comparable<Wait> {
    @Override
    public int compareTo(Wait other) {
      return Long.compare(seq, other.seq);
    }
  }

  /** Last seq of runs that are complete before their turn, by their first. */
  private final TreeMap<Long, Long> aheadByFirstSeq = new TreeMap<>();

  private final PriorityQueue<Wait> waits = new PriorityQueue<>();
  private long completeUpTo;
  private boolean over;

  long completeUpTo() {
    return completeUpTo;
  }

  /** All of [firstSeq, lastSeq] has been acknowledged by all components. */
  void complete(long firstSeq, long lastSeq) {
    if (firstSeq == completeUpTo + 1) {
      completeUpTo = lastSeq;
    } else {
      aheadByFirstSeq.put(firstSeq, lastSeq);
    }
    Long next = aheadByFirstSeq.remove(completeUpTo + 1);
    while (next != null) {
      completeUpTo = next;
      next = aheadByFirstSeq.remove(completeUpTo + 1);
    }
  }

  /** Completes when the mark has passed all that is complete by now, or counts no more. */
  CompletableFuture<Void> passed() {
    if (over || aheadByFirstSeq.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    Wait wait = new Wait(aheadByFirstSeq.lastEntry().getValue(), new CompletableFuture<>());
    waits.add(wait);
    return wait.passed();
  }

  /** Numbers begin anew with another mark, or nothing is sent any more. */
  void end() {
    over = true;
  }

  /** Takes out the waits whose moment has come. */
  List<CompletableFuture<Void>> takePassed() {
    if (waits.isEmpty()) {
      return List.of();
    }
    List<CompletableFuture<Void>> passed = new ArrayList<>();
    while (!waits.isEmpty() && (over || waits.peek().seq() <= completeUpTo)) {
      passed.add(waits.remove().passed());
    }
    return passed;
  }
}
