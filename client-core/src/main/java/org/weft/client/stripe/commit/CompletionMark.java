package org.weft.client.stripe.commit;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Up to which sequence number every write is complete on every component (P 5.4). Runs end in any
 * order; the mark passes a run only once all before it have ended. Thread-safe.
 */
final class CompletionMark {
  /** Somebody waits until the mark has passed a number. */
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

  synchronized long completeUpTo() {
    return completeUpTo;
  }

  /** All of [firstSeq, lastSeq] has been acknowledged by all components. */
  synchronized void complete(long firstSeq, long lastSeq) {
    aheadByFirstSeq.put(firstSeq, lastSeq);
    Long next = aheadByFirstSeq.remove(completeUpTo + 1);
    while (next != null) {
      completeUpTo = next;
      next = aheadByFirstSeq.remove(completeUpTo + 1);
    }
  }

  /** Completes when the mark has passed all that is complete by now, or counts no more. */
  synchronized CompletableFuture<Void> passed() {
    if (over || aheadByFirstSeq.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    Wait wait = new Wait(aheadByFirstSeq.lastEntry().getValue(), new CompletableFuture<>());
    waits.add(wait);
    return wait.passed();
  }

  /** Numbers begin anew with another mark, or nothing is sent any more. */
  synchronized void end() {
    over = true;
  }

  /** Tells those who waited for what has come. Without a lock. */
  void tell() {
    List<Wait> told = new ArrayList<>();
    synchronized (this) {
      while (!waits.isEmpty() && (over || waits.peek().seq() <= completeUpTo)) {
        told.add(waits.remove());
      }
    }
    told.forEach(wait -> wait.passed().complete(null));
  }
}
