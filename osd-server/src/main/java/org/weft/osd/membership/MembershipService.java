package org.weft.osd.membership;

import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.osd.membership.SysmgrMessages.Admission;
import org.weft.osd.store.MutationOutcome;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.StoreIdentity;
import org.weft.protocol.clock.ClusterClock;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;
import org.weft.protocol.wire.HeartbeatReply;
import org.weft.protocol.wire.HeartbeatRequest;
import org.weft.protocol.wire.JoinReply;
import org.weft.protocol.wire.PartitionKeys;

/**
 * Does what {@link MembershipMachine} says: one call to SysMgr at a time, and the store's part of a
 * join, on a serial executor of its own. Any thread may call the public methods.
 */
public final class MembershipService implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MembershipService.class);
  private static final int CALL_TIMEOUT_MILLIS = 2_000;
  private static final int LEAVE_TIMEOUT_MILLIS = 10_000;
  private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final MembershipOptions options;
  private final ObjectStore store;
  private final Supplier<OsdReport> reports;
  private final StallGuard stalls;
  private final KeptCopy copy;
  private final Scheduler scheduler;
  private final Ticker ticker;
  private final Scheduler.OwnedExecutor executor;
  private final ClusterClock clock;
  private final SysmgrConnection link;
  private final MembershipMachine machine;
  private final PartitionEndings endings;
  private final CompletableFuture<Void> admitted = new CompletableFuture<>();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final CompletableFuture<WeftException> deposed = new CompletableFuture<>();

  private JoinReply joinReply;
  private long partitionsVersion;
  private QuarantineKnown quarantine = QuarantineKnown.NONE;
  // It was said that the store has failed, and SysMgr goes on as if it had not been.
  private boolean failureUnheard;
  // Of the call under way, or of the last one.
  private long sentNanos;
  private boolean busy;
  private String saidNotAdmitted = "";
  private Scheduler.Timer timer;

  /** Does nothing before {@link #start}. */
  public MembershipService(
      MembershipOptions options,
      ObjectStore store,
      Supplier<OsdReport> reports,
      StallGuard stalls,
      ClusterClock clock,
      KeptCopy copy,
      Environment environment) {
    this.clock = clock;
    this.copy = copy;
    this.stalls = stalls;
    this.options = options;
    this.store = store;
    this.endings = new PartitionEndings(store::apply);
    this.reports = reports;
    this.scheduler = environment.scheduler();
    this.ticker = environment.ticker();
    this.executor = scheduler.newSerialExecutor("osd-membership");
    this.link = new SysmgrConnection(environment.transport());
    this.machine =
        new MembershipMachine(
            options.sysmgrs(),
            TimeUnit.MILLISECONDS.toNanos(options.joinTimeoutMillis()),
            environment.random(),
            ticker.nowNanos());
  }

  /**
   * Joins, and stays a member until {@link #close}. The future completes, on the service's own
   * thread, when everything SysMgr sent is durable and the OSD may serve. It fails with a {@link
   * WeftException} if the OSD was refused or its time is over.
   */
  public CompletableFuture<Void> start() {
    executor.execute(this::step);
    return admitted;
  }

  /**
   * A manager says that SysMgr has given up this start of the OSD, which may not hear so itself.
   * The OSD is then in the quarantine that SysMgr will put it into when it is heard again (P 5.8).
   * No client writes around an OSD that still serves readers with older maps, as far as managers
   * reach it.
   *
   * <p>An OSD that merely hears nothing of SysMgr does not refuse clients by itself. It cannot tell
   * whether it alone is cut off, or SysMgr has no majority. Without a majority no OSD is given up,
   * and open files go on being read and written. Refusals would end all of that at once, although
   * no reader is in danger of old bytes.
   *
   * <p>Completes when clients are refused, or when nothing of it was new. Fails if it could not be
   * noted; clients are refused all the same, as long as the process lives.
   */
  public CompletionStage<Void> givenUp(long incarnation, long number) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    try {
      executor.execute(() -> hearGivenUp(incarnation, number, done));
    } catch (RejectedExecutionException e) {
      done.completeExceptionally(
          new WeftException(ErrorCode.UNAVAILABLE, "this OSD is being stopped", e));
    }
    return done;
  }

  private void hearGivenUp(long incarnation, long number, CompletableFuture<Void> done) {
    QuarantineKnown heard = quarantine.heard(new QuarantineKnown(number, true));
    try {
      if (incarnation == store.identity().incarnation() && !heard.equals(quarantine)) {
        LOG.warn("a manager says that SysMgr has given this OSD up: clients are refused");
        keep(heard);
      }
      done.complete(null);
    } catch (WeftException e) {
      done.completeExceptionally(e);
    }
  }

  /**
   * Tells SysMgr that the OSD leaves, as far as it can be reached; completes when that is done or
   * given up.
   */
  public CompletableFuture<Void> leave() {
    executor.execute(
        () -> {
          machine.leave();
          step();
        });
    return ended;
  }

  /** {@link #leave}, waited for, and stops. Blocks for seconds at most. */
  @Override
  public void close() {
    try {
      leave().get(LEAVE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
      LOG.warn("could not tell SysMgr that this OSD leaves", e);
    }
    executor.execute(link::close);
    executor.close();
  }

  private void step() {
    if (busy) {
      return;
    }
    MembershipMachine.Action action = machine.next(ticker.nowNanos());
    if (mustBeSilent(action)) {
      waitUntil(ticker.nowNanos() + SILENCE_NANOS);
    } else if (action instanceof MembershipMachine.Join join) {
      call(
          join.sysmgr(),
          Opcode.JOIN_OSD,
          SysmgrMessages.join(store.identity(), options, store.failure()),
          this::joined);
    } else if (action instanceof MembershipMachine.Store) {
      storeJoin();
    } else if (action instanceof MembershipMachine.Heartbeat heartbeat) {
      HeartbeatRequest beat = heartbeatRequest(heartbeat.leaving());
      call(heartbeat.sysmgr(), Opcode.HEARTBEAT, beat, reply -> reported(beat, reply));
    } else if (action instanceof MembershipMachine.Wait wait) {
      waitUntil(wait.untilNanos());
    } else if (action instanceof MembershipMachine.End end) {
      end(end.refusal());
    } else {
      throw new AssertionError("unhandled action: " + action);
    }
  }

  /**
   * Nothing keeps an OSD up whose store has failed: SysMgr calls it down when it says so, whether
   * its next start will know or not. A SysMgr of an older release does not listen to that. It hears
   * no more of an OSD that could not note its failure, except that the OSD leaves.
   */
  private boolean mustBeSilent(MembershipMachine.Action action) {
    boolean speaks =
        action instanceof MembershipMachine.Join
            || action instanceof MembershipMachine.Heartbeat heartbeat && !heartbeat.leaving();
    return speaks && failureUnheard && store.hasFailed() && store.isSilent();
  }

  private HeartbeatRequest heartbeatRequest(boolean leaving) {
    return SysmgrMessages.heartbeat(
            store.identity(),
            reports.get(),
            partitionsVersion,
            quarantine,
            store.failure(),
            leaving)
        .toBuilder()
        .setStoodStill(stalls.wantsConfirmation())
        .setChange(store.lastChange())
        .setClockMillis(clock.ownMillis())
        .setRoundTripMillis((int) Math.min(Integer.MAX_VALUE, clock.roundTripMillis()))
        .setCopyVersion(copy.version())
        .build();
  }

  private void call(Endpoint sysmgr, Opcode opcode, MessageLite body, Answered answered) {
    long nowNanos = ticker.nowNanos();
    sentNanos = nowNanos;
    machine.sending(nowNanos);
    StoreIdentity identity = store.identity();
    RpcRequest request = RpcRequest.proven(opcode, body, CALL_TIMEOUT_MILLIS, options.joinSecret());
    String caller = identity.osd().map(id -> "osd-" + id).orElse("osd");
    whileBusy(
        link.call(sysmgr, identity.cluster(), caller, request),
        (reply, failure) -> {
          try {
            if (failure != null) {
              throw WeftException.of(failure);
            }
            answered.with(reply);
          } catch (WeftException e) {
            LOG.debug("{} asked {}: {}", opcode, sysmgr, e.toString());
            sayWhyNotAdmitted(e);
            machine.failed(e, ticker.nowNanos());
          }
        });
  }

  /** Before the OSD gives up, which takes minutes; each reason once in a row. */
  private void sayWhyNotAdmitted(WeftException why) {
    String reason = String.valueOf(why.getMessage());
    if (!admitted.isDone() && !reason.equals(saidNotAdmitted)) {
      saidNotAdmitted = reason;
      LOG.warn("not in the cluster yet: {}", reason);
    }
  }

  private long tookMillis() {
    return TimeUnit.NANOSECONDS.toMillis(ticker.nowNanos() - sentNanos);
  }

  private void joined(RpcReply reply) throws WeftException {
    joinReply = reply.parse(JoinReply.parser());
    clock.heard(joinReply.getClockMillis(), tookMillis());
    machine.joined();
    machine.learned(SysmgrMessages.endpoints(joinReply.getSysmgrsList()));
  }

  /** Identity first: keys of another cluster must never reach the store. */
  private void storeJoin() {
    try {
      Admission admission = SysmgrMessages.admission(joinReply);
      stalls.hearsNothing();
      try {
        store.join(admission.cluster(), admission.osd());
      } finally {
        stalls.hears();
      }
      // Decided by a majority just now, so never old; and before any client is served.
      keep(QuarantineKnown.of(joinReply));
      whileBusy(
          stored(joinReply.getPartitionsList(), joinReply.getLastPartitionId()),
          (done, failure) -> {
            if (failure != null) {
              machine.storeFailed(WeftException.of(failure), ticker.nowNanos());
            } else {
              partitionsVersion = joinReply.getPartitionsVersion();
              machine.admitted(admission.heartbeatMillis(), ticker.nowNanos());
              stalls.joined(sentNanos, joinReply.getDownMillis());
              announce(admission);
            }
          });
    } catch (WeftException e) {
      machine.storeFailed(e, ticker.nowNanos());
      step();
    }
  }

  private void announce(Admission admission) {
    if (machine.isMember()) {
      LOG.info("joined cluster {} as OSD {}", admission.cluster(), admission.osd());
      admitted.complete(null);
    }
  }

  private void reported(HeartbeatRequest beat, RpcReply answer) throws WeftException {
    HeartbeatReply reply = answer.parse(HeartbeatReply.parser());
    clock.heard(reply.getClockMillis(), tookMillis());
    machine.reported(reply.getQuarantined());
    machine.learned(SysmgrMessages.endpoints(reply.getSysmgrsList()));
    failureUnheard = !beat.getStoreFailure().isEmpty() && !reply.getQuarantined();
    endings.goOn();
    QuarantineKnown heard = quarantine.heard(QuarantineKnown.of(reply));
    if (!heard.equals(quarantine)) {
      keep(heard);
      // SysMgr waits to hear that this is known here.
      machine.hurry(ticker.nowNanos());
    }
    // Only now: clients that are refused are not let in before a quarantine is known.
    stalls.answered(sentNanos, beat.getStoodStill());
    if (reply.getPartitionsCount() > 0) {
      whileBusy(
          stored(reply.getPartitionsList(), reply.getLastPartitionId()),
          (done, failure) -> {
            if (failure == null) {
              partitionsVersion = reply.getPartitionsVersion();
            } else {
              LOG.error(
                  "keys or fences that SysMgr sent could not be stored; asking again", failure);
            }
          });
    }
    // Last, for the disk may hang: what was answered of a quarantine is known by then.
    stalls.hearsNothing();
    try {
      copy.offered(reply.getConfigurationCopy(), store.identity().cluster());
    } finally {
      stalls.hears();
    }
  }

  private void keep(QuarantineKnown known) throws WeftException {
    boolean turns = known.active() != store.isQuarantined();
    if (turns || !known.open().equals(quarantine.open())) {
      // The disk may hang, and clients be let in by what SysMgr has taken back meanwhile.
      stalls.hearsNothing();
      try {
        store.quarantine(known.active(), known.open());
      } finally {
        stalls.hears();
      }
      LOG.info(
          !known.active()
              ? "readmission: all clients are served again"
              : "in quarantine {}: until managers have compared what is here, clients are refused,"
                  + " but for those of partitions {}",
          known.number(),
          known.open());
    }
    quarantine = known;
  }

  private CompletionStage<Void> stored(List<PartitionKeys> news, long lastPartition)
      throws WeftException {
    if (store.hasFailed()) {
      // It is down until it was started again, and is told then.
      return CompletableFuture.completedFuture(null);
    }
    List<PartitionId> gone = PartitionNews.gone(store, news, lastPartition);
    return store
        .applyAll(PartitionNews.changes(store, news))
        .thenCompose(MembershipService::allDone)
        .thenRun(() -> endings.add(gone));
  }

  private static CompletionStage<Void> allDone(List<MutationOutcome> outcomes) {
    for (MutationOutcome outcome : outcomes) {
      if (outcome.failure() != null) {
        return CompletableFuture.failedFuture(outcome.failure());
      }
    }
    return CompletableFuture.completedFuture(null);
  }

  /** Nothing else is begun until the stage has completed and its outcome was dealt with. */
  private <T> void whileBusy(CompletionStage<T> stage, BiConsumer<T, Throwable> outcome) {
    busy = true;
    var unused =
        stage.whenCompleteAsync(
            (value, failure) -> {
              busy = false;
              outcome.accept(value, failure);
              step();
            },
            executor);
  }

  private void waitUntil(long untilNanos) {
    if (timer != null) {
      timer.cancel();
    }
    timer = scheduler.schedule(untilNanos - ticker.nowNanos(), executor, this::step);
  }

  /**
   * Completes if SysMgr has let another process in as this OSD: this one must answer no request any
   * more, and end (P 5.10).
   */
  public CompletionStage<WeftException> deposed() {
    return deposed;
  }

  private void end(WeftException refusal) {
    if (refusal != null && admitted.isDone() && !admitted.isCompletedExceptionally()) {
      LOG.error("this OSD refuses all clients and ends: {}", refusal.getMessage());
      deposed.complete(refusal);
    }
    if (timer != null) {
      timer.cancel();
    }
    admitted.completeExceptionally(
        refusal != null
            ? refusal
            : new WeftException(ErrorCode.CANCELLED, "the OSD was stopped before it had joined"));
    ended.complete(null);
  }

  /** Takes a reply; throws if it cannot be used. */
  @FunctionalInterface
  private interface Answered {
    void with(RpcReply reply) throws WeftException;
  }
}
