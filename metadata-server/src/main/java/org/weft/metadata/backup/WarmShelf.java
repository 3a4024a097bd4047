package org.weft.metadata.backup;

import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;

/**
 * What the warm states of a manager share. It is one thread that applies records for all of them,
 * the memory that they may take together, and figures. Thread-safe.
 */
final class WarmShelf implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WarmShelf.class);

  /**
   * For which records wait for others, so that the thread is woken for many. A promotion waits for
   * none.
   */
  private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final WarmOptions options;
  private final Scheduler scheduler;
  private final OwnedExecutor worker;
  private final WarmBudget budget;
  private final Map<WarmDoubt, AtomicLong> thrownAway = new EnumMap<>(WarmDoubt.class);
  private final AtomicLong takenWarm = new AtomicLong();
  private final AtomicLong takenCold = new AtomicLong();

  WarmShelf(WarmOptions options, Scheduler scheduler) {
    this.options = options;
    this.scheduler = scheduler;
    this.worker = scheduler.newSerialExecutor("warm");
    this.budget = new WarmBudget(options.mostBytes());
    for (WarmDoubt doubt : WarmDoubt.values()) {
      thrownAway.put(doubt, new AtomicLong());
    }
  }

  /**
   * For a copy that is begun.
   *
   * @param superuser of the volume
   */
  WarmCopy open(long volume, String superuser) {
    return new WarmCopy(
        volume,
        superuser,
        worker,
        this::later,
        budget,
        doubt -> thrownAway.get(doubt).incrementAndGet());
  }

  private void later(Runnable task) {
    var unused = scheduler.schedule(GATHER_NANOS, this::onWorker, task);
  }

  private void onWorker(Runnable task) {
    try {
      worker.execute(task);
    } catch (RejectedExecutionException e) {
      LOG.debug("records came that are applied no more: this manager is stopping");
    }
  }

  /** How warm states are compared before they are taken over. */
  Optional<WarmCheck> check() {
    return options.check();
  }

  /** A volume is about to be served here that was backed here. */
  void promoted(boolean warm) {
    (warm ? takenWarm : takenCold).incrementAndGet();
  }

  WarmCounts counts(Collection<WarmStatus> copies) {
    Map<WarmDoubt, Long> reasons = new EnumMap<>(WarmDoubt.class);
    thrownAway.forEach((doubt, count) -> reasons.put(doubt, count.get()));
    return new WarmCounts(
        copies.size(),
        copies.stream().filter(copy -> copy.phase() == WarmStatus.Phase.WARM).count(),
        copies.stream().mapToLong(WarmStatus::behind).sum(),
        copies.stream().mapToLong(WarmStatus::redoRecords).sum(),
        takenWarm.get(),
        takenCold.get(),
        reasons);
  }

  /** Applies nothing more. Blocks until what is under way is done. */
  @Override
  public void close() {
    worker.close();
  }
}
