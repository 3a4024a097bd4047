package org.weft.osd.store.engine.change;

import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.osd.store.MutationOutcome;
import org.weft.osd.store.engine.commit.CommitGroup;
import org.weft.osd.store.engine.commit.Committer;
import org.weft.osd.store.engine.state.Health;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.Scheduler;

/**
 * Frees the extents of large objects that were removed, some with each commit (see ReapChange). A
 * commit may be refused, for want of space for the tables or because too many wait. It is then
 * tried again after a while, by one timer for all that failed. In a store that takes no changes any
 * more the rest is left to the next start.
 */
public final class Reaper {
  private static final Logger LOG = LoggerFactory.getLogger(Reaper.class);

  /** Pause before a commit that was refused is tried again. */
  public static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Executor executor;
  private final Scheduler scheduler;
  private final Health health;
  // Handles that wait for the timer, which is set if there are any. Guarded by itself.
  private final SortedSet<Long> failed = new TreeSet<>();
  private Committer committer;
  private volatile boolean stopped;

  /**
   * @param executor where commits are prepared
   */
  public Reaper(Executor executor, Scheduler scheduler, Health health) {
    this.executor = executor;
    this.scheduler = scheduler;
    this.health = health;
  }

  /** The two know each other: called once, before anything is reaped. */
  public void commitTo(Committer other) {
    committer = other;
  }

  /** Starts with a handle; goes on until nothing of it is left or the store stops. */
  public void reap(long handle) {
    if (!stopped) {
      try {
        executor.execute(() -> reapSome(handle));
      } catch (RejectedExecutionException e) {
        retryLater(handle, e);
      }
    }
  }

  /** What is left is taken up at the next start. */
  public void stop() {
    stopped = true;
  }

  private void reapSome(long handle) {
    if (stopped) {
      return;
    }
    CommitGroup unit = new CommitGroup(List.of(), false);
    unit.changes().add(new ReapChange(handle));
    committer.submit(unit);
    var unused =
        unit.done()
            .whenComplete(
                (outcomes, failure) -> {
                  MutationOutcome outcome = failure == null ? outcomes.get(0) : null;
                  if (outcome == null || outcome.failure() != null) {
                    retryLater(handle, outcome == null ? failure : outcome.failure());
                  } else if (outcome.receipt().existed()) {
                    reap(handle);
                  }
                });
  }

  private void retryLater(long handle, Throwable why) {
    if (stopped || health.isFailed()) {
      return;
    }
    boolean first;
    synchronized (failed) {
      first = failed.isEmpty();
      failed.add(handle);
    }
    if (first) {
      LOG.warn(
          "the blocks of objects that were removed are not all freed yet: {}",
          WeftException.of(why).getMessage());
      var unused = scheduler.schedule(RETRY_NANOS, Runnable::run, this::retry);
    }
  }

  private void retry() {
    List<Long> again;
    synchronized (failed) {
      again = List.copyOf(failed);
      failed.clear();
    }
    again.forEach(this::reap);
  }
}
