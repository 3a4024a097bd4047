package org.weft.sysmgr.service;

import com.google.protobuf.MessageLite;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.GetTableReply;
import org.weft.protocol.wire.GetTableRequest;
import org.weft.sysmgr.configuration.Cluster;
import org.weft.sysmgr.configuration.Configuration;
import org.weft.sysmgr.configuration.NodeKey;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.Secret;
import org.weft.sysmgr.liveness.HeartbeatTable;
import org.weft.sysmgr.liveness.UnusableOsds;

/**
 * A member of SysMgr as others see it. The table and the status are open to everyone; what daemons
 * ask must be signed with the secret made from the join token (P 5.7). Only the leader answers; the
 * others name it.
 *
 * <p>Thread-safe. Everything runs on the home executor; nothing here blocks it but the log's own
 * hand-over.
 */
public final class SysmgrService implements RpcService {
  private static final Logger LOG = LoggerFactory.getLogger(SysmgrService.class);
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
  private static final int MAX_UNDER_WAY = 4_096;

  private final ReplicatedConfiguration configuration;
  private final Environment environment;
  private final Executor home;
  private final HeartbeatTable heartbeats = new HeartbeatTable();
  private final Proposals proposals;
  private final Leadership leadership;
  private final StatusSource statusSource;
  private final Map<Opcode, RequestHandler> open = new EnumMap<>(Opcode.class);
  private final Map<Opcode, RequestHandler> signed = new EnumMap<>(Opcode.class);
  private final AtomicInteger underWay = new AtomicInteger();
  private final CompletableFuture<Void> ready = new CompletableFuture<>();
  private final CompletableFuture<Void> leading = new CompletableFuture<>();
  private volatile Scheduler.Timer timer = () -> {};
  private volatile boolean closed;
  private ClusterListener clusterListener = cluster -> {};
  private Secret tokenOfSecret;
  private byte[] joinSecret;

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
    this(log, configuration, environment, home, birth, place, Patience.DEFAULT);
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
      Patience patience) {
    this.configuration = configuration;
    this.environment = environment;
    this.home = home;
    this.proposals = new Proposals(log, home);
    UnusableOsds unusable = new UnusableOsds(patience.nanos());
    this.leadership =
        new Leadership(log, proposals, configuration, heartbeats, unusable, environment, birth);
    this.statusSource =
        new StatusSource(log, leadership, configuration, heartbeats, unusable, environment, place);
    VolumeHandlers volumes =
        new VolumeHandlers(leadership, proposals, configuration, environment, home);
    VolumeLifeHandlers lives =
        new VolumeLifeHandlers(leadership, proposals, configuration, environment);
    open.put(Opcode.CREATE_VOLUME, lives::create);
    open.put(Opcode.DELETE_VOLUME, lives::delete);
    signed.put(Opcode.VOLUME_STEP, lives::step);
    open.put(Opcode.GET_TABLE, this::table);
    open.put(Opcode.GET_STATUS, request -> statusNow());
    signed.put(Opcode.JOIN_OSD, join(NodeKey.Kind.OSD));
    signed.put(Opcode.JOIN_MANAGER, join(NodeKey.Kind.MANAGER));
    signed.put(
        Opcode.HEARTBEAT,
        new HeartbeatHandler(
            leadership, proposals, configuration, heartbeats, environment.ticker()));
    signed.put(Opcode.ACQUIRE_VOLUMES, volumes::acquire);
    signed.put(Opcode.READMIT_OSD, volumes::readmit);
    signed.put(Opcode.VOLUME_FORMATTED, volumes::formatted);
    signed.put(Opcode.SET_BACKUP, volumes::setBackup);
    signed.put(Opcode.HAND_OVER, volumes::handOver);
  }

  private JoinHandler join(NodeKey.Kind kind) {
    return new JoinHandler(kind, proposals, configuration, heartbeats, environment);
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

  /** Begins to look who leads, and to lead when it is this member's turn. */
  public void start() {
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

  private void tick() {
    if (closed) {
      return;
    }
    leadership.tick();
    noticeCluster();
    if (closed) {
      return;
    }
    if (leadership.leading()) {
      leading.complete(null);
    }
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
  }

  @Override
  public void handle(InboundRequest request) {
    if (closed) {
      request.fail(ErrorCode.UNAVAILABLE, "this SysMgr member is stopping");
    } else if (underWay.incrementAndGet() > MAX_UNDER_WAY) {
      underWay.decrementAndGet();
      request.fail(ErrorCode.OVERLOADED, "SysMgr has too many requests under way; try again");
    } else {
      try {
        home.execute(() -> answer(request));
      } catch (RejectedExecutionException e) {
        underWay.decrementAndGet();
        request.fail(ErrorCode.UNAVAILABLE, "this SysMgr member is stopping");
      }
    }
  }

  private void answer(InboundRequest request) {
    try {
      var unused =
          dispatch(request).whenComplete((reply, failure) -> finish(request, reply, failure));
    } catch (RpcException e) {
      finish(request, null, e);
    } catch (RuntimeException e) {
      LOG.error("a request of opcode 0x{} failed", Integer.toHexString(request.opcodeNumber()), e);
      finish(request, null, e);
    }
  }

  private void finish(InboundRequest request, MessageLite reply, Throwable failure) {
    underWay.decrementAndGet();
    if (failure == null) {
      request.reply(reply);
    } else {
      request.fail(RpcException.of(failure));
    }
  }

  private CompletionStage<? extends MessageLite> dispatch(InboundRequest request)
      throws RpcException {
    Opcode opcode = Opcode.of(request.opcodeNumber()).orElse(null);
    RequestHandler unsignedHandler = opcode == null ? null : open.get(opcode);
    if (unsignedHandler != null) {
      return unsignedHandler.answer(request);
    }
    RequestHandler handler = opcode == null ? null : signed.get(opcode);
    if (handler == null) {
      throw new RpcException(
          ErrorCode.UNSUPPORTED,
          "SysMgr does not answer opcode 0x" + Integer.toHexString(request.opcodeNumber()));
    }
    leadership.require();
    if (!request.signedWith(joinSecret())) {
      throw new RpcException(
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
    if (!token.equals(tokenOfSecret)) {
      tokenOfSecret = token;
      joinSecret = JoinSecret.of(token.bytes());
    }
    return joinSecret;
  }

  private CompletionStage<GetTableReply> table(InboundRequest request) throws RpcException {
    GetTableRequest wanted = request.parse(GetTableRequest.parser());
    leadership.require();
    return proposals.barrier().thenApply(done -> table(wanted.getKnownVersion()));
  }

  private GetTableReply table(long knownVersion) {
    Configuration state = configuration.current();
    return knownVersion != 0 && knownVersion == state.tableVersion()
        ? GetTableReply.newBuilder().setUnchanged(true).build()
        : GetTableReply.newBuilder().setTable(WireForms.table(state, heartbeats)).build();
  }

  private CompletionStage<ClusterStatus> statusNow() throws RpcException {
    return CompletableFuture.completedFuture(statusSource.status());
  }

  /** The status, for REST; fails with NOT_LEADER where another member leads. */
  public CompletionStage<ClusterStatus> status() {
    CompletableFuture<ClusterStatus> status = new CompletableFuture<>();
    home.execute(
        () -> {
          try {
            status.complete(statusSource.status());
          } catch (RpcException e) {
            status.completeExceptionally(e);
          }
        });
    return status;
  }

  private Optional<Cluster> knownCluster() {
    return configuration.current().cluster();
  }
}
