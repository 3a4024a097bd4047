package org.weft.metadata.serving.request;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.journal.JournalLog;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.objects.ObjectLoader;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.metadata.objects.flush.FlushOwner;
import org.weft.metadata.objects.flush.Flusher;
import org.weft.metadata.serving.request.ReplyGate.Held;
import org.weft.metadata.volume.Caller;
import org.weft.metadata.volume.VolumeMachine;
import org.weft.metadata.volume.execution.Now;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.metadata.volume.operation.grant.RenewGrants;
import org.weft.metadata.volume.operation.volume.AddLiveEffects;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.seam.Scheduler.Timer;

/**
 * Runs one volume's machine. Requests are executed one after another; what they lack is loaded, and
 * they are executed again. Their records go to the journal, which writes and syncs many at once.
 * Answers leave when the LSN they have seen is durable, and only while the serving lease holds (P
 * 6.1, 6.2). Effects are flushed behind (P 6.3).
 *
 * <p>On the volume's thread. While that is idle, the thread that brings a request executes it, and
 * the thread that made records durable answers.
 *
 * <p>Bounded: past {@link #MAX_REQUESTS} requests are refused with OVERLOADED; while the journal's
 * queue or what waits to be flushed is full, requests wait here.
 */
public final class VolumeService implements FlushOwner {
  /** Requests under way, those that wait for room or for a load included. */
  public static final int MAX_REQUESTS = 20_000;

  private static final Logger LOG = LoggerFactory.getLogger(VolumeService.class);
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** A thread that slept longer than this did not serve its clients meanwhile. */
  private static final long LONG_SLEEP_NANOS = TimeUnit.SECONDS.toNanos(2);

  private enum Phase {
    STARTING,
    SERVING,
    ENDED
  }

  private final Environment environment;
  private final OwnedExecutor home;
  private final VolumeMachine machine;
  private final MetadataCache cache;
  private final JournalLog journal;
  private final ServingLease lease;
  private final LoadCoalescer loads;
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicBoolean releaseQueued = new AtomicBoolean();
  private final AtomicLong durableLsn = new AtomicLong();

  // Confined to the volume's thread.
  private final ReplyGate gate = new ReplyGate();
  private final ParkedTasks parked = new ParkedTasks(this::run);
  private final OwnOperations own;
  private final List<Runnable> watchers = new ArrayList<>();
  private Runnable recalls = () -> {};
  private Phase phase = Phase.STARTING;
  private String reason = "the volume is being recovered";
  private Flusher flusher;
  private Timer timer = () -> {};
  private Consumer<String> endListener = why -> {};
  private long lastTickNanos;
  private boolean clientsWereCutOff;

  /** The home is the volume's thread, on which the machine and the cache live. */
  public VolumeService(
      Environment environment,
      OwnedExecutor home,
      VolumeMachine machine,
      MetadataCache cache,
      JournalLog journal,
      ObjectLoader loader,
      ServingLease lease) {
    this.environment = environment;
    this.home = home;
    this.machine = machine;
    this.cache = cache;
    this.journal = journal;
    this.lease = lease;
    this.loads = new LoadCoalescer(loader, cache, home);
    this.own =
        new OwnOperations(
            this::runOwn,
            home,
            () ->
                phase == Phase.SERVING
                    && parked.isRoomEnough()
                    && lease.holds(now().monotonicNanos()));
  }

  /**
   * The machine has recovered: what the journal holds may be flushed. On the volume's thread.
   *
   * @param recovered everything up to this LSN was found in the journal
   */
  public void begin(Flusher flushing, Lsn recovered) {
    flusher = flushing;
    durableLsn.set(recovered.value());
    // LSNs of this epoch that no record has are seen by readers from the start: nothing is to wait
    // for.
    var unusedHeld = gate.durable(machine.lastLsn());
    flusher.begin();
    flusher.recordDurable(recovered);
    lastTickNanos = now().monotonicNanos();
    scheduleTick();
  }

  /** Requests of clients are executed from now on. On the volume's thread. */
  public void serve() {
    if (phase == Phase.STARTING) {
      phase = Phase.SERVING;
      reason = "";
      machine.renewSessions(now());
    }
  }

  /** Is called with the reason, on the volume's thread, when the volume is not served any more. */
  public void whenEnded(Consumer<String> listener) {
    endListener = listener;
  }

  /** Runs after each tick while the volume is served, on its thread. */
  public void addWatcher(Runnable watcher) {
    watchers.add(watcher);
  }

  /** Asks back grants that others wait for: whenever a client has to wait, and each tick. */
  public void onBusy(Runnable asking) {
    recalls = asking;
    addWatcher(asking);
  }

  /** A client's request; any thread. */
  public void submit(Caller caller, Operation operation, AnswerSink sink) {
    if (requests.incrementAndGet() > MAX_REQUESTS) {
      requests.decrementAndGet();
      sink.refuse(
          new WeftException(
              ErrorCode.OVERLOADED,
              MAX_REQUESTS + " requests are under way at this manager; try again later"));
      return;
    }
    Task task = new Task(caller, operation, true, new CountedSink(sink, requests));
    try {
      home.executeBrief(() -> guarded(() -> admit(task)));
    } catch (RejectedExecutionException e) {
      task.sink().refuse(new WeftException(ErrorCode.NOT_SERVING, "the manager has stopped", e));
    }
  }

  /**
   * An operation of the manager itself. Completes with its LSN once it is durable; on the volume's
   * thread, as it must be called.
   */
  public CompletableFuture<Lsn> runOwn(Operation operation) {
    return askOwn(operation).thenApply(OwnSink.Answered::lsn);
  }

  /** As {@link #runOwn}, with the answer. */
  public CompletableFuture<OwnSink.Answered> askOwn(Operation operation) {
    CompletableFuture<OwnSink.Answered> done = new CompletableFuture<>();
    guarded(() -> run(new Task(null, operation, false, new OwnSink(done))));
    return done;
  }

  private void admit(Task task) {
    if (phase != Phase.SERVING) {
      task.sink().refuse(new WeftException(ErrorCode.NOT_SERVING, reason));
    } else if (!lease.holds(now().monotonicNanos())) {
      clientsWereCutOff = true;
      task.sink().refuse(leaseOver());
    } else {
      long before = machine.tellings();
      run(task);
      if (machine.tellings() != before) {
        parked.resumeTold(what -> machine.isAwaited(what, now()), now().monotonicNanos());
      }
      if (machine.isLockFreed()) {
        recalls.run();
      }
    }
  }

  private void run(Task task) {
    if (phase == Phase.ENDED) {
      task.sink().refuse(new WeftException(ErrorCode.NOT_SERVING, reason));
      return;
    }
    if (task.sink().abandoned()) {
      task.sink().refuse(new WeftException(ErrorCode.CANCELLED, "the client waits no longer"));
      return;
    }
    try {
      if (journal.hasRoom()) {
        cache.journalHolds(journal.size().bytes());
        settle(task, decide(task));
      } else {
        parked.untilJournalHasRoom(task);
      }
    } catch (RuntimeException | Error e) {
      // It may be answered once more when the service ends. The first answer counts.
      task.sink().refuse(inDoubt("the manager failed: " + e));
      throw e;
    }
  }

  /** What was decided is on its way to the journal. */
  private Outcome decide(Task task) {
    Outcome outcome =
        task.caller() == null
            ? machine.execute(task.operation(), now())
            : machine.execute(task.caller(), task.operation(), now());
    if (outcome instanceof Outcome.Done done) {
      done.record().ifPresent(this::append);
    }
    return outcome;
  }

  /**
   * The state may be half changed by what failed, whatever it was: what is durable is sound, and a
   * restart begins from there.
   */
  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (Throwable e) {
      LOG.error("the volume cannot go on", e);
      end("the manager failed: " + e);
    }
  }

  private void settle(Task task, Outcome outcome) {
    if (outcome instanceof Outcome.Need need) {
      load(task, need);
    } else if (outcome instanceof Outcome.NoRoom) {
      parked.untilFlushed(task);
    } else if (outcome instanceof Outcome.Waits waits) {
      parked.untilTold(waits, task, now().monotonicNanos());
      recalls.run();
    } else if (outcome instanceof Outcome.Done done) {
      answerOnceDurable(new Held(task, done.reply(), null, done.seen()));
    } else if (outcome instanceof Outcome.Refused refused) {
      ErrorCode code = refused.why().code();
      // Operations that call holders to give back what they have are refused with these two.
      if (code == ErrorCode.BUSY || code == ErrorCode.BEING_WRITTEN) {
        recalls.run();
      }
      answerOnceDurable(new Held(task, null, refused.why(), refused.seen()));
    } else {
      throw new AssertionError("unhandled outcome: " + outcome);
    }
  }

  private void load(Task task, Outcome.Need need) {
    if (!task.mayLoadAgain()) {
      task.sink()
          .refuse(
              new WeftException(
                  ErrorCode.OVERLOADED,
                  "the manager's cache does not hold what this request needs; try again later"));
      return;
    }
    loads.load(need.missing(), failure -> guarded(() -> loaded(task, failure)));
  }

  private void loaded(Task task, WeftException failure) {
    if (failure == null) {
      run(task);
    } else if (task.caller() == null || phase == Phase.ENDED) {
      task.sink().refuse(failure);
    } else {
      settle(task, machine.refused(task.caller(), task.operation(), failure));
    }
  }

  private void answerOnceDurable(Held held) {
    if (gate.isOpenFor(held.seen())) {
      answer(held);
    } else {
      gate.hold(held);
    }
  }

  private void answer(Held held) {
    AnswerSink sink = held.task().sink();
    if (held.task().isClients() && !lease.holds(now().monotonicNanos())) {
      clientsWereCutOff = true;
      sink.refuse(inDoubt("this manager's lease ended before it could reply"));
    } else if (held.refusal() != null) {
      sink.refuse(held.refusal());
    } else {
      sink.reply(held.reply(), held.seen());
    }
  }

  /** The request may have been carried out: only a retry under the same number tells. */
  private static WeftException inDoubt(String why) {
    return new WeftException(ErrorCode.CANCELLED, why + "; the request may have been carried out");
  }

  private WeftException leaseOver() {
    return new WeftException(
        ErrorCode.NOT_SERVING,
        lease.isRevoked()
            ? "this manager serves the volume no more"
            : "SysMgr has not renewed this manager's lease; it serves again once it does");
  }

  private void append(JournalRecord record) {
    var unused =
        journal
            .append(record)
            .whenComplete(
                (nothing, failure) -> {
                  if (failure != null) {
                    WeftException cause = WeftException.of(failure);
                    home.execute(() -> end("the journal failed: " + cause.getMessage()));
                  } else {
                    durable(record.lsn());
                  }
                });
  }

  /**
   * On the thread of the journal or of its backup's answers, the last of several first: one call
   * stands for all of them. Never goes back.
   */
  private void durable(Lsn lsn) {
    long before =
        durableLsn.getAndAccumulate(
            lsn.value(), (one, other) -> Long.compareUnsigned(one, other) >= 0 ? one : other);
    if (Long.compareUnsigned(lsn.value(), before) <= 0) {
      return;
    }
    if (releaseQueued.compareAndSet(false, true)) {
      home.executeBrief(() -> guarded(this::releaseDurable));
    }
  }

  private void releaseDurable() {
    releaseQueued.set(false);
    if (phase == Phase.ENDED) {
      return;
    }
    Lsn upTo = new Lsn(durableLsn.get());
    flusher.recordDurable(upTo);
    gate.durable(upTo).forEach(this::answer);
    if (!parked.isEmpty()) {
      // Thousands may wait: that is not brief.
      home.execute(() -> guarded(this::resumeParked));
    }
  }

  private void resumeParked() {
    parked.resume(journal::hasRoom, cache::hasRoom);
    parked.resumeTold(what -> machine.isAwaited(what, now()), now().monotonicNanos());
  }

  private void scheduleTick() {
    timer = environment.scheduler().schedule(TICK_NANOS, home, () -> guarded(this::tick));
  }

  private void tick() {
    if (phase == Phase.ENDED) {
      return;
    }
    Now now = now();
    boolean slept = now.monotonicNanos() - lastTickNanos > LONG_SLEEP_NANOS;
    lastTickNanos = now.monotonicNanos();
    if (phase == Phase.SERVING) {
      if (!lease.holds(now.monotonicNanos())) {
        clientsWereCutOff = true;
      } else if (slept || clientsWereCutOff) {
        // Clients could not renew their sessions while they were not answered.
        machine.renewSessions(now);
        clientsWereCutOff = false;
      } else if (parked.isRoomEnough()) {
        own.run(machine.due(now));
      }
      watchers.forEach(Runnable::run);
    }
    // At a start, too: the manager's own changes may wait for clients that cannot reclaim yet.
    resumeParked();
    maybeSnapshot();
    scheduleTick();
  }

  private void maybeSnapshot() {
    // Redo suspects copies that it may take back, and a snapshot would make that last.
    if (!cache.isReplaying() && journal.snapshotWanted()) {
      var unused =
          journal
              .writeSnapshot(machine.snapshot())
              .whenComplete(
                  (nothing, failure) -> {
                    if (failure != null) {
                      LOG.warn(
                          "no snapshot of live state: {}", WeftException.of(failure).getMessage());
                    }
                  });
    }
  }

  @Override
  public void journal(List<LiveEffect> effects) {
    var unused = runOwn(new AddLiveEffects(effects));
  }

  @Override
  public void droppableBelow(Lsn lsn) {
    journal.dropBelow(lsn);
    maybeSnapshot();
    guarded(this::resumeParked);
  }

  @Override
  public void crowded(ObjectId object) {
    var unused = runOwn(new RenewGrants(object));
  }

  @Override
  public void fenced(WeftException refusal) {
    lease.revoke();
    end("this manager was deposed: " + refusal.getMessage());
  }

  /** Everything up to this LSN is durable in the journal. */
  public Lsn durable() {
    return new Lsn(durableLsn.get());
  }

  /**
   * Stops serving: later requests are refused with this reason. What was decided and is not durable
   * yet is never answered. On the volume's thread.
   */
  public void end(String why) {
    if (phase == Phase.ENDED) {
      return;
    }
    LOG.info("volume not served any more: {}", why);
    phase = Phase.ENDED;
    reason = why;
    timer.cancel();
    if (flusher != null) {
      flusher.close();
    }
    parked
        .drain()
        .forEach(task -> task.sink().refuse(new WeftException(ErrorCode.NOT_SERVING, why)));
    gate.drain().forEach(held -> held.task().sink().refuse(inDoubt(why)));
    endListener.accept(why);
  }

  /**
   * Refuses new requests, brings everything to the OSDs as far as they are there, and writes a
   * snapshot. Completes on the volume's thread, as it must be called; callers set a deadline.
   */
  public CompletableFuture<Void> drain() {
    phase = phase == Phase.SERVING ? Phase.STARTING : phase;
    reason = "the manager is stopping";
    CompletableFuture<Void> drained = new CompletableFuture<>();
    if (flusher == null || phase == Phase.ENDED) {
      drained.complete(null);
      return drained;
    }
    Passing.to(
        drained,
        flusher.flushed().thenCompose(nothing -> journal.writeSnapshot(machine.snapshot())));
    return drained;
  }

  private Now now() {
    return new Now(environment.clock().nowMillis(), environment.ticker().nowNanos());
  }
}
