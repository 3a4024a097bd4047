package org.weft.client.stripe.commit;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.weft.protocol.retry.Backoff;

/**
 * The completion marks that wait to be told to one OSD of one volume, and whether that may be tried
 * now. Guarded by the monitor of its {@link CompletionNotifier}.
 */
final class CompletionQueue {
  private static final Backoff RESTS =
      Backoff.spread(TimeUnit.MILLISECONDS.toNanos(100), TimeUnit.SECONDS.toNanos(5));
  private static final long MAX_ABSENCE_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final int MAX_ITEMS = 256;
  private static final int MAX_WAITING = 16_384;

  private final Map<CompletionNotice.Key, CompletionNotice> waiting = new LinkedHashMap<>();
  private final Backoff.Delays rests;
  private boolean held;
  private boolean away;
  private long awaySinceNanos;
  private long restNanos;

  CompletionQueue(RandomGenerator random) {
    this.rests = RESTS.begin(random);
  }

  /** False if too much waits. */
  boolean add(CompletionNotice word) {
    if (waiting.size() >= MAX_WAITING && !waiting.containsKey(word.key())) {
      return false;
    }
    // Words of one component may arrive here in another order than they were made in.
    waiting.merge(word.key(), word, CompletionNotice::later);
    return true;
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** True while a BATCH is under way, or the OSD is left alone after one that failed. */
  boolean isHeld() {
    return held;
  }

  /** What goes with the next BATCH, which holds the line until {@link #release}. */
  List<CompletionNotice> takeSome() {
    held = true;
    List<CompletionNotice> some = waiting.values().stream().limit(MAX_ITEMS).toList();
    some.forEach(word -> waiting.remove(word.key()));
    return some;
  }

  void release() {
    held = false;
  }

  /**
   * A BATCH is over.
   *
   * @param unreachable the OSD could not be told
   * @param again to be said again, unless there is a newer word
   * @return words that are given up, because the OSD could not be told for so long
   */
  List<CompletionNotice> ended(boolean unreachable, List<CompletionNotice> again, long nowNanos) {
    again.forEach(word -> waiting.putIfAbsent(word.key(), word));
    if (!unreachable || !away) {
      rests.reset();
      awaySinceNanos = nowNanos;
    }
    restNanos = unreachable || !again.isEmpty() ? rests.nextNanos() : 0;
    away = unreachable;
    if (!unreachable || nowNanos - awaySinceNanos < MAX_ABSENCE_NANOS) {
      return List.of();
    }
    List<CompletionNotice> all = List.copyOf(waiting.values());
    waiting.clear();
    return all;
  }

  /** True if the OSD could not be told the last time. */
  boolean isAway() {
    return away;
  }

  /** How long the OSD is to be left alone now; 0 if it may be told more. */
  long restNanos() {
    return restNanos;
  }
}
