package org.weft.client.volume;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Asks for the cluster's table while an attempt of a session has no answer. Its manager may have
 * been cut off, and the volume be elsewhere (P 6.4). Once a second at most. Confined to the
 * session's home executor.
 */
final class SilentManager {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final VolumeSession session;
  private final Runnable askForTable;

  /** When attempts without an answer were sent, by the number of each, in that order. */
  private final Map<Long, Long> sentNanos = new LinkedHashMap<>();

  private long lastNumber;
  private boolean watching;

  SilentManager(VolumeSession session, Runnable askForTable) {
    this.session = session;
    this.askForTable = askForTable;
  }

  /**
   * Watches an attempt until it has ended.
   *
   * @param attempt completes on the home executor
   */
  <T> CompletableFuture<T> watch(CompletableFuture<T> attempt) {
    if (!attempt.isDone()) {
      long number = ++lastNumber;
      sentNanos.put(number, session.nowNanos());
      lookIn(PATIENCE_NANOS);
      var unused = attempt.whenComplete((answer, failure) -> sentNanos.remove(number));
    }
    return attempt;
  }

  private void lookIn(long nanos) {
    if (!watching) {
      watching = true;
      var unused = session.schedule(nanos, this::look);
    }
  }

  private void look() {
    watching = false;
    if (sentNanos.isEmpty() || session.closedFor() != null) {
      return;
    }
    long silentNanos = session.nowNanos() - sentNanos.values().iterator().next();
    if (silentNanos >= PATIENCE_NANOS) {
      askForTable.run();
      lookIn(PATIENCE_NANOS);
    } else {
      lookIn(PATIENCE_NANOS - silentNanos);
    }
  }
}
