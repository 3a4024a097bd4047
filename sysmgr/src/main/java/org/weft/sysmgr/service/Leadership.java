package org.weft.sysmgr.service;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.LeaderHint;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.cluster.Event;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.NodeHistory;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OpenVolumes;
import org.weft.sysmgr.liveness.HeardNodes;
import org.weft.sysmgr.liveness.HeartbeatTable;
import org.weft.sysmgr.liveness.ManagerLeases;
import org.weft.sysmgr.liveness.Punctuality;
import org.weft.sysmgr.liveness.UnusableOsds;
import org.weft.sysmgr.liveness.WantedHandOvers;

/**
 * Notes whether this member leads, and does what a leader does by itself. It makes the cluster if
 * there is none, and judges nodes. Confined to the home executor.
 *
 * <p>A leader that has just taken over knows nothing of the leases that the one before it renewed.
 * So it waits one lease before it lets a new epoch through (P 6.2). Only the leader that made the
 * cluster has none before it.
 */
final class Leadership {
  private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);

  private enum State {
    FOLLOWING,
    TAKING_OVER,
    LEADING
  }

  private final ReplicatedLog log;
  private final Proposals proposals;
  private final ReplicatedConfiguration configuration;
  private final HeartbeatTable heartbeats;
  private final HeardNodes heard;
  private final UnusableOsds unusable;
  private final HandOvers handOvers;
  private final WantedHandOvers wanted;
  private final Environment environment;
  private final ClusterBirth birth;
  private final Punctuality punctuality = new Punctuality();
  private State state = State.FOLLOWING;
  private long term;
  private long epochsFromNanos;
  private long leadsSinceNanos;
  private boolean judging;
  private boolean judgingUnusable;

  Leadership(
      ReplicatedLog log,
      Proposals proposals,
      ReplicatedConfiguration configuration,
      HeartbeatTable heartbeats,
      HeardNodes heard,
      UnusableOsds unusable,
      ManagerLeases leases,
      Environment environment,
      ClusterBirth birth) {
    this.log = log;
    this.proposals = proposals;
    this.configuration = configuration;
    this.heartbeats = heartbeats;
    this.heard = heard;
    this.unusable = unusable;
    this.handOvers = new HandOvers(proposals, heartbeats, leases);
    this.wanted = new WantedHandOvers(unusable);
    this.environment = environment;
    this.birth = birth;
  }

  /** Looks which member leads, takes over or steps back, and judges the nodes. */
  void tick() {
    if (!log.isLeader()) {
      if (state != State.FOLLOWING) {
        LOG.info("this SysMgr member leads no more");
        stepBack();
      }
    } else if (state == State.FOLLOWING) {
      takeOver();
    } else if (state == State.LEADING) {
      judge();
      if (keepsUp()) {
        judgeUnusable();
        judgeWanted();
      } else {
        wanted.rest();
      }
      handOvers.repeat();
      if (keepsUp() && nanosUntilEpochs() <= 0) {
        handOvers.judge(configuration.current(), environment.ticker().nowNanos());
      }
      noteHistories();
    }
  }

  /** Something that decides on nodes ran by so much later than it should have. */
  void ran(String what, long byNanos) {
    if (punctuality.ran(byNanos, environment.ticker().nowNanos())) {
      LOG.warn(
          "this SysMgr member does not keep up, {} came {} ms late: it judges no silent node now",
          what,
          TimeUnit.NANOSECONDS.toMillis(byNanos));
    }
  }

  /** A heartbeat was refused, since there were too many requests. */
  void refusedHeartbeat() {
    if (punctuality.refusedHeartbeat(environment.ticker().nowNanos())) {
      LOG.warn("this SysMgr member has refused a heartbeat: it judges no silent node now");
    }
  }

  private boolean keepsUp() {
    return punctuality.keepsUp(environment.ticker().nowNanos());
  }

  boolean leading() {
    return state == State.LEADING && log.isLeader();
  }

  /** Refuses unless this member leads and has taken over. */
  void require() throws WeftException {
    if (leading()) {
      return;
    }
    if (log.isLeader()) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE, "this SysMgr member is taking over; try again");
    }
    throw log.leader().map(LeaderHint::refusal).orElseGet(this::withoutLeader);
  }

  private WeftException withoutLeader() {
    String members =
        log.members().stream()
            .map(member -> member.rpc().toString())
            .collect(Collectors.joining(", "));
    return new WeftException(
        ErrorCode.NOT_LEADER,
        "no SysMgr leader is known; a majority of the members ("
            + members
            + ") must run and reach each other");
  }

  /** How long until new epochs may be given out; 0 or less: now. */
  long nanosUntilEpochs() {
    return epochsFromNanos - environment.ticker().nowNanos();
  }

  /** Another number whenever this member begins or ceases to lead. */
  long term() {
    return term;
  }

  /** For how long it leads; it has heard nothing of before. */
  long ledNanos() {
    return environment.ticker().nowNanos() - leadsSinceNanos;
  }

  private void stepBack() {
    state = State.FOLLOWING;
    term++;
    judging = false;
    judgingUnusable = false;
    handOvers.forget();
    wanted.begin();
  }

  private void takeOver() {
    state = State.TAKING_OVER;
    long mine = ++term;
    var unused =
        proposals
            .barrier()
            .thenCompose(done -> makeClusterIfNone())
            .whenComplete(
                (made, failure) -> {
                  if (mine != term) {
                    return;
                  }
                  if (failure != null) {
                    LOG.info("not leading yet: {}", WeftException.of(failure).getMessage());
                    stepBack();
                  } else {
                    lead(made);
                  }
                });
  }

  private CompletionStage<Boolean> makeClusterIfNone() {
    if (configuration.current().cluster().isPresent()) {
      return CompletableFuture.completedFuture(false);
    }
    return birth
        .permission()
        .get()
        .thenCompose(
            may -> proposals.propose(birth.first(environment.random(), environment.clock())))
        .thenApply(done -> birth.restored().isEmpty());
  }

  private void lead(boolean madeCluster) {
    long nowNanos = environment.ticker().nowNanos();
    state = State.LEADING;
    leadsSinceNanos = nowNanos;
    epochsFromNanos = nowNanos + (madeCluster ? 0 : ManagerLeases.LEASE_NANOS);
    heartbeats.begin(configuration.current(), nowNanos);
    heard.begin(nowNanos);
    unusable.begin();
    handOvers.forget();
    wanted.begin();
    noteLeader();
    LOG.info(
        "this SysMgr member leads cluster {}",
        configuration.current().cluster().orElseThrow().id());
  }

  /**
   * The node has said that it stops, or that its store has failed: it is DOWN, durably, when this
   * completes.
   *
   * @param storeFailure why the store takes no changes any more; empty if it did not say so
   */
  CompletionStage<Void> down(NodeKey node, long incarnation, boolean stopped, String storeFailure) {
    LOG.info("{} {}", node, storeFailure.isEmpty() ? "stops" : "is down: " + storeFailure);
    Command.Judgement down =
        new Command.Judgement(
            node, incarnation, Liveness.DOWN, stopped, 0, 0, OpenVolumes.NONE, storeFailure);
    return proposals
        .propose(new Command.SetLiveness(List.of(down), environment.clock().nowMillis()))
        .thenAccept(done -> {});
  }

  /** Proposes what has changed among the nodes; one proposal at a time. */
  private void judge() {
    if (judging) {
      return;
    }
    List<Command.Judgement> judgements =
        heartbeats.judge(configuration.current(), environment.ticker().nowNanos(), keepsUp());
    if (judgements.isEmpty()) {
      return;
    }
    for (Command.Judgement judgement : judgements) {
      LOG.info("{} is {}", judgement.node(), judgement.liveness());
    }
    judging = true;
    long mine = term;
    var unused =
        proposals
            .propose(new Command.SetLiveness(judgements, environment.clock().nowMillis()))
            .whenComplete(
                (done, failure) -> {
                  if (mine == term) {
                    judging = false;
                  }
                  if (failure != null) {
                    LOG.info(
                        "a judgement was not taken: {}", WeftException.of(failure).getMessage());
                  }
                });
  }

  /**
   * Replicates how far nodes have come, so that the next leader knows an old copy, too (P 5.10).
   */
  private void noteHistories() {
    SortedMap<NodeKey, NodeHistory> news =
        heard.histories().toNote(configuration.current(), environment.ticker().nowNanos());
    if (news.isEmpty()) {
      return;
    }
    var unused =
        proposals
            .propose(new Command.NoteHistories(news))
            .whenComplete(
                (done, failure) -> {
                  if (failure != null) {
                    LOG.info(
                        "what nodes told was not replicated: {}",
                        WeftException.of(failure).getMessage());
                  }
                });
  }

  private void noteLeader() {
    String which = log.leader().map(at -> " at " + at).orElse("");
    note(
        Event.of(
            "sysmgr-leader", "sysmgr", "SysMgr is led by the member" + which + " from now on."));
  }

  private void note(Event event) {
    var unused =
        proposals
            .propose(new Command.NoteEvents(List.of(event)))
            .whenComplete(
                (done, failure) -> {
                  if (failure != null) {
                    LOG.info("{} was not noted: {}", event, WeftException.of(failure).getMessage());
                  }
                });
  }

  /** What managers are to hand over, and which of them are to look at OSDs. */
  WantedHandOvers wanted() {
    return wanted;
  }

  /** Asks primaries for volumes whose backups reach more OSDs than they do (P 6.2). */
  private void judgeWanted() {
    wanted
        .judge(configuration.current(), heartbeats, environment.ticker().nowNanos())
        .forEach(
            each -> {
              LOG.warn("volume {} is to go to its backup: {}", each.path(), each.why());
              note(
                  Event.of(
                      "volume-hand-over",
                      "volume " + each.path(),
                      "Volume %s is to go to its backup: %s.".formatted(each.path(), each.why())));
            });
  }

  /** Gives up an OSD that managers cannot use, or takes that back (P 5.8). */
  private void judgeUnusable() {
    if (judgingUnusable) {
      return;
    }
    Optional<Command> next =
        unusable.judge(
            configuration.current(),
            heartbeats,
            environment.ticker().nowNanos(),
            environment.clock().nowMillis());
    if (next.isEmpty()) {
      return;
    }
    LOG.warn("managers and an OSD: {}", next.get());
    judgingUnusable = true;
    long mine = term;
    var unused =
        proposals
            .propose(next.get())
            .whenComplete(
                (done, failure) -> {
                  if (mine == term) {
                    judgingUnusable = false;
                  }
                  if (failure == null) {
                    unusable.carriedOut(next.get(), environment.ticker().nowNanos());
                  } else {
                    LOG.info(
                        "a judgement was not taken: {}", WeftException.of(failure).getMessage());
                  }
                });
  }
}
