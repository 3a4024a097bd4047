package org.weft.metadata.backup;

import java.io.IOException;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.journal.FileJournal;
import org.weft.metadata.journal.JournalCopy;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;

/**
 * What the warm states of a manager share: one thread that applies records for all of them, another
 * one that reads copies again, the memory that they may take together, and figures. Thread-safe.
 */
final class WarmShelf implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WarmShelf.class);

  /**
   * For which records wait for others, so that the thread is woken for many. A promotion waits for
   * none.
   */
  private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Before a copy is read again; doubled each time. */
  static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** To some ten minutes. */
  private static final int MOST_DOUBLINGS = 6;

  /** Copies that wait to be read. */
  private static final int MOST_READING = 1_024;

  private final WarmOptions options;
  private final Scheduler scheduler;
  private final OwnedExecutor worker;
  private final OwnedExecutor reader;
  private final WarmBudget budget;
  private final Map<WarmDoubt, AtomicLong> thrownAway = new EnumMap<>(WarmDoubt.class);
  private final AtomicLong takenWarm = new AtomicLong();
  private final AtomicLong takenCold = new AtomicLong();

  WarmShelf(WarmOptions options, Scheduler scheduler) {
    this.options = options;
    this.scheduler = scheduler;
    this.worker = scheduler.newSerialExecutor("warm");
    this.reader = scheduler.newPool("warm-read", 1, MOST_READING);
    this.budget = new WarmBudget(options.mostBytes());
    for (WarmDoubt doubt : WarmDoubt.values()) {
      thrownAway.put(doubt, new AtomicLong());
    }
  }

  /**
   * For a copy that is begun.
   *
   * @param doubted hears why it is thrown away; any thread
   */
  WarmCopy open(long volume, String superuser, Consumer<WarmDoubt> doubted) {
    return new WarmCopy(volume, superuser, false, worker, this::later, budget, counted(doubted));
  }

  /** For a copy whose warm state was thrown away; {@link #fill} follows. */
  WarmCopy reopen(long volume, String superuser, Consumer<WarmDoubt> doubted) {
    return new WarmCopy(volume, superuser, true, worker, this::later, budget, counted(doubted));
  }

  private Consumer<WarmDoubt> counted(Consumer<WarmDoubt> doubted) {
    return doubt -> {
      thrownAway.get(doubt).incrementAndGet();
      doubted.accept(doubt);
    };
  }

  /** After which a warm state may begin again that was thrown away for the so-manieth time. */
  long pauseNanos(int times) {
    return PAUSE_NANOS << Math.min(times - 1, MOST_DOUBLINGS);
  }

  /**
   * Reads the copy, of all of them one at a time.
   *
   * @param redoFrom records below it need no redo
   */
  void fill(WarmCopy copy, FileJournal journal, Lsn redoFrom) {
    var unused =
        journal
            .beginCopy()
            .whenComplete(
                (begun, failure) -> {
                  if (failure == null) {
                    fill(copy, begun, redoFrom);
                  } else {
                    copy.notFilled(RpcException.of(failure));
                  }
                });
  }

  private void fill(WarmCopy copy, JournalCopy begun, Lsn redoFrom) {
    try {
      reader.execute(
          () -> {
            try (begun) {
              copy.fill(begun.contents(), redoFrom);
            } catch (IOException | RuntimeException | Error e) {
              copy.notFilled(e);
            }
          });
    } catch (RejectedExecutionException e) {
      begun.close();
      copy.notFilled(e);
    }
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
    reader.close();
    worker.close();
  }
}
