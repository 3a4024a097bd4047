package org.weft.osd.store.engine.commit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.weft.osd.store.OutOfSpaceException;
import org.weft.osd.store.engine.state.StoreState;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.KeyValueStore;

/**
 * Commits all mutations; it is the one place where state changes. Units queue up; the thread that
 * finds no other committing commits for all that come, many units in one batch of the key-value
 * store. No thread waits for another.
 *
 * <p>A thread that comes with a brief unit may be one that must neither wait nor stay. It commits
 * brief units that are at the head of the queue. The executor gets whatever else has come
 * meanwhile.
 */
public final class Committer {
  private static final int MAX_QUEUED = 4096;
  private static final int MAX_UNITS_AT_ONCE = 128;
  private static final int MAX_BRIEF_UNITS_AT_ONCE = 8;
  private static final int MAX_BRIEF_TURNS = 4;

  private static final String KEPT =
      "what is left is kept for managers and for removing; free some space on it, remove files, or"
          + " add OSDs";

  /** Two mutations of one unit that write parts of one block stay stale for ever. */
  private static final int MAX_ATTEMPTS = 8;

  private final StoreState store;
  private final Checkpointer checkpointer;
  private final Consumer<CommitGroup> again;
  private final Consumer<Long> reaper;
  private final Executor others;
  private final Queue<CommitGroup> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger queued = new AtomicInteger();
  private final AtomicInteger wanted = new AtomicInteger();
  // Of the thread that commits; the counter above orders one committing thread after another.
  private final List<CommitGroup> taken = new ArrayList<>();
  private long lastCommit;
  private Throwable fault;
  private volatile boolean ended;

  /**
   * @param again prepares a unit once more; must not do so on the calling thread
   * @param reaper told of handles that are doomed
   * @param others commits what threads leave that must not stay
   */
  public Committer(
      StoreState store,
      Checkpointer checkpointer,
      Consumer<CommitGroup> again,
      Consumer<Long> reaper,
      Executor others) {
    this.store = store;
    this.checkpointer = checkpointer;
    this.again = again;
    this.reaper = reaper;
    this.others = others;
  }

  /**
   * Queues a unit that is prepared, and commits it on this thread if no other thread commits. The
   * unit fails with OVERLOADED if too many wait.
   */
  public void submit(CommitGroup unit) {
    if (queued.incrementAndGet() > MAX_QUEUED) {
      queued.decrementAndGet();
      unit.abandonAll();
      unit.fail(
          new WeftException(
              ErrorCode.OVERLOADED, MAX_QUEUED + " commits wait already; try again later"));
      return;
    }
    try {
      queue.add(unit);
    } catch (Error e) {
      // The caller hears of it; the place must not stay taken.
      queued.decrementAndGet();
      unit.abandonAll();
      throw e;
    }
    if (wanted.getAndIncrement() != 0) {
      return;
    }
    if (!unit.brief()) {
      drain();
    } else if (!drainBriefly()) {
      handOver();
    }
  }

  /** What is not being committed already is refused from now on. */
  public void end() {
    ended = true;
  }

  /** Nothing is being committed; after the {@link #end} nothing will be. */
  public boolean isQuiet() {
    // A thread that has not seen the end counted itself before.
    return wanted.get() == 0;
  }

  /** Whatever happens, the next thread finds no other committing. */
  private void drain() {
    int seen = 1;
    do {
      guarded(this::commitQueued);
      seen = wanted.addAndGet(-seen);
    } while (seen != 0);
  }

  /**
   * Commits brief units at the head of the queue, a few times at most.
   *
   * @return false if there is more to commit, and this thread is still the only one that commits
   */
  private boolean drainBriefly() {
    int seen = 1;
    for (int turn = 0; turn < MAX_BRIEF_TURNS; turn++) {
      guarded(this::commitBrief);
      // What is left has been counted, perhaps: it must not be taken for what is done.
      if (!queue.isEmpty()) {
        return false;
      }
      seen = wanted.addAndGet(-seen);
      if (seen == 0) {
        return true;
      }
    }
    return false;
  }

  private void handOver() {
    try {
      others.execute(this::drain);
    } catch (RuntimeException | Error e) {
      // Closing, or the system gives no thread, or no stack is left. Units that wait are told, and
      // the next one must find that no thread commits.
      drain();
    }
  }

  private void guarded(Runnable commits) {
    try {
      commits.run();
    } catch (Throwable e) {
      // There was no stack left even to say so. The next thread tells the callers that were not
      // told, since nothing is committed after a fault.
      fault = fault == null ? e : fault;
    }
  }

  private void commitQueued() {
    while (takeSome()) {
      commitTaken();
    }
  }

  private boolean takeSome() {
    CommitGroup unit = null;
    while (taken.size() < MAX_UNITS_AT_ONCE && (unit = queue.peek()) != null) {
      take(unit);
    }
    return !taken.isEmpty();
  }

  private void commitBrief() {
    CommitGroup head = queue.peek();
    while (head != null && head.brief() && taken.size() < MAX_BRIEF_UNITS_AT_ONCE) {
      take(head);
      head = queue.peek();
    }
    commitTaken();
  }

  /** The head of the queue; no other thread takes anything away. */
  private void take(CommitGroup head) {
    // In this order: if there is no memory for it, its callers are told by the next thread.
    taken.add(head);
    queue.remove();
    queued.decrementAndGet();
  }

  private void commitTaken() {
    try {
      if (fault == null && !taken.isEmpty()) {
        commit(taken);
      }
    } catch (Throwable e) {
      // A broken invariant, or a thread at the end of its stack somewhere in a commit. Nothing
      // after it can be trusted, but no caller is left waiting.
      fault = e;
    }
    if (fault != null) {
      doubt(taken, new IOException("the store is at fault: " + fault, fault));
    }
    taken.clear();
  }

  private void commit(List<CommitGroup> units) {
    Transaction transaction = new Transaction(store, lastCommit + 1, checkpointer.pending());
    List<CommitGroup> decided = new ArrayList<>(units.size());
    boolean takesAll = store.values().takesAll();
    for (CommitGroup unit : units) {
      if (!takesAll && !unit.isUrgent()) {
        giveUp(List.of(unit), noSpace(KEPT));
      } else if (stage(unit, transaction)) {
        decided.add(unit);
      } else {
        unit.abandonAll();
        again.accept(unit);
      }
    }
    try {
      requireOpen();
      store.health().requireWritable();
      if (!transaction.isEmpty()) {
        KeyValueStore.Batch batch = transaction.batch();
        store
            .values()
            .write(
                decided.stream().allMatch(CommitGroup::isUrgent) ? batch.urgent() : batch, false);
      }
    } catch (OutOfSpaceException e) {
      outOfSpace(decided, e);
      return;
    } catch (WeftException e) {
      giveUp(decided, e);
      return;
    } catch (IOException e) {
      doubt(decided, e);
      return;
    }
    lastCommit = transaction.number();
    publish(transaction);
    decided.forEach(this::finish);
  }

  /** Nothing was written. Units that are urgent are tried again without the others. */
  private void outOfSpace(List<CommitGroup> units, OutOfSpaceException e) {
    WeftException refusal = noSpace(e.toString());
    if (e.isReserveUsedUp()) {
      // Managers would wait for this OSD for ever.
      store.health().fail("the disk is full, with what is kept for managers: " + e, e);
      refusal = store.health().refusal("the disk is full: " + e, e);
    }
    boolean alone = units.stream().allMatch(CommitGroup::isUrgent);
    for (CommitGroup unit : units) {
      if (!alone && unit.isUrgent() && unit.attempts() < MAX_ATTEMPTS) {
        unit.abandonAll();
        again.accept(unit);
      } else {
        giveUp(List.of(unit), refusal);
      }
    }
  }

  private static WeftException noSpace(String why) {
    return new WeftException(
        ErrorCode.NO_SPACE, "the disk has no space for the store's tables: " + why);
  }

  private void requireOpen() throws WeftException {
    if (ended) {
      throw new WeftException(ErrorCode.UNAVAILABLE, "the object store is closed");
    }
  }

  /** False if the unit must be prepared again; it has left no trace then. */
  private boolean stage(CommitGroup unit, Transaction transaction) {
    int whole = transaction.mark();
    unit.forgetStaging();
    for (Change change : unit.changes()) {
      int mark = transaction.mark();
      try {
        unit.accept(change.stage(transaction));
      } catch (WeftException e) {
        transaction.rollBack(mark);
        unit.refuse(e);
      } catch (StaleException e) {
        if (unit.attempts() < MAX_ATTEMPTS) {
          transaction.rollBack(whole);
          return false;
        }
        transaction.rollBack(mark);
        unit.refuse(
            new WeftException(
                ErrorCode.BUSY, "other writes to the same block come between; try again later"));
      } catch (IOException e) {
        transaction.rollBack(mark);
        unit.refuse(store.health().unreadTables(e));
      }
    }
    return true;
  }

  private void publish(Transaction transaction) {
    if (transaction.isEmpty()) {
      return;
    }
    transaction.publish();
    store.objects().addAndGet(transaction.objects());
    store.storedBlocks().addAndGet(transaction.blocks());
    checkpointer.committed(
        transaction.number(),
        transaction.freed(),
        transaction.keysUntilCheckpoint(),
        transaction.copiedBytes());
    transaction.doomed().forEach(reaper);
  }

  private void finish(CommitGroup unit) {
    unit.settle();
    if (!unit.durable() || !unit.anyAccepted()) {
      unit.complete(checkpointer.promise(), checkpointer.durable());
      return;
    }
    long promised = checkpointer.promise();
    checkpointer.whenSynced(
        unit.restsOnOthers() ? null : unit.segments(),
        failure -> {
          if (failure == null) {
            unit.complete(promised, checkpointer.durable());
          } else {
            unit.fail(failure);
          }
        });
  }

  private static void giveUp(List<CommitGroup> units, WeftException why) {
    for (CommitGroup unit : units) {
      unit.abandonAll();
      unit.fail(why);
    }
  }

  private void doubt(List<CommitGroup> units, IOException e) {
    store.health().fail("writing the store's tables failed: " + e, e);
    WeftException why =
        store
            .health()
            .refusal(
                "whether the change was made is known when the OSD is started again: writing the"
                    + " store's tables failed: "
                    + e,
                e);
    // All are told before anything else can go wrong.
    units.forEach(unit -> unit.fail(why));
    units.forEach(CommitGroup::doubtAll);
  }
}
