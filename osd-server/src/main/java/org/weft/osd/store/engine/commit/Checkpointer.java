package org.weft.osd.store.engine.commit;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.weft.osd.store.OutOfSpaceException;
import org.weft.osd.store.engine.state.StoreState;
import org.weft.osd.store.format.NumberCodec;
import org.weft.osd.store.format.StoreKeys;
import org.weft.osd.store.space.BlockRange;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.KeyValueStore;
import org.weft.protocol.seam.Scheduler;

/**
 * Makes commits durable (P 5.9): data first, then the tables. All syncs run one after another on
 * the sync executor; callers that ask while one runs share the next.
 *
 * <p>A checkpoint covers every commit before it. Only then are blocks that those commits overwrote
 * or removed given back, and the notes of what was overwritten dropped. Before, a power loss could
 * keep the commit and lose its bytes, or take the commit back. A durable write alone syncs just its
 * own segments and the tables. A small one syncs only the tables, which hold its bytes too until a
 * checkpoint covers them ({@link org.weft.osd.store.engine.recovery.BlockCopies}).
 *
 * <p>A checkpoint has begun once it is fixed which commits it covers. It is tried until it
 * succeeds, and only then does the next begin. So a number that was promised always comes, and none
 * is more than {@value #FURTHEST_PROMISE} ahead of the last durable one.
 */
public final class Checkpointer {
  /** How far ahead of the last durable checkpoint a commit's may be. */
  public static final long FURTHEST_PROMISE = 2;

  private static final int MANY_RETIRED = 1 << 16;

  /** So many bytes are not kept twice for longer than a checkpoint takes. */
  private static final long MANY_COPIED_BYTES = 8L << 20;

  private final StoreState store;
  private final Scheduler scheduler;
  private final WatchedExecutor syncing;
  private final long intervalNanos;
  private final AtomicBoolean roundAsked = new AtomicBoolean();
  private final AtomicBoolean timerSet = new AtomicBoolean();
  private final Deque<Waiter> waiters = new ArrayDeque<>();
  private final Deque<Retired> retired = new ArrayDeque<>();
  // Guarded by retired.
  private long copiedBytes;
  private final Object numbers = new Object();
  // The next three are guarded by the numbers. They are the last commit, the last checkpoint that
  // was begun, durable or not, and the last commit that it covers.
  private long lastCommit;
  private long begun;
  private long begunCommit;
  // Written on the sync executor, and after its end on the thread that closes.
  private volatile long durable;
  private volatile Scheduler.Timer timer;
  private volatile boolean closed;

  /** A caller that waits for a sync of these segments, or of everything if null. */
  private record Waiter(SortedSet<Integer> segments, Consumer<WeftException> done) {}

  /**
   * What is over with the checkpoint that covers a commit.
   *
   * @param ranges what the commit no longer leads to
   * @param keys of the tables
   * @param copiedBytes so many stand under the keys
   */
  private record Retired(
      long commit, List<BlockRange> ranges, List<byte[]> keys, long copiedBytes) {}

  /**
   * @param syncing runs all syncs, one after another
   * @param intervalMillis from a commit to the checkpoint that covers it, at most
   * @param durable number of the last checkpoint that is on stable storage
   */
  public Checkpointer(
      StoreState store,
      Scheduler scheduler,
      WatchedExecutor syncing,
      long intervalMillis,
      long durable) {
    this.store = store;
    this.scheduler = scheduler;
    this.syncing = syncing;
    this.intervalNanos = intervalMillis * 1_000_000;
    this.durable = durable;
    this.begun = durable;
  }

  /** Number of the first checkpoint that may cover what is committed after the call. */
  public long pending() {
    synchronized (numbers) {
      return begun + 1;
    }
  }

  /** Number of the checkpoint that covers all that is committed, or will without more commits. */
  long promise() {
    synchronized (numbers) {
      return lastCommit <= begunCommit ? begun : begun + 1;
    }
  }

  /** Number of the last checkpoint that is on stable storage. */
  public long durable() {
    return durable;
  }

  /** Called by the committer after each commit, in order. */
  void committed(
      long commit, List<BlockRange> freed, List<byte[]> keysUntilCheckpoint, long bytesCopied) {
    boolean many = false;
    if (!freed.isEmpty() || !keysUntilCheckpoint.isEmpty()) {
      synchronized (retired) {
        retired.add(new Retired(commit, freed, keysUntilCheckpoint, bytesCopied));
        long before = copiedBytes;
        copiedBytes += bytesCopied;
        many =
            retired.size() == MANY_RETIRED
                || before < MANY_COPIED_BYTES && copiedBytes >= MANY_COPIED_BYTES;
      }
    }
    synchronized (numbers) {
      lastCommit = commit;
    }
    if (many) {
      var unused = now();
    } else {
      setTimer();
    }
  }

  private void setTimer() {
    if (!timerSet.getAndSet(true)) {
      timer =
          scheduler.schedule(intervalNanos, this::whileOpen, () -> whenSynced(null, failure -> {}));
    }
  }

  /** Where the timer's task runs: a late timer finds the executor gone. */
  private void whileOpen(Runnable task) {
    try {
      if (!closed) {
        syncing.execute(task);
      }
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      // Closing, which makes a checkpoint of its own; or no thread, and the next commit asks again.
      timerSet.set(false);
    }
  }

  /** True if the last checkpoint covers every commit. */
  public boolean coversAll() {
    synchronized (numbers) {
      return lastCommit == begunCommit && begun == durable;
    }
  }

  /** True if a checkpoint would free blocks. */
  public boolean holdsBlocks() {
    synchronized (retired) {
      return retired.stream().anyMatch(commit -> !commit.ranges().isEmpty());
    }
  }

  /** Makes everything committed so far durable. */
  public CompletionStage<Long> now() {
    CompletableFuture<Long> done = new CompletableFuture<>();
    whenSynced(
        null,
        failure -> {
          if (failure == null) {
            done.complete(durable);
          } else {
            done.completeExceptionally(failure);
          }
        });
    return done;
  }

  /**
   * Syncs the tables, and before them the data of these segments, or of all with a checkpoint if
   * null.
   *
   * @param done gets null, or the failure; runs on the sync executor
   */
  void whenSynced(SortedSet<Integer> segments, Consumer<WeftException> done) {
    Waiter waiter = new Waiter(segments, done);
    synchronized (waiters) {
      waiters.add(waiter);
    }
    if (roundAsked.getAndSet(true)) {
      return;
    }
    try {
      syncing.execute(this::round);
    } catch (RejectedExecutionException e) {
      refuseIfClosed(waiter);
    } catch (OutOfMemoryError e) {
      refuseAll(e);
    }
  }

  /** The system gave no thread: callers that wait are told, and the next call asks again. */
  private void refuseAll(OutOfMemoryError e) {
    List<Waiter> refused;
    synchronized (waiters) {
      refused = List.copyOf(waiters);
      waiters.clear();
    }
    roundAsked.set(false);
    WeftException why =
        new WeftException(
            ErrorCode.OVERLOADED, "the system has no thread for a checkpoint; try again later", e);
    refused.forEach(waiter -> waiter.done().accept(why));
  }

  /** The executor has ended: the last round takes the waiter, unless it is over. */
  private void refuseIfClosed(Waiter waiter) {
    boolean left;
    synchronized (waiters) {
      left = closed && waiters.remove(waiter);
    }
    if (left) {
      waiter.done().accept(closedStore());
    }
  }

  /**
   * Ends the executor, then makes the last checkpoint on this thread, unless a sync still hangs. A
   * second sync beside that one could claim as sound what the first finds wrong. Not for that
   * executor's tasks.
   */
  public void close() {
    Scheduler.Timer last = timer;
    if (last != null) {
      last.cancel();
    }
    syncing.close();
    synchronized (waiters) {
      closed = true;
      waiters.add(new Waiter(null, failure -> {}));
    }
    if (syncing.isQuiet()) {
      runRound();
    } else {
      take().forEach(waiter -> waiter.done().accept(closedStore()));
    }
  }

  /** No sync is under way; after the end none will be. */
  public boolean isQuiet() {
    return syncing.isQuiet();
  }

  private List<Waiter> take() {
    synchronized (waiters) {
      List<Waiter> taken = List.copyOf(waiters);
      waiters.clear();
      return taken;
    }
  }

  private static WeftException closedStore() {
    return new WeftException(ErrorCode.UNAVAILABLE, "the object store is closed");
  }

  private void round() {
    roundAsked.set(false);
    if (!closed) {
      runRound();
    }
  }

  private void runRound() {
    List<Waiter> taken = take();
    WeftException failure = null;
    try {
      store.health().requireWritable();
      sync(taken);
    } catch (WeftException e) {
      failure = e;
    } catch (OutOfSpaceException e) {
      failure = outOfSpace(e);
    } catch (Throwable e) {
      // After a failed sync it is unknown what is on the disk; a second one would claim success.
      store.health().fail("making changes durable failed: " + e, e);
      failure = store.health().refusal("the change could not be made durable: " + e, e);
    }
    for (Waiter waiter : taken) {
      waiter.done().accept(failure);
    }
  }

  private WeftException outOfSpace(OutOfSpaceException e) {
    if (e.isReserveUsedUp()) {
      // Managers would wait for this checkpoint for ever.
      store.health().fail("the disk is full, with what is kept for checkpoints: " + e, e);
      return store.health().refusal("the change could not be made durable: " + e, e);
    }
    // There may be space later, and no other caller may come to try again.
    if (!closed) {
      setTimer();
    }
    return new WeftException(
        ErrorCode.NO_SPACE, "the disk has no space for the store's tables: " + e, e);
  }

  private void sync(List<Waiter> taken) throws IOException {
    SortedSet<Integer> segments = new TreeSet<>();
    boolean everything = false;
    for (Waiter waiter : taken) {
      everything |= waiter.segments() == null;
      if (waiter.segments() != null) {
        segments.addAll(waiter.segments());
      }
    }
    if (everything) {
      checkpoint();
    } else {
      store.segments().sync(segments);
      store.values().sync();
    }
  }

  private void checkpoint() throws IOException {
    Scheduler.Timer last = timer;
    if (last != null) {
      last.cancel();
    }
    timerSet.set(false);
    store.space().closeIdleStreams();
    long wanted;
    synchronized (numbers) {
      wanted = lastCommit;
    }
    while (begin(wanted)) {
      finish();
    }
    if (hasManyCopies() && !closed) {
      // They came during the checkpoint.
      var unused = now();
    }
  }

  private boolean hasManyCopies() {
    synchronized (retired) {
      return copiedBytes >= MANY_COPIED_BYTES;
    }
  }

  /** Fixes what the next checkpoint covers, if there is none begun; false if none is needed. */
  private boolean begin(long wanted) {
    synchronized (numbers) {
      if (begun == durable && begunCommit < wanted) {
        begun = durable + 1;
        begunCommit = lastCommit;
      }
      return begun != durable;
    }
  }

  private void finish() throws IOException {
    long number;
    long covered;
    synchronized (numbers) {
      number = begun;
      covered = begunCommit;
    }
    store.segments().sync();
    List<Retired> done = coveredBy(covered);
    KeyValueStore.Batch batch = new KeyValueStore.Batch().urgent();
    batch.put(StoreKeys.checkpoint(), NumberCodec.encode(number));
    for (Retired commit : done) {
      commit.keys().forEach(batch::remove);
    }
    store.values().write(batch, true);
    durable = number;
    synchronized (retired) {
      for (Retired commit : done) {
        retired.remove();
        copiedBytes -= commit.copiedBytes();
      }
    }
    for (Retired commit : done) {
      store.pins().retire(commit.ranges());
    }
  }

  private List<Retired> coveredBy(long commit) {
    List<Retired> done = new ArrayList<>();
    synchronized (retired) {
      for (Retired next : retired) {
        if (next.commit() > commit) {
          break;
        }
        done.add(next);
      }
    }
    return done;
  }
}
