package org.weft.client.cluster;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.osd.OsdDirectory;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.retry.Backoff;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.GetEventsReply;
import org.weft.protocol.wire.GetEventsRequest;
import org.weft.protocol.wire.GetStatusRequest;
import org.weft.protocol.wire.GetTableReply;
import org.weft.protocol.wire.GetTableRequest;
import org.weft.protocol.wire.OsdRow;
import org.weft.protocol.wire.VolumeRow;

/**
 * The cluster's table as last heard from SysMgr. The view polls it periodically, when {@link
 * #refresh} asks for it, and when another process mentions a newer version ({@link #heard}). It
 * never goes back to an older version.
 *
 * <p>Lookups are thread-safe and never wait. Futures complete and listeners run on the home
 * executor, in turn; they must not block.
 */
public final class ClusterView implements OsdDirectory, VolumeDirectory, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterView.class);
  private static final Backoff RETRIES =
      Backoff.spread(TimeUnit.MILLISECONDS.toNanos(100), TimeUnit.SECONDS.toNanos(1));

  private final ClusterViewOptions options;
  private final Environment environment;
  private final Executor home;
  private final SysmgrLink link;
  private final List<Consumer<ClusterTable>> listeners = new CopyOnWriteArrayList<>();
  private volatile TableIndex index = TableIndex.EMPTY;

  // Confined to the home executor.
  private CompletableFuture<ClusterTable> underWay;
  private Scheduler.Timer timer = () -> {};
  private long heardVersion;
  private boolean reachable = true;

  /** A member has answered, if only that it does not lead. */
  private boolean isThere;

  /** The log has been told that the first table is waited for. */
  private boolean saidLeaderless;

  private boolean closed;

  private ClusterView(ClusterViewOptions options, Environment environment, Executor home) {
    this.options = options;
    this.environment = environment;
    this.home = home;
    this.link = linkTo(options.sysmgrs());
  }

  private SysmgrLink linkTo(List<Endpoint> sysmgrs) {
    return new SysmgrLink(
        environment.transport(),
        sysmgrs,
        this::expectedCluster,
        options.caller(),
        options.callTimeoutMillis(),
        home);
  }

  /**
   * Fetches the first table, trying every address again and again until one answers. Fails with
   * WRONG_CLUSTER at once if another cluster answers than the one expected. Fails with UNAVAILABLE
   * when the options' time for opening is over. That time is longer where members answer and none
   * leads.
   *
   * @param home a serial executor that the caller owns; it must outlive the view
   */
  public static CompletableFuture<ClusterView> open(
      ClusterViewOptions options, Environment environment, Executor home) {
    ClusterView view = new ClusterView(options, environment, home);
    CompletableFuture<ClusterView> opened = new CompletableFuture<>();
    long beganNanos = environment.ticker().nowNanos();
    home.execute(() -> view.open(opened, beganNanos, view.newDelays()));
    return opened;
  }

  private void open(CompletableFuture<ClusterView> opened, long beganNanos, Backoff.Delays delays) {
    var unused =
        fetch()
            .whenComplete(
                (table, failure) -> {
                  if (failure == null) {
                    schedulePeriodic();
                    opened.complete(this);
                    return;
                  }
                  WeftException cause = WeftException.of(failure);
                  long waitNanos = delays.nextNanos();
                  boolean again =
                      cause.code() == ErrorCode.UNAVAILABLE
                          && environment.ticker().nowNanos() + waitNanos - beganNanos
                              < patienceNanos(cause);
                  if (again) {
                    noteLeaderless(cause, beganNanos);
                    environment
                        .scheduler()
                        .schedule(waitNanos, home, () -> open(opened, beganNanos, delays));
                  } else {
                    shut();
                    opened.completeExceptionally(cause);
                  }
                });
  }

  /**
   * A cluster that answers, but has no leader, is waited for longer: as long as a client waits that
   * has found it before.
   */
  private long patienceNanos(WeftException failure) {
    isThere |= failure.getCause() instanceof WeftException told && told.isAnswer();
    return TimeUnit.MILLISECONDS.toNanos(
        isThere
            ? Math.max(options.openTimeoutMillis(), options.leaderlessMillis())
            : options.openTimeoutMillis());
  }

  private void noteLeaderless(WeftException failure, long beganNanos) {
    long waitedNanos = environment.ticker().nowNanos() - beganNanos;
    if (!saidLeaderless
        && waitedNanos >= TimeUnit.MILLISECONDS.toNanos(options.openTimeoutMillis())) {
      saidLeaderless = true;
      LOG.info(
          "waiting for the cluster, {} s at most: {}",
          TimeUnit.NANOSECONDS.toSeconds(patienceNanos(failure)),
          failure.getMessage());
    }
  }

  /** The whole table. */
  public ClusterTable table() {
    return index.table();
  }

  public long version() {
    return index.table().getVersion();
  }

  public ClusterId clusterId() {
    return new ClusterId(index.table().getClusterId());
  }

  @Override
  public List<Endpoint> addressesOf(OsdId osd) {
    return index.addressesOf(osd);
  }

  @Override
  public boolean isNear(OsdId osd) {
    return index.near().contains(osd.value());
  }

  /** Asks for a newer table, unless the OSD is in this one. */
  @Override
  public CompletableFuture<Void> look(OsdId osd) {
    return index.osd(osd).isPresent()
        ? CompletableFuture.completedFuture(null)
        : refresh().handle((table, failure) -> null);
  }

  /** What the table says of an OSD. */
  public Optional<OsdRow> osd(OsdId osd) {
    return index.osd(osd);
  }

  @Override
  public Optional<VolumeRow> volume(long volumeId) {
    return index.volume(volumeId);
  }

  /** The volume mounted at "/". */
  public Optional<VolumeRow> rootVolume() {
    return index.rootVolume();
  }

  @Override
  public Optional<VolumeRow> volumeHolding(String path) {
    return index.mounts().holding(path);
  }

  @Override
  public Optional<VolumeRow> volumeBelow(String path) {
    return index.mounts().below(path);
  }

  @Override
  public List<Endpoint> managerAddressesOf(long volumeId) {
    return index.managerAddressesOf(volumeId);
  }

  /** Runs on the home executor after each change of the table, with the new one. */
  public void addListener(Consumer<ClusterTable> listener) {
    listeners.add(listener);
  }

  /** The listener hears of no further change. */
  public void removeListener(Consumer<ClusterTable> listener) {
    listeners.remove(listener);
  }

  /**
   * Asks SysMgr for a newer table. Completes with the table known after that, newer or not; fails
   * as {@link SysmgrLink#call} does. Callers at the same time share one request.
   */
  @Override
  public CompletableFuture<ClusterTable> refresh() {
    CompletableFuture<ClusterTable> refreshed = new CompletableFuture<>();
    enter(refreshed, () -> passTo(refreshed, fetch()));
    return refreshed;
  }

  /** Another process knows of this version of the table: it is fetched if it is newer than ours. */
  @Override
  public void heard(long version) {
    if (Long.compareUnsigned(version, version()) > 0) {
      home.execute(
          () -> {
            heardVersion = Long.compareUnsigned(version, heardVersion) > 0 ? version : heardVersion;
            chase(newDelays());
          });
    }
  }

  /** What SysMgr knows of the cluster's health. Not cached. */
  public CompletableFuture<ClusterStatus> status() {
    CompletableFuture<ClusterStatus> status = new CompletableFuture<>();
    RpcRequest request =
        RpcRequest.unsigned(
            Opcode.GET_STATUS, GetStatusRequest.getDefaultInstance(), options.callTimeoutMillis());
    enter(
        status,
        () ->
            passTo(
                status, link.call(request).thenApply(ReplyReader.parser(ClusterStatus.parser()))));
    return status;
  }

  /** What happened to the cluster last, as SysMgr's leader knows. Not cached. */
  public CompletableFuture<GetEventsReply> events(GetEventsRequest wanted) {
    return ask(Opcode.GET_EVENTS, wanted, GetEventsReply.parser());
  }

  /** Asks SysMgr for something that may be repeated; each member is tried once. */
  <T> CompletableFuture<T> ask(Opcode opcode, MessageLite body, Parser<T> parser) {
    return ask(RpcRequest.unsigned(opcode, body, options.callTimeoutMillis()), parser);
  }

  /**
   * As the other one.
   *
   * @param secret signs the request and, over there, its answer
   */
  <T> CompletableFuture<T> ask(Opcode opcode, MessageLite body, Parser<T> parser, byte[] secret) {
    return ask(RpcRequest.proven(opcode, body, options.callTimeoutMillis(), secret), parser);
  }

  private <T> CompletableFuture<T> ask(RpcRequest request, Parser<T> parser) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    enter(answer, () -> passTo(answer, link.call(request).thenApply(ReplyReader.parser(parser))));
    return answer;
  }

  /** Fetches until the version heard of is known: the member that answers first may lag behind. */
  private void chase(Backoff.Delays delays) {
    if (closed || Long.compareUnsigned(heardVersion, version()) <= 0) {
      return;
    }
    var unused =
        fetch()
            .whenComplete(
                (table, failure) -> {
                  if (failure == null && Long.compareUnsigned(heardVersion, version()) > 0) {
                    environment.scheduler().schedule(delays.nextNanos(), home, () -> chase(delays));
                  }
                });
  }

  private CompletableFuture<ClusterTable> fetch() {
    if (underWay != null) {
      return underWay;
    }
    CompletableFuture<ClusterTable> fetched = new CompletableFuture<>();
    underWay = fetched;
    GetTableRequest body =
        GetTableRequest.newBuilder().setKnownVersion(options.figures() ? 0 : version()).build();
    var unused =
        new TableQuestion(tableRequest(body), link, () -> linkTo(link.othersFirst(link.describe())))
            .ask(environment.scheduler(), home)
            .thenApply(this::accept)
            .whenComplete(
                (table, failure) -> {
                  underWay = null;
                  noteReachable(failure);
                  pass(table, failure, fetched);
                });
    return fetched;
  }

  private RpcRequest tableRequest(GetTableRequest body) {
    int millis = options.callTimeoutMillis();
    return options
        .joinSecret()
        .map(secret -> RpcRequest.proven(Opcode.GET_TABLE, body, millis, secret))
        .orElseGet(() -> RpcRequest.unsigned(Opcode.GET_TABLE, body, millis));
  }

  private ClusterTable accept(GetTableReply reply) {
    ClusterTable known = table();
    ClusterTable table = reply.getTable();
    int newer = Long.compareUnsigned(table.getVersion(), known.getVersion());
    boolean worthless = newer < 0 || (newer == 0 && !options.figures());
    if (reply.getUnchanged() || (known.getVersion() > 0 && worthless)) {
      return known;
    }
    checkCluster(table);
    index = TableIndex.of(table, options.ownHost());
    link.learned(sysmgrs(table));
    listeners.forEach(listener -> listener.accept(table));
    return table;
  }

  /** RPC addresses of SysMgr's members, as the table has them; empty in older tables. */
  public static List<Endpoint> sysmgrs(ClusterTable table) {
    return table.getSysmgrsList().stream().map(Endpoint::fromMessage).toList();
  }

  private void checkCluster(ClusterTable table) {
    ClusterId found;
    try {
      found = new ClusterId(table.getClusterId());
    } catch (IllegalArgumentException e) {
      throw ReplyReader.failure(
          ErrorCode.MALFORMED, "the cluster's table is of no use: " + e.getMessage());
    }
    Optional<ClusterId> expected = expectedCluster();
    if (expected.isPresent() && !expected.get().equals(found)) {
      throw ReplyReader.failure(
          ErrorCode.WRONG_CLUSTER,
          "expected cluster " + expected.get() + ", found " + found + "; check the address");
    }
  }

  private Optional<ClusterId> expectedCluster() {
    String known = index.table().getClusterId();
    return known.isEmpty() ? options.clusterId() : Optional.of(new ClusterId(known));
  }

  private void noteReachable(Throwable failure) {
    if (failure != null && reachable && version() > 0) {
      LOG.info(
          "cluster table not refreshed, version {} stays in use: {}",
          version(),
          WeftException.of(failure).getMessage());
    }
    reachable = failure == null;
  }

  private void schedulePeriodic() {
    if (!closed) {
      timer =
          environment
              .scheduler()
              .schedule(
                  TimeUnit.MILLISECONDS.toNanos(options.refreshMillis()),
                  home,
                  this::refreshPeriodically);
    }
  }

  private void refreshPeriodically() {
    var unused = fetch().whenComplete((table, failure) -> schedulePeriodic());
  }

  private Backoff.Delays newDelays() {
    return RETRIES.begin(environment.random());
  }

  private void enter(CompletableFuture<?> waiting, Runnable task) {
    try {
      home.execute(task);
    } catch (RejectedExecutionException e) {
      waiting.completeExceptionally(
          new WeftException(ErrorCode.CANCELLED, "the client is closed", e));
    }
  }

  private static <T> void passTo(CompletableFuture<T> target, CompletableFuture<T> source) {
    var unused = source.whenComplete((value, failure) -> pass(value, failure, target));
  }

  private static <T> void pass(T value, Throwable failure, CompletableFuture<T> target) {
    if (failure == null) {
      target.complete(value);
    } else {
      target.completeExceptionally(WeftException.of(failure));
    }
  }

  /** Ends the periodic refresh and the connection. The last table stays readable. */
  @Override
  public void close() {
    enter(new CompletableFuture<Void>(), this::shut);
  }

  private void shut() {
    closed = true;
    timer.cancel();
    link.close();
  }
}
