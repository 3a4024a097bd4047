package org.weft.osd.store.engine;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.weft.osd.store.Outcome;

/** Frees the extents of large objects that were removed, some with each commit (see ReapChange). */
final class Reaper {
  private final Executor executor;
  private Committer committer;
  private volatile boolean stopped;

  Reaper(Executor executor) {
    this.executor = executor;
  }

  /** The two know each other: called once, before anything is reaped. */
  void commitTo(Committer other) {
    committer = other;
  }

  /** Starts with a handle; goes on until nothing of it is left or the store stops. */
  void reap(long handle) {
    if (!stopped) {
      try {
        executor.execute(() -> reapSome(handle));
      } catch (RejectedExecutionException e) {
        stopped = true;
      }
    }
  }

  /** What is left is taken up at the next start. */
  void stop() {
    stopped = true;
  }

  private void reapSome(long handle) {
    if (stopped) {
      return;
    }
    Unit unit = new Unit(List.of(), false);
    unit.changes().add(new ReapChange(handle));
    committer.submit(unit);
    // A failure leaves the handle doomed until the next start; what failed is reported already.
    var unused =
        unit.done()
            .thenAccept(
                outcomes -> {
                  Outcome outcome = outcomes.get(0);
                  if (outcome.receipt() != null && outcome.receipt().existed()) {
                    reap(handle);
                  }
                });
  }
}
