package org.weft.metadata.objects.flush;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.weft.metadata.access.OsdWait;
import org.weft.metadata.access.WaitSink;
import org.weft.metadata.objects.ObjectLoader;
import org.weft.metadata.objects.OsdPort;
import org.weft.metadata.objects.OsdStates;
import org.weft.metadata.objects.cache.FlushRound;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.seam.Environment;

/**
 * Flushes in rounds. A round takes everything that has changed, waits until the newest record among
 * it is durable, and gives it to all copies. The next round begins when it has ended. Records up to
 * a round can be dropped when checkpoints cover it and all before it. Confined to the volume's
 * thread.
 */
public final class RoundFlusher implements Flusher {
  /**
   * What changes again meanwhile is flushed once: a file that is made, written, closed and renamed,
   * a directory that gets many names. The journal keeps it as long, and until a checkpoint of each
   * OSD that holds it.
   */
  private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int LOOKS_BEFORE_LOST_IS_ASKED_AGAIN = 4;

  private record Waiter(Lsn lsn, CompletableFuture<Void> done) {}

  private final FlushContext context;
  private final FlushOwner owner;
  private final WaitSink waits;
  private final LagJournal lags;
  private final CheckpointWatch checkpoints;
  private final CatchUp catchUp;
  private final List<Waiter> waiters = new ArrayList<>();
  private final List<Waiter> durabilityWaiters = new ArrayList<>();
  private Lsn durable = Lsn.ZERO;
  private Lsn flushedUpTo = Lsn.ZERO;
  private RoundRun run;
  private boolean again;
  private boolean lingering;
  // Records have become durable, and it will look for work soon.
  private boolean goingOn;
  private boolean closed;
  private int looks;

  /**
   * @param home the volume's thread, on which the cache lives and all methods here are called
   */
  public RoundFlusher(
      MetadataCache cache,
      OsdPort port,
      ObjectLoader loader,
      OsdStates states,
      FlushOwner owner,
      Environment environment,
      Executor home) {
    this(cache, port, loader, states, owner, environment, home, WaitSink.NONE);
  }

  /**
   * As the other one.
   *
   * @param waits receives the OSDs that rounds, checkpoints and refreshed copies wait for
   */
  public RoundFlusher(
      MetadataCache cache,
      OsdPort port,
      ObjectLoader loader,
      OsdStates states,
      FlushOwner owner,
      Environment environment,
      Executor home,
      WaitSink waits) {
    this.waits = waits;
    this.context = new FlushContext(cache, port, states, environment, home);
    this.owner = owner;
    this.lags = new LagJournal(cache.lagging(), owner);
    this.checkpoints = new CheckpointWatch(context, lags, new CheckpointEvents());
    this.catchUp = new CatchUp(context, checkpoints, lags, loader, new CatchUpProgress());
  }

  @Override
  public void begin() {
    context.later(LOOK_NANOS, this::look);
  }

  @Override
  public void recordDurable(Lsn lsn) {
    if (closed) {
      return;
    }
    boolean lagsWait = !lagsAreDurable();
    durable = lsn.compareTo(durable) > 0 ? lsn : durable;
    if (!goingOn && (lagsWait || !durabilityWaiters.isEmpty() || roundWaits())) {
      goingOn = true;
      context.soon(this::goOn);
    }
  }

  /** A round is to be planned or started, or its time to be set. */
  private boolean roundWaits() {
    if (run != null) {
      return !run.isStarted();
    }
    return context.cache().hasUnplanned() && (isRoundDue() || !lingering);
  }

  /** A caller waits for the round, or much has changed: it does not linger. */
  private boolean isRoundDue() {
    return !waiters.isEmpty() || context.cache().isRoundFull();
  }

  private boolean lagsAreDurable() {
    return lags.isIdle() && context.cache().lagging().lastAdded().compareTo(durable) <= 0;
  }

  private void goOn() {
    goingOn = false;
    if (!closed) {
      answer(durabilityWaiters, durable);
      lags.pump();
      advance();
    }
  }

  @Override
  public CompletionStage<Void> flushed() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    if (closed) {
      done.completeExceptionally(closedException());
    } else {
      waiters.add(new Waiter(context.cache().applied(), done));
      advance();
      answer(waiters, flushedUpTo);
    }
    return done;
  }

  private static WeftException closedException() {
    return new WeftException(ErrorCode.CANCELLED, "the volume is not served here any more");
  }

  @Override
  public void statesChanged() {
    if (!closed) {
      context.cache().forgetLost();
      checkpoints.look(false);
      advance();
      if (run != null) {
        run.pump();
      }
    }
  }

  private void look() {
    if (closed) {
      return;
    }
    context.later(LOOK_NANOS, this::look);
    if (++looks % LOOKS_BEFORE_LOST_IS_ASKED_AGAIN == 0) {
      context.cache().forgetLost();
    }
    checkpoints.look(context.cache().isPressed());
    catchUp.look();
    advance();
    if (run != null) {
      run.pump();
    }
    tellWaits();
  }

  private void tellWaits() {
    waits.waits(OsdWait.METADATA, run == null ? new TreeMap<>() : run.waiting());
    waits.waits(OsdWait.CHECKPOINT, checkpoints.late(context.cache().isPressed()));
    waits.waits(OsdWait.COMPARE, catchUp.waiting());
  }

  /** Does what can be done now. */
  private void advance() {
    if (closed) {
      return;
    }
    settle();
    if (run == null && context.cache().hasUnplanned()) {
      if (isRoundDue()) {
        plan();
      } else if (!lingering) {
        lingering = true;
        context.later(LINGER_NANOS, this::planAfterLinger);
      }
    }
    // The WAL rule (P 6.3): nothing leaves before its record is on disk here.
    if (run != null && !run.isStarted() && run.round().upTo().compareTo(durable) <= 0) {
      run.start();
    }
  }

  private void planAfterLinger() {
    lingering = false;
    if (!closed && run == null && context.cache().hasUnplanned()) {
      plan();
      advance();
    }
  }

  private void plan() {
    run = new RoundRun(context.cache().plan(), context, lags, new RunEvents());
  }

  private void ended(RoundRun ended) {
    run = null;
    if (again) {
      again = false;
      context.cache().planAgain(ended.round());
    } else {
      flushedUpTo = ended.round().whole() ? ended.round().upTo() : flushedUpTo;
      checkpoints.add(ended.round());
      if (context.cache().isPressed()) {
        // Operations wait for room soon, if they do not already: not for the next look as well.
        checkpoints.look(true);
      }
    }
    answer(waiters, flushedUpTo);
    advance();
  }

  private static void answer(List<Waiter> waiters, Lsn reached) {
    List<Waiter> done = new ArrayList<>();
    for (Waiter waiter : waiters) {
      if (waiter.lsn().compareTo(reached) <= 0) {
        done.add(waiter);
      }
    }
    waiters.removeAll(done);
    done.forEach(waiter -> waiter.done().complete(null));
  }

  /** Drops what is under checkpoints, once it is durable which copies were left behind. */
  private void settle() {
    if (!lagsAreDurable()) {
      return;
    }
    for (FlushRound round : checkpoints.takeSettled()) {
      context.cache().settled(round);
      if (round.whole()) {
        owner.droppableBelow(new Lsn(round.upTo().value() + 1));
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    checkpoints.close();
    catchUp.close();
    if (run != null) {
      run.stop();
    }
    List<Waiter> left = List.copyOf(waiters);
    waiters.clear();
    left.forEach(waiter -> waiter.done().completeExceptionally(closedException()));
  }

  private final class CatchUpProgress implements CatchUp.Progress {
    @Override
    public Lsn durable() {
      return durable;
    }

    @Override
    public CompletionStage<Void> becomesDurable(Lsn lsn) {
      CompletableFuture<Void> done = new CompletableFuture<>();
      durabilityWaiters.add(new Waiter(lsn, done));
      answer(durabilityWaiters, durable);
      return done;
    }

    @Override
    public CompletionStage<Void> flushed() {
      return RoundFlusher.this.flushed();
    }
  }

  private final class RunEvents implements RoundRun.Events {
    @Override
    public boolean knows(OsdId osd) {
      return checkpoints.knows(osd);
    }

    @Override
    public long incarnation(OsdId osd) {
      return checkpoints.incarnation(osd);
    }

    @Override
    public void doubts(OsdId osd) {
      checkpoints.doubt(osd);
    }

    @Override
    public void crowded(ObjectId object) {
      owner.crowded(object);
      // What this round says of the file's grants stays the same: another may say more.
      again = true;
      run.cutShort();
    }

    @Override
    public void fenced(WeftException refusal) {
      close();
      owner.fenced(refusal);
    }

    @Override
    public void finished(RoundRun finished) {
      if (!closed) {
        ended(finished);
      }
    }
  }

  private final class CheckpointEvents implements CheckpointWatch.Events {
    @Override
    public void known(OsdId osd) {
      if (run != null) {
        run.pump();
      }
    }

    @Override
    public void restarted(OsdId osd) {
      List<FlushRound> rounds = checkpoints.takeAll();
      for (int index = rounds.size() - 1; index >= 0; index--) {
        context.cache().planAgain(rounds.get(index));
      }
      if (run != null) {
        again = true;
        run.cutShort();
      }
    }

    @Override
    public void progressed() {
      advance();
    }
  }
}
