package org.weft.metadata;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.cluster.ClusterView;
import org.weft.client.cluster.ClusterViewOptions;
import org.weft.client.cluster.ReplyReader;
import org.weft.client.cluster.SysmgrLink;
import org.weft.client.osd.OsdConnections;
import org.weft.client.stripe.StripeEngine;
import org.weft.metadata.backup.BackupCopies;
import org.weft.metadata.backup.CopyTurns;
import org.weft.metadata.backup.WarmVolume;
import org.weft.metadata.serving.VolumeHost;
import org.weft.metadata.serving.VolumeOpening;
import org.weft.metadata.serving.client.ControlConnections;
import org.weft.metadata.serving.request.ServingLease;
import org.weft.metadata.serving.sysmgr.VolumeAssignment;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.clock.ClusterClock;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.wire.AcquireVolumesReply;
import org.weft.protocol.wire.AcquireVolumesRequest;
import org.weft.protocol.wire.HeartbeatReply;
import org.weft.protocol.wire.HeartbeatRequest;
import org.weft.protocol.wire.JoinReply;
import org.weft.protocol.wire.JoinRequest;
import org.weft.protocol.wire.StartProof;

/**
 * A manager's place in the cluster: joins, acquires its volumes under a new epoch, keeps the lease
 * and follows the table (P 6.2).
 *
 * <pre>
 *   join --> heartbeats --> table --> acquire --> a host for each volume
 * </pre>
 *
 * <p>Confined to the daemon's home executor unless said otherwise.
 */
final class Membership implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Membership.class);
  private static final int RESOLVE_THREADS = 2;
  private static final int COPY_THREADS = 2;
  private static final int QUEUE_LIMIT = 4_096;

  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  /** For which a manager whose journal has failed is there to hand its volumes to backups. */
  private static final long HAND_OVER_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ManagerOptions options;
  private final Environment environment;
  private final ClusterClock clock;
  private final OwnedExecutor home;
  private final DataDirectory directory;
  private final Map<Long, VolumeHost> hosts;
  private final ControlConnections controls;
  private final SysmgrLink link;
  private final SysmgrCalls sysmgr;
  private final ServingLease lease = new ServingLease();
  private final OsdReach reach;
  private final MutualHelp help;
  private final OwnedExecutor resolvers;
  private final Heartbeats heartbeats;
  private final OwnedExecutor copying;
  private final BackupCopies copies;
  private final VolumeKeeper keeper;
  private final long nonce;
  private final byte[] joinSecret;
  private final JournalProgress progress;
  private final CopyTurns copyTurns = new CopyTurns(CopyTurns.MAX_COPIES);
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private volatile ManagerIdentity identity;
  private Endpoint advertised;
  private ClusterView view;
  private OsdConnections connections;
  private OsdConnections backgroundConnections;
  private StripeEngine stripes;
  private boolean journalFailed;
  private boolean closed;

  /**
   * @param progress how far the journals of the directory have come
   * @param hosts gets a host for each volume that is acquired; read by other threads
   * @param controls on which sessions are asked to give ranges back
   * @param help of other managers, and for them
   */
  Membership(
      ManagerOptions options,
      Environment environment,
      ClusterClock clock,
      OwnedExecutor home,
      DataDirectory directory,
      ManagerIdentity identity,
      JournalProgress progress,
      Map<Long, VolumeHost> hosts,
      ControlConnections controls,
      MutualHelp help) {
    this.options = options;
    this.environment = environment;
    this.clock = clock;
    this.home = home;
    this.directory = directory;
    this.identity = identity;
    this.progress = progress;
    this.hosts = hosts;
    this.controls = controls;
    this.help = help;
    this.reach = new OsdReach(environment, home, hosts);
    this.nonce = environment.random().nextLong();
    this.resolvers = environment.scheduler().newPool("resolve", RESOLVE_THREADS, QUEUE_LIMIT);
    this.link =
        new SysmgrLink(
            environment.transport(),
            options.sysmgrs(),
            this::clusterId,
            identity.name(),
            SysmgrCalls.TIMEOUT_MILLIS,
            home);
    this.joinSecret = JoinSecret.of(options.joinToken());
    this.sysmgr = new SysmgrCalls(link, joinSecret);
    this.copying = environment.scheduler().newPool("copy", COPY_THREADS, QUEUE_LIMIT);
    this.copies =
        new BackupCopies(
            environment,
            directory,
            this::clusterId,
            joinSecret,
            hosts::containsKey,
            options.tuning().warm());
    this.keeper =
        new VolumeKeeper(
            environment,
            home,
            sysmgr,
            directory,
            copies,
            hosts,
            () -> this.identity,
            options.minOsds(),
            options.tuning().cache(),
            nonce,
            this::cannotGoOn);
    this.heartbeats =
        new Heartbeats(
            environment, home, sysmgr, lease, this::report, this::heard, clock, this::joinAgain);
  }

  /** The cluster that this manager belongs to; empty before its first join. Any thread. */
  Optional<ClusterId> clusterId() {
    return identity.cluster();
  }

  /** What this manager has of other managers' journals. */
  BackupCopies copies() {
    return copies;
  }

  /** Any thread. */
  int managerId() {
    return identity.managerId();
  }

  /**
   * Completes if this process can never serve again, because SysMgr says that another one has taken
   * the manager's place, or because a journal has failed. Any thread.
   */
  CompletableFuture<Void> ended() {
    return ended;
  }

  private void cannotGoOn(WeftException why) {
    LOG.error("this process must end: {}", why.getMessage());
    lease.revoke();
    heartbeats.stop();
    ended.complete(null);
  }

  /**
   * While this process sends heartbeats, SysMgr lets no other start of the manager in, on whatever
   * machine its disk is by now (P 5.10). So this process gives its lease up and says good-bye: then
   * another manager may serve its volumes. Backups are asked to take over their volumes before
   * that.
   */
  private void journalFailed(VolumeHost host, WeftException why) {
    if (journalFailed || closed) {
      return;
    }
    journalFailed = true;
    LOG.error(
        "this process must end, so that another start of the manager can serve its volumes: of"
            + " volume {} {}",
        host.health().getVolumeId(),
        why.getMessage());
    environment
        .scheduler()
        .schedule(
            HAND_OVER_NANOS,
            home,
            () -> {
              lease.revoke();
              heartbeats.leave(failure -> ended.complete(null));
            });
  }

  /**
   * Joins, trying again until the time is over while no SysMgr answers; then goes on by itself. Any
   * thread.
   */
  CompletableFuture<Void> join(Endpoint address, int timeoutMillis) {
    FirstJoin first =
        new FirstJoin(
            environment,
            home,
            () -> sysmgr.join(joinRequest(), SysmgrCalls.FIRST_JOIN_MILLIS),
            this::joined,
            timeoutMillis);
    home.execute(
        () -> {
          advertised = address;
          first.begin();
        });
    return first.joined();
  }

  private JoinRequest joinRequest() {
    return JoinRequest.newBuilder()
        .setIdentity(identity.identity())
        .setClusterId(identity.cluster().map(ClusterId::value).orElse(""))
        .setNodeId(identity.managerId())
        .setIncarnation(identity.incarnation())
        .addAddresses(advertised.toMessage())
        .setHost(options.host())
        .setProof(
            StartProof.newBuilder()
                .setStartId(identity.startId())
                .addAllKnownStarts(identity.starts())
                .setChange(progress.atOpening())
                .setTookOver(identity.oneLife()))
        .build();
  }

  private void joined(JoinReply reply, long sentNanos) {
    clock.heard(
        reply.getClockMillis(),
        TimeUnit.NANOSECONDS.toMillis(environment.ticker().nowNanos() - sentNanos));
    ManagerIdentity known = identity.joined(new ClusterId(reply.getClusterId()), reply.getNodeId());
    if (!known.equals(identity)) {
      try {
        directory.store(known);
      } catch (IOException e) {
        throw ReplyReader.failure(
            ErrorCode.INTERNAL, "the manager's identity cannot be stored: " + e.getMessage());
      }
      identity = known;
    }
    LOG.info("joined cluster {} as {}", reply.getClusterId(), known.name());
    heartbeats.start(reply.getHeartbeatMillis());
    follow();
  }

  /**
   * SysMgr has forgotten this manager: it tells its address anew, under the id it has. A refused
   * token or release does not end a manager that serves, for either may be in change.
   */
  private void joinAgain() {
    var unused =
        sysmgr
            .join(joinRequest(), SysmgrCalls.TIMEOUT_MILLIS)
            .whenComplete(
                (reply, failure) -> {
                  if (failure == null) {
                    return;
                  }
                  WeftException why = WeftException.of(failure);
                  switch (why.code()) {
                    case INVALID_ARGUMENT, WRONG_CLUSTER, FENCED -> cannotGoOn(why);
                    default -> LOG.warn("not joined again: {}", why.getMessage());
                  }
                });
  }

  private void follow() {
    ClusterViewOptions following =
        ClusterViewOptions.of(options.sysmgrs(), identity.cluster(), identity.name())
            .withFigures()
            .provenBy(joinSecret);
    var unused =
        ClusterView.open(following, environment, home)
            .whenComplete(
                (opened, failure) -> {
                  if (closed) {
                    if (opened != null) {
                      opened.close();
                    }
                  } else if (failure != null) {
                    LOG.warn("no cluster table: {}", WeftException.of(failure).getMessage());
                    later(this::follow);
                  } else {
                    following(opened);
                  }
                });
  }

  private void following(ClusterView opened) {
    view = opened;
    connections = new OsdConnections(environment, opened, this::clusterId, identity.name());
    int share = options.tuning().care().repair().sharePercent();
    backgroundConnections =
        new OsdConnections(environment, opened, this::clusterId, identity.name(), share);
    opened.addListener(table -> connections.directoryChanged());
    opened.addListener(table -> backgroundConnections.directoryChanged());
    opened.addListener(keeper::tableChanged);
    opened.addListener(
        new MoveWatch(opened, environment.scheduler(), home, this::managerId)::tableChanged);
    opened.addListener(table -> link.learned(ClusterView.sysmgrs(table)));
    link.learned(ClusterView.sysmgrs(opened.table()));
    stripes =
        new StripeEngine(environment, connections, resolvers, options.tuning().stripes())
            .withBackground(environment, backgroundConnections, resolvers);
    reach.begin(opened, connections);
    help.begin(opened, stripes.background());
    acquire();
  }

  private void acquire() {
    if (closed) {
      return;
    }
    long sentNanos = environment.ticker().nowNanos();
    AcquireVolumesRequest request =
        AcquireVolumesRequest.newBuilder()
            .setManagerId(identity.managerId())
            .setIncarnation(identity.incarnation())
            .setNonce(nonce)
            .build();
    var unused =
        sysmgr
            .acquire(request)
            .thenAccept(reply -> acquired(sentNanos, reply))
            .whenComplete(
                (nothing, failure) -> {
                  if (failure != null) {
                    notAcquired(WeftException.of(failure));
                  }
                });
  }

  private void notAcquired(WeftException why) {
    if (why.code() == ErrorCode.FENCED) {
      cannotGoOn(why);
    } else {
      LOG.warn("no volumes acquired: {}", why.getMessage());
      later(this::acquire);
    }
  }

  private void acquired(long sentNanos, AcquireVolumesReply reply) {
    lease.renewed(sentNanos, reply.getLeaseMillis());
    // The table in hand may be older than the epochs: none of its states may be missed.
    var unused =
        view.refresh()
            .whenComplete((table, failure) -> keeper.begin(reply, view.table(), this::newHost));
    if (reply.getVolumesCount() == 0) {
      LOG.info("SysMgr gave no volume to this manager");
    }
  }

  private VolumeHost newHost(VolumeAssignment assignment, Optional<WarmVolume> warm) {
    return new VolumeHost(
        environment,
        assignment,
        view,
        connections,
        stripes,
        new VolumeOpening(
            assignment,
            directory.journalOf(assignment, options.tuning().journal()),
            warm,
            environment,
            isWarm -> copies.opened(assignment.settings().volume().value(), isWarm)),
        lease.ofVolume(),
        keeper,
        controls,
        reach.open(assignment.settings().volume()),
        new ManagerPairs(
            environment,
            copying,
            copyTurns,
            () -> identity,
            joinSecret,
            options.tuning().backups(),
            keeper,
            reach.managers()),
        options.tuning().care(),
        help.shared());
  }

  private HeartbeatRequest.Builder report() {
    HeartbeatRequest.Builder report =
        HeartbeatRequest.newBuilder()
            .setManagerId(identity.managerId())
            .setIncarnation(identity.incarnation())
            .setStartId(identity.startId())
            .setClockMillis(clock.ownMillis())
            .setRoundTripMillis((int) Math.min(Integer.MAX_VALUE, clock.roundTripMillis()));
    report.addAllProblems(options.beside().get());
    for (VolumeHost host : List.copyOf(hosts.values())) {
      report.addVolumes(host.health());
      report.addAllProblems(host.problems());
      host.journalFailure().ifPresent(why -> journalFailed(host, why));
    }
    report.setChange(progress.durable());
    progress.look(report.getVolumesList(), copies.changes(), copying);
    reach.addTo(report);
    return report;
  }

  private void heard(HeartbeatReply reply) {
    if (view != null) {
      view.heard(reply.getTableVersion());
      reach.heard(reply);
    }
  }

  /** Completes when no volume comes to be served any more. Any thread. */
  CompletableFuture<Void> takeNoMore() {
    return CompletableFuture.runAsync(keeper::stop, home);
  }

  /** Stops serving and tells SysMgr that this manager leaves. Any thread. */
  CompletableFuture<Void> leave() {
    CompletableFuture<Void> left = new CompletableFuture<>();
    home.execute(
        () -> {
          lease.revoke();
          heartbeats.leave(
              failure ->
                  Optional.ofNullable(failure)
                      .ifPresentOrElse(left::completeExceptionally, () -> left.complete(null)));
        });
    return left;
  }

  private void later(Runnable task) {
    environment.scheduler().schedule(RETRY_NANOS, home, task);
  }

  /** Ends the connections. Any thread but the home executor's, which must be closed after this. */
  @Override
  public void close() {
    lease.revoke();
    home.execute(
        () -> {
          closed = true;
          heartbeats.stop();
          keeper.stop();
          if (view != null) {
            view.close();
          }
          Optional.ofNullable(connections).ifPresent(OsdConnections::close);
          Optional.ofNullable(backgroundConnections).ifPresent(OsdConnections::close);
          link.close();
        });
    keeper.close();
    copies.close();
    copying.close();
    resolvers.close();
  }
}
