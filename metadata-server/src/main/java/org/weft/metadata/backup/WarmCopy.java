package org.weft.metadata.backup;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.journal.FileJournal;
import org.weft.metadata.journal.JournalContents;
import org.weft.metadata.journal.JournalCopy;
import org.weft.metadata.journal.JournalEntry;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.volume.state.WarmState;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;

/**
 * The live state of one copy of a journal, kept warm (P 6.3a). Records that are durable in the copy
 * are applied to it in their order. Whatever is in doubt makes it cold for good: it is thrown away,
 * and a promotion reads the journal instead. A new copy begins with a new one.
 *
 * <pre>
 *   filling --> warm --> taken over
 *      |         |
 *      +---------+--> cold
 * </pre>
 *
 * <p>Its methods may be called from any thread and never block; all that they touch happens on the
 * worker, in the order of the calls.
 */
final class WarmCopy {
  private static final Logger LOG = LoggerFactory.getLogger(WarmCopy.class);

  /** Made beforehand: where memory has run out, none is needed to throw the state away. */
  private static final String BROKEN =
      "the live state could not be kept; the log of this manager says why";

  private final long volume;
  private final String superuser;
  private final Executor worker;
  private final Executor later;
  private final WarmBudget budget;
  private final Consumer<WarmDoubt> doubts;
  private final AtomicLong behind = new AtomicLong();
  private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean awaited = new AtomicBoolean();
  private volatile String doubt = "";
  private volatile boolean whole;
  private volatile Lsn applied = Lsn.ZERO;
  private volatile int redoRecords;

  // Confined to the worker.
  private final RedoTail tail = new RedoTail();
  private WarmState state;

  /** The journal goes on from live state of which the copy has not shown the snapshot yet. */
  private boolean headless;

  private boolean released;

  /**
   * Records that have become durable.
   *
   * @param bytes of the budget
   * @param apart it is the one snapshot that may be kept besides
   */
  private record Queued(JournalEntry entry, long bytes, boolean apart) {}

  /**
   * @param superuser of the volume
   * @param worker runs one task after another
   * @param later runs a task on the worker a little later: one waking is for many records
   * @param doubts is called with the reason when the state is thrown away; any thread
   */
  WarmCopy(
      long volume,
      String superuser,
      Executor worker,
      Executor later,
      WarmBudget budget,
      Consumer<WarmDoubt> doubts) {
    this.volume = volume;
    this.superuser = superuser;
    this.worker = worker;
    this.later = later;
    this.budget = budget;
    this.doubts = doubts;
    this.state = new WarmState(superuser);
  }

  /**
   * These are durable in the copy, in their order and behind all that came before.
   *
   * @param redoFrom records below it need no redo
   * @param isWhole what was journalled before the copy was begun is all there
   */
  void durable(List<JournalEntry> entries, Lsn redoFrom, boolean isWhole) {
    if (!doubt.isEmpty()) {
      return;
    }
    List<Queued> queued = new ArrayList<>(entries.size());
    for (JournalEntry entry : entries) {
      // A snapshot larger than the budget makes nothing cold, and is not kept.
      boolean apart = entry.snapshot() && budget.takeApart();
      long bytes = apart ? 0 : entry.bytes();
      if (!apart && !budget.take(bytes)) {
        queued.forEach(this::giveBack);
        discard(
            WarmDoubt.TOO_MUCH,
            "more records wait, or would need redo, than this manager keeps in memory");
        return;
      }
      queued.add(new Queued(entry, bytes, apart));
    }
    behind.addAndGet(queued.size());
    waiting.add(
        () -> {
          queued.forEach(this::take);
          dropBelow(redoFrom);
          if (isWhole && !whole) {
            becomeWarm();
          }
        });
    if (awaited.compareAndSet(false, true)) {
      run(later, this::takeWaiting);
    }
  }

  private void giveBack(Queued queued) {
    if (queued.apart()) {
      budget.endApart();
    } else {
      budget.giveBack(queued.bytes());
    }
  }

  private void takeWaiting() {
    // First: what is added from now on is looked for again.
    awaited.set(false);
    for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
      guarded(next);
    }
  }

  /** What failed half-way is not relied on, whatever it was: memory may have run out. */
  private void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      discard(WarmDoubt.NOT_APPLIED, BROKEN);
      LOG.error("the warm live state of volume {} could not be kept", volume, e);
    }
  }

  private void run(Executor executor, Runnable task) {
    try {
      executor.execute(task);
    } catch (RejectedExecutionException e) {
      doubt = "this manager is stopping";
    }
  }

  private void take(Queued queued) {
    JournalEntry entry = queued.entry();
    boolean kept = false;
    try {
      if (doubt.isEmpty() && !entry.follows(applied)) {
        discard(WarmDoubt.GAP, entry.lsn() + " does not follow " + applied);
      } else if (doubt.isEmpty()) {
        kept = entry.snapshot() ? restore(entry) : apply(entry);
        applied = entry.lsn();
        redoRecords = tail.size();
      }
    } catch (RuntimeException e) {
      LOG.warn("volume {}: {} cannot be applied", volume, entry.lsn(), e);
      discard(WarmDoubt.NOT_APPLIED, entry.lsn() + " cannot be applied: " + e);
    } catch (Error e) {
      // Before anything else is tried: half of it may have been applied.
      discard(WarmDoubt.NOT_APPLIED, BROKEN);
      throw e;
    } finally {
      if (!kept) {
        giveBack(queued);
      }
      behind.decrementAndGet();
    }
  }

  /** An opening of the journal begins with the newest snapshot. */
  private boolean restore(JournalEntry snapshot) {
    state = WarmState.of(superuser, snapshot.liveState());
    headless = false;
    budget.giveBack(tail.forgetLive());
    return false;
  }

  private boolean apply(JournalEntry entry) {
    JournalRecord record = entry.record();
    if (!headless) {
      try {
        state.apply(record);
      } catch (RuntimeException e) {
        if (whole) {
          throw e;
        }
        LOG.debug("volume {}: {} goes on from a snapshot that follows", volume, entry.lsn(), e);
        headless = true;
      }
    }
    return tail.add(record, entry.bytes());
  }

  private void dropBelow(Lsn redoFrom) {
    budget.giveBack(tail.dropBelow(redoFrom));
    redoRecords = tail.size();
  }

  private void becomeWarm() {
    if (!doubt.isEmpty()) {
      return;
    }
    if (headless) {
      discard(WarmDoubt.NO_SNAPSHOT, "no snapshot tells from which live state the journal goes on");
      return;
    }
    whole = true;
    LOG.info(
        "the live state of volume {} is warm up to {}, {} records would need redo",
        volume,
        applied,
        tail.size());
  }

  /** It is not to be relied on any more. */
  void discard(WarmDoubt kind, String why) {
    boolean isFirst = doubt.isEmpty();
    doubt = isFirst ? why : doubt;
    run(worker, this::release);
    if (isFirst) {
      doubts.accept(kind);
      LOG.warn(
          "the warm live state of volume {} is thrown away, a promotion would read the journal: {}",
          volume,
          why);
    }
  }

  private void release() {
    if (!released) {
      released = true;
      budget.giveBack(tail.bytes());
      tail.clear();
      state = new WarmState(superuser);
      redoRecords = 0;
      // What waits takes its bytes from the budget no longer.
      takeWaiting();
    }
  }

  /** How warm it is. */
  WarmStatus status() {
    String why = doubt;
    WarmStatus.Phase phase =
        !why.isEmpty()
            ? WarmStatus.Phase.COLD
            : whole ? WarmStatus.Phase.WARM : WarmStatus.Phase.FILLING;
    return new WarmStatus(phase, applied, Math.max(0, behind.get()), redoRecords, why);
  }

  /**
   * The manager is promoted. Completes with the state in memory when all records are applied; empty
   * if the state is in doubt. It takes nothing more.
   *
   * @param journal the copy
   * @param newest what was appended to it last
   * @param check compares it with the journal, which is read for that
   */
  CompletableFuture<Optional<WarmVolume>> takeOver(
      FileJournal journal, Lsn newest, Optional<WarmCheck> check) {
    CompletableFuture<Optional<WarmVolume>> taken = new CompletableFuture<>();
    try {
      worker.execute(
          () -> {
            try {
              takeOver(journal, newest, check, taken);
            } catch (RuntimeException | Error e) {
              // The journal is read when it is tried again.
              discard(WarmDoubt.NOT_APPLIED, BROKEN);
              taken.completeExceptionally(e);
            }
          });
    } catch (RejectedExecutionException e) {
      taken.completeExceptionally(stopping(e));
    }
    return taken;
  }

  private void takeOver(
      FileJournal journal,
      Lsn newest,
      Optional<WarmCheck> check,
      CompletableFuture<Optional<WarmVolume>> taken) {
    takeWaiting();
    if (doubt.isEmpty() && !whole) {
      discard(WarmDoubt.NOT_WHOLE, "the copy was not whole yet");
    } else if (doubt.isEmpty() && !applied.equals(newest)) {
      discard(WarmDoubt.GAP, "it ends at " + applied + ", and the journal at " + newest);
    }
    if (!doubt.isEmpty()) {
      LOG.info("volume {} is read from its journal: {}", volume, doubt);
      taken.complete(Optional.empty());
      return;
    }
    WarmVolume warm = new WarmVolume(journal, state, tail.records(), applied, Optional.empty());
    Lsn redoFrom = tail.from();
    doubt = "it was taken over";
    release();
    if (check.isPresent()) {
      compare(warm, redoFrom, check.get(), taken);
    } else {
      taken.complete(Optional.of(warm));
    }
  }

  private void compare(
      WarmVolume warm,
      Lsn redoFrom,
      WarmCheck check,
      CompletableFuture<Optional<WarmVolume>> taken) {
    var unused =
        warm.journal()
            .beginCopy()
            .whenComplete(
                (copy, failure) -> {
                  if (failure != null) {
                    taken.completeExceptionally(WeftException.of(failure));
                    return;
                  }
                  try {
                    worker.execute(() -> compare(warm, copy, redoFrom, check, taken));
                  } catch (RejectedExecutionException e) {
                    copy.close();
                    taken.completeExceptionally(stopping(e));
                  }
                });
  }

  private void compare(
      WarmVolume warm,
      JournalCopy copy,
      Lsn redoFrom,
      WarmCheck check,
      CompletableFuture<Optional<WarmVolume>> taken) {
    try (copy) {
      JournalContents cold = copy.contents();
      new WarmComparison(superuser, warm, redoFrom).requireEqual(cold);
      taken.complete(Optional.of(warm.comparedWith(cold, check)));
    } catch (IOException | RuntimeException | Error e) {
      LOG.error("volume {} has another warm state than its journal", volume, e);
      taken.completeExceptionally(WeftException.of(e));
    }
  }

  private static WeftException stopping(RejectedExecutionException why) {
    return new WeftException(ErrorCode.UNAVAILABLE, "this manager is stopping", why);
  }
}
