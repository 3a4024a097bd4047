package org.weft.client.stripe;

import java.util.Map;
import java.util.TreeMap;

/**
 * Up to which sequence number every write is complete on every component (P 5.4). Runs end in any
 * order; the mark passes a run only once all before it have ended. Thread-safe.
 */
final class CompletionMark {
  /** Last seq of runs that are complete before their turn, by their first. */
  private final Map<Long, Long> aheadByFirstSeq = new TreeMap<>();

  private long completeUpTo;

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
}
