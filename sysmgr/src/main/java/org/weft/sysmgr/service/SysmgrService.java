package org.weft.sysmgr.service;

import com.google.protobuf.MessageLite;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.GetTableReply;
import org.weft.protocol.wire.GetTableRequest;
import org.weft.protocol.wire.NfsGatewayRow;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.cluster.Cluster;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.liveness.HeardGateways;
import org.weft.sysmgr.liveness.HeardNodes;
import org.weft.sysmgr.liveness.HeartbeatTable;
import org.weft.sysmgr.liveness.ManagerLeases;
import org.weft.sysmgr.liveness.UnusableOsds;
import org.weft.sysmgr.service.intake.OpenQuestions;
import org.weft.sysmgr.upgrade.UnderstoodCommands;

/**
 * A member of SysMgr as others see it. The table and the status are open to any client; what
 * daemons ask must be signed with the secret made from the join token (P 5.7). Only the leader
 * answers; the others name it. What is not signed waits in {@link OpenQuestions}, and delays
 * nothing that is.
 *
 * <p>Thread-safe. Everything runs on the home executor; nothing here blocks it but the log's own
 * hand-over.
 */
public final class SysmgrService implements RpcService {
  private static final Logger LOG = LoggerFactory.getLogger(SysmgrService.class);
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** Signed ones; others have bounds of their own. */
  private static final int MAX_UNDER_WAY = 4_096;

  private record Signing(Secret token, byte[] secret) {}

  private final ReplicatedLog log;
  private final ReplicatedConfiguration configuration;
  private final Environment environment;
  private final Executor home;
  private final HeartbeatTable heartbeats = new HeartbeatTable();
  private final HeardNodes heard = new HeardNodes();
  private final UnderstoodCommands understood;
  private final Proposals proposals;
  private final Leadership leadership;
  private final MemberChanges memberChanges;
  private final NfsForgetting forgetting;
  private final Moves moves;
  private final Growths growths;
  private final Balances balances;
  private final RepairPauses pauses;
  private final AlertWatch alerts;
  private final StatusSource statusSource;
  private final Map<Opcode, RequestHandler> open = new EnumMap<>(Opcode.class);
  private final Map<Opcode, RequestHandler> signed = new EnumMap<>(Opcode.class);
  private final AtomicInteger underWay = new AtomicInteger();
  private final OpenQuestions questions;
  private final ReaderWatch readers;
  private final AtomicReference<CompletableFuture<ClusterStatus>> askedStatus =
      new AtomicReference<>();
  private final CompletableFuture<Void> ready = new CompletableFuture<>();
  private final CompletableFuture<Void> leading = new CompletableFuture<>();
  private volatile Scheduler.Timer timer = () -> {};
  private volatile boolean closed;
  private ClusterListener clusterListener = cluster -> {};
  private volatile Optional<Signing> signing = Optional.empty();
  private long tickDueNanos;

  /**
   * @param home a serial executor that the caller owns and closes after {@link #close}
   * @param place where the members and the REST interface are, for the status
   */
  public SysmgrService(
      ReplicatedLog log,
      ReplicatedConfiguration configuration,
      Environment environment,
      Executor home,
      ClusterBirth birth,
      ServicePlace place) {
    this(log, configuration, environment, home, birth, place, OsdPatience.DEFAULT);
  }

  /**
   * As the other one.
   *
   * @param patience how long managers may be unable to use an OSD
   */
  public SysmgrService(
      ReplicatedLog log,
      ReplicatedConfiguration configuration,
      Environment environment,
      Executor home,
      ClusterBirth birth,
      ServicePlace place,
      OsdPatience patience) {
    this.log = log;
    this.configuration = configuration;
    this.environment = environment;
    this.home = home;
    this.understood = new UnderstoodCommands(log, configuration, environment, home);
    this.proposals = new Proposals(log, environment.clock(), home, understood::require);
    this.questions = new OpenQuestions(home, request -> answer(request, false));
    this.readers = new ReaderWatch(environment.transport(), environment.ticker());
    UnusableOsds unusable = new UnusableOsds(patience.nanos());
    ManagerLeases leases = new ManagerLeases();
    this.leadership =
        new Leadership(
            log, proposals, configuration, heartbeats, heard, unusable, leases, environment, birth);
    ConfigurationCopies copies = new ConfigurationCopies(environment);
    HeardGateways<NfsGatewayRow> gateways = new HeardGateways<>();
    this.statusSource =
        new StatusSource(
            log,
            proposals,
            home,
            leadership,
            configuration,
            heartbeats,
            heard,
            unusable,
            environment,
            place,
            copies,
            gateways);
    OwnerChanges ownerChanges = new OwnerChanges(leadership, proposals, leases, environment, home);
    VolumeHandlers volumes =
        new VolumeHandlers(
            leadership, proposals, configuration, heartbeats, leases, ownerChanges, environment);
    VolumeLifeHandlers lives =
        new VolumeLifeHandlers(leadership, proposals, configuration, heartbeats, environment);
    open.put(Opcode.CREATE_VOLUME, lives::create);
    open.put(Opcode.DELETE_VOLUME, lives::delete);
    signed.put(Opcode.VOLUME_STEP, lives::step);
    RecoverHandlers recovering =
        new RecoverHandlers(
            leadership, proposals, configuration, heartbeats, ownerChanges, environment);
    open.put(Opcode.RECOVER_VOLUME, recovering::recover);
    signed.put(Opcode.VOLUME_RECOVERED, recovering::recovered);
    LookHandler looking =
        new LookHandler(leadership, proposals, configuration, heard, leases, environment);
    signed.put(Opcode.LOOK_AT_VOLUME, looking::look);
    MoveHandlers moving =
        new MoveHandlers(leadership, proposals, configuration, heartbeats, environment);
    open.put(Opcode.MOVE_VOLUME, moving::move);
    open.put(Opcode.DRAIN_MANAGER, moving::drain);
    open.put(Opcode.REMOVE_MANAGER, moving::removeManager);
    open.put(Opcode.REMOVE_OSD, moving::removeOsd);
    open.put(Opcode.DRAIN_OSD, moving::drainOsd);
    this.moves = new Moves(proposals, configuration, heartbeats, environment);
    this.growths = new Growths(proposals, configuration, heartbeats);
    BladeSetHandlers bladeSets =
        new BladeSetHandlers(leadership, proposals, configuration, heartbeats);
    open.put(Opcode.CHANGE_BLADE_SET, bladeSets::change);
    BalanceHandlers balancing =
        new BalanceHandlers(leadership, proposals, configuration, heartbeats, environment);
    open.put(Opcode.BALANCE, balancing::change);
    open.put(Opcode.GET_BALANCE, balancing::show);
    this.balances = new Balances(proposals, configuration, heartbeats, environment);
    this.pauses = new RepairPauses(leadership, proposals, configuration, environment);
    open.put(Opcode.PAUSE_REPAIRS, pauses::change);
    open.put(Opcode.GET_TABLE, this::table);
    EventsHandler events = new EventsHandler(leadership, proposals, configuration);
    open.put(Opcode.GET_EVENTS, events::list);
    this.alerts = new AlertWatch(proposals, configuration, statusSource::findings);
    open.put(Opcode.GET_STATUS, request -> statusSource.status());
    signed.put(Opcode.JOIN_OSD, join(NodeKey.Kind.OSD));
    signed.put(Opcode.JOIN_MANAGER, join(NodeKey.Kind.MANAGER));
    signed.put(
        Opcode.HEARTBEAT,
        new HeartbeatHandler(
            leadership, proposals, configuration, heartbeats, heard, leases, copies, environment));
    signed.put(Opcode.ACQUIRE_VOLUMES, volumes::acquire);
    signed.put(Opcode.READMIT_OSD, volumes::readmit);
    signed.put(Opcode.VOLUME_FORMATTED, volumes::formatted);
    this.memberChanges = new MemberChanges(log, proposals, configuration, environment);
    MemberHandlers members =
        new MemberHandlers(log, proposals, configuration, memberChanges, environment, place);
    signed.put(Opcode.ENLIST_MEMBER, members::enlist);
    signed.put(Opcode.CHANGE_MEMBER, members::change);
    signed.put(Opcode.SET_BACKUP, volumes::setBackup);
    signed.put(Opcode.HAND_OVER, volumes::handOver);
    NfsMonitorHandlers monitor =
        new NfsMonitorHandlers(leadership, proposals, configuration, environment);
    this.forgetting = monitor.forgetting();
    NfsHandlers nfs =
        new NfsHandlers(leadership, proposals, configuration, gateways, forgetting, environment);
    open.put(Opcode.CHANGE_NFS_EXPORT, nfs::changeExport);
    open.put(Opcode.CHANGE_NFS_ID, nfs::changeId);
    open.put(Opcode.CHANGE_NFS_GROUPS, nfs::changeGroups);
    open.put(Opcode.GET_NFS, nfs::show);
    open.put(Opcode.NFS_FORGET_HOST, forgetting::forget);
    signed.put(Opcode.NFS_GATEWAY, nfs::gateway);
    signed.put(Opcode.NFS_TAKE_ADDRESSES, monitor::take);
    signed.put(Opcode.NFS_WATCH_CLIENTS, monitor::watch);
  }

  private JoinHandler join(NodeKey.Kind kind) {
    return new JoinHandler(kind, proposals, configuration, heartbeats, heard, environment);
  }

  /** Told once that this member knows the cluster, before {@link #ready} completes. */
  @FunctionalInterface
  public interface ClusterListener {
    /** Runs on the home executor; a failure fails {@link SysmgrService#ready}. */
    void clusterKnown(Cluster cluster) throws IOException;
  }

  /** Must be called before {@link #start}. */
  public void whenReady(ClusterListener listener) {
    clusterListener = listener;
  }

  /** Begins to look which member leads, and to lead when it is this member's turn. */
  public void start() {
    tickDueNanos = environment.ticker().nowNanos();
    home.execute(this::tick);
  }

  /** Completes when the cluster exists and this member knows it. */
  public CompletionStage<Void> ready() {
    return ready;
  }

  /** Completes when this member has come to lead for the first time. */
  public CompletionStage<Void> leading() {
    return leading;
  }

  /**
   * By how many milliseconds each node's clock is ahead of this member's, by the node's name; none
   * where another member leads. Any thread.
   */
  public SortedMap<String, Long> clocksAheadMillis() {
    SortedMap<String, Long> named = new TreeMap<>();
    if (log.isLeader()) {
      heard.clocks().aheadMillis().forEach((node, millis) -> named.put(node.toString(), millis));
    }
    return named;
  }

  private void tick() {
    if (closed) {
      return;
    }
    leadership.ran("its own tick", environment.ticker().nowNanos() - tickDueNanos);
    leadership.ran("the reading of requests", readers.lateNanos());
    leadership.tick();
    if (leadership.leading()) {
      understood.tick();
      memberChanges.tick();
      moves.tick();
      growths.tick();
      balances.tick();
      pauses.tick();
      forgetting.tick();
      alerts.tick(environment.ticker().nowNanos());
    } else {
      understood.stepBack();
      alerts.stepBack();
      moves.stepBack();
      growths.stepBack();
      balances.stepBack();
      pauses.stepBack();
      memberChanges.stepBack();
    }
    noticeCluster();
    if (closed) {
      return;
    }
    if (leadership.leading()) {
      leading.complete(null);
    }
    tickDueNanos = environment.ticker().nowNanos() + TICK_NANOS;
    timer = environment.scheduler().schedule(TICK_NANOS, home, this::tick);
  }

  private void noticeCluster() {
    if (ready.isDone() || knownCluster().isEmpty()) {
      return;
    }
    try {
      clusterListener.clusterKnown(cluster());
      ready.complete(null);
    } catch (IOException e) {
      LOG.error("this SysMgr member cannot go on: {}", e.getMessage(), e);
      close();
      ready.completeExceptionally(e);
    }
  }

  /** Answers nothing more. The log stays open. */
  public void close() {
    closed = true;
    timer.cancel();
    questions.close();
  }

  @Override
  public void handle(InboundRequest request) {
    if (closed) {
      request.fail(ErrorCode.UNAVAILABLE, "this SysMgr member is stopping");
    } else if (isSigned(request)) {
      handleSigned(request);
    } else {
      questions.ask(request);
    }
  }

  /**
   * Looks before anything waits: only what daemons of this cluster signed goes past the others, and
   * gets a signed answer, good or bad.
   */
  private boolean isSigned(InboundRequest request) {
    return Opcode.of(request.opcodeNumber())
            .filter(opcode -> signed.containsKey(opcode) || open.containsKey(opcode))
            .isPresent()
        && knownCluster().isPresent()
        && request.signedWith(joinSecret());
  }

  private void handleSigned(InboundRequest request) {
    boolean heartbeat = request.opcodeNumber() == Opcode.HEARTBEAT.number();
    long arrivedNanos = environment.ticker().nowNanos();
    try {
      if (underWay.incrementAndGet() > MAX_UNDER_WAY) {
        underWay.decrementAndGet();
        if (heartbeat) {
          home.execute(leadership::refusedHeartbeat);
        }
        request.fail(ErrorCode.OVERLOADED, "SysMgr has too many requests under way; try again");
        return;
      }
      home.execute(
          () -> {
            if (heartbeat) {
              leadership.ran("a heartbeat", environment.ticker().nowNanos() - arrivedNanos);
            }
            var unused =
                answer(request, true).whenComplete((done, failure) -> underWay.decrementAndGet());
          });
    } catch (RejectedExecutionException e) {
      underWay.decrementAndGet();
      request.fail(ErrorCode.UNAVAILABLE, "this SysMgr member is stopping");
    }
  }

  /** Completes when the request is answered; does not fail. */
  private CompletionStage<Void> answer(InboundRequest request, boolean isSigned) {
    try {
      return dispatch(request, isSigned)
          .handle(
              (reply, failure) -> {
                finish(request, reply, failure);
                return null;
              });
    } catch (WeftException e) {
      finish(request, null, e);
    } catch (RuntimeException e) {
      LOG.error("a request of opcode 0x{} failed", Integer.toHexString(request.opcodeNumber()), e);
      finish(request, null, e);
    }
    return CompletableFuture.completedFuture(null);
  }

  private static void finish(InboundRequest request, MessageLite reply, Throwable failure) {
    if (failure == null) {
      request.reply(reply);
    } else {
      request.fail(WeftException.of(failure));
    }
  }

  private CompletionStage<? extends MessageLite> dispatch(InboundRequest request, boolean isSigned)
      throws WeftException {
    Opcode opcode = Opcode.of(request.opcodeNumber()).orElse(null);
    RequestHandler unsignedHandler = opcode == null ? null : open.get(opcode);
    if (unsignedHandler != null) {
      return unsignedHandler.answer(request);
    }
    RequestHandler handler = opcode == null ? null : signed.get(opcode);
    if (handler == null) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED,
          "SysMgr does not know opcode 0x" + Integer.toHexString(request.opcodeNumber()));
    }
    leadership.require();
    if (!isSigned && !request.signedWith(joinSecret())) {
      throw new WeftException(
          ErrorCode.UNAUTHENTICATED,
          opcode
              + " is not signed with the join token of cluster "
              + cluster().id()
              + "; give the daemon the text in SysMgr's file join-token");
    }
    return handler.answer(request);
  }

  private Cluster cluster() {
    return configuration.current().cluster().orElseThrow();
  }

  private byte[] joinSecret() {
    Secret token = cluster().joinToken();
    Signing known = signing.filter(each -> each.token().equals(token)).orElse(null);
    if (known == null) {
      known = new Signing(token, JoinSecret.of(token.bytes()));
      signing = Optional.of(known);
    }
    return known.secret();
  }

  private CompletionStage<GetTableReply> table(InboundRequest request) throws WeftException {
    GetTableRequest wanted = request.parse(GetTableRequest.parser());
    leadership.require();
    return proposals.barrier().thenApply(done -> table(wanted.getKnownVersion()));
  }

  private GetTableReply table(long knownVersion) {
    Configuration state = configuration.current();
    return knownVersion != 0 && knownVersion == state.tableVersion()
        ? GetTableReply.newBuilder().setUnchanged(true).build()
        : GetTableReply.newBuilder().setTable(WireCodec.table(state, heartbeats)).build();
  }

  /**
   * The status, for REST; fails with NOT_LEADER where another member leads. Callers that ask before
   * it is put together are given the same.
   */
  public CompletionStage<ClusterStatus> status() {
    CompletableFuture<ClusterStatus> status = new CompletableFuture<>();
    CompletableFuture<ClusterStatus> asked = askedStatus.compareAndExchange(null, status);
    if (asked != null) {
      return asked.copy();
    }
    try {
      home.execute(() -> putTogether(status));
    } catch (RejectedExecutionException e) {
      askedStatus.set(null);
      status.completeExceptionally(
          new WeftException(ErrorCode.UNAVAILABLE, "this SysMgr member is stopping", e));
    }
    return status.copy();
  }

  private void putTogether(CompletableFuture<ClusterStatus> status) {
    askedStatus.set(null);
    try {
      var unused =
          statusSource
              .status()
              .whenComplete(
                  (answer, failure) -> {
                    if (failure == null) {
                      status.complete(answer);
                    } else {
                      status.completeExceptionally(WeftException.of(failure));
                    }
                  });
    } catch (WeftException | RuntimeException e) {
      status.completeExceptionally(e);
    }
  }

  /** RPC address of the leader that this member knows. */
  public Optional<Endpoint> leader() {
    return log.leader();
  }

  private Optional<Cluster> knownCluster() {
    return configuration.current().cluster();
  }
}
