package org.weft.client;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.cache.DataCache;
import org.weft.client.cache.DataCacheCounts;
import org.weft.client.callback.Callbacks;
import org.weft.client.cluster.ClusterView;
import org.weft.client.cluster.ClusterViewOptions;
import org.weft.client.file.StripedFileData;
import org.weft.client.ids.FilesById;
import org.weft.client.number.NumberedData;
import org.weft.client.number.NumberedFiles;
import org.weft.client.osd.OsdConnections;
import org.weft.client.stripe.StripeEngine;
import org.weft.client.stripe.base.StripeOptions;
import org.weft.client.stripe.hedge.HedgeCounts;
import org.weft.client.volume.SessionOptions;
import org.weft.client.volume.VolumeMount;
import org.weft.client.volume.VolumeRouter;
import org.weft.client.volume.VolumeSession;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.wire.VolumeRow;

/**
 * A connection to a cluster: its table, sessions with the managers of its volumes, opened when they
 * are needed, and connections to its OSDs. One client serves any number of threads; it has one
 * thread of its own for the control path. The environment and the callback executor stay the
 * caller's.
 */
public final class WeftClient implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WeftClient.class);
  private static final String CALLER = "client";
  private static final int DATA_QUEUE_LIMIT = 4_096;

  /** How long the end waits for OSDs that do not answer. */
  private static final long LAST_WORDS_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final OwnedExecutor home;
  private final ClusterView cluster;
  private final VolumeRouter router;
  private final OsdConnections osds;
  private final OwnedExecutor dataWork;
  private final StripeEngine engine;
  private final Optional<DataCache> memory;
  private final WeftFileSystem fileSystem;
  private final Callbacks callbacks;
  private final FileLocks locks;
  private final Optional<NumberedFiles> numbered;
  private final Optional<NumberedData> numberedData;
  private final AtomicBoolean closed = new AtomicBoolean();

  private WeftClient(
      ClientOptions options,
      StripeOptions stripes,
      Environment environment,
      OwnedExecutor home,
      ClusterView cluster,
      VolumeRouter router) {
    this.home = home;
    this.cluster = cluster;
    this.router = router;
    this.osds =
        new OsdConnections(environment, cluster, () -> Optional.of(cluster.clusterId()), CALLER);
    cluster.addListener(table -> osds.directoryChanged());
    this.dataWork =
        environment
            .scheduler()
            .newPool("weft-data", Runtime.getRuntime().availableProcessors(), DATA_QUEUE_LIMIT);
    this.engine = new StripeEngine(environment, osds, dataWork, stripes);
    this.memory =
        options.cachedEntries() > 0 && options.dataCacheBytes() > 0
            ? Optional.of(new DataCache(options.dataCacheBytes()))
            : Optional.empty();
    this.fileSystem =
        new WeftFileSystem(
            router,
            calls -> new StripedFileData(engine, calls, memory),
            options.umask(),
            new Callbacks(options.callbacks()));
    this.callbacks = new Callbacks(options.callbacks());
    this.locks = new FileLocks(router, callbacks);
    this.numberedData =
        options.joinToken().map(token -> numberedData(options.numberedAheadBytes(), environment));
    this.numbered =
        numberedData.map(
            data ->
                new NumberedFiles(
                    router, cluster::volume, path -> WeftPath.of(path).names(), data, callbacks));
  }

  private NumberedData numberedData(long aheadBytes, Environment environment) {
    WeftFileSystem files =
        new WeftFileSystem(
            router,
            calls -> new StripedFileData(engine, calls, Optional.empty()),
            0,
            new Callbacks(Runnable::run));
    return new NumberedData(
        new NumberOpener(router, files),
        aheadBytes,
        engine.buffers(),
        environment.ticker()::nowNanos,
        (delayNanos, task) -> {
          var unused = environment.scheduler().schedule(delayNanos, home, task);
        });
  }

  /**
   * Finds the cluster and opens a session. Completes on the options' callback executor; fails with
   * UNAVAILABLE if no SysMgr answers, WRONG_CLUSTER if another cluster does, or as the manager
   * refuses.
   */
  public static CompletableFuture<WeftClient> connect(
      ClientOptions options, Environment environment) {
    return connect(options, stripeOptions(options), environment);
  }

  /** Like {@link #connect(ClientOptions, Environment)}, with streams of another size. */
  public static CompletableFuture<WeftClient> connect(
      ClientOptions options, StripeOptions stripes, Environment environment) {
    OwnedExecutor home =
        environment
            .transport()
            .newHome()
            .orElseGet(() -> environment.scheduler().newSerialExecutor("weft-client"));
    ClusterViewOptions view =
        new ClusterViewOptions(
                options.sysmgrs(),
                options.clusterId(),
                CALLER,
                Math.min(options.attemptTimeoutMillis(), options.openTimeoutMillis()),
                options.openTimeoutMillis(),
                ClusterViewOptions.DEFAULT_REFRESH_MILLIS,
                false)
            .ofClient(options.requestTimeoutMillis(), options.host());
    CompletableFuture<WeftClient> connected =
        ClusterView.open(view, environment, home)
            .thenCompose(cluster -> openSession(options, stripes, environment, home, cluster));
    return new Callbacks(options.callbacks())
        .deliver(
            closingOnFailure(connected, home, environment),
            unwanted -> aside(environment).execute(unwanted::close));
  }

  private static CompletableFuture<WeftClient> openSession(
      ClientOptions options,
      StripeOptions stripes,
      Environment environment,
      OwnedExecutor home,
      ClusterView cluster) {
    VolumeRouter router =
        new VolumeRouter(
            cluster, volume -> newSession(options, environment, home, cluster, volume));
    cluster.addListener(router::tableChanged);
    return router
        .open(WeftPath.ROOT.toString())
        .thenApply(opened -> new WeftClient(options, stripes, environment, home, cluster, router))
        .whenComplete(
            (client, failure) -> {
              if (failure != null) {
                var unused = router.shutdown();
                cluster.close();
              }
            });
  }

  private static VolumeSession newSession(
      ClientOptions options,
      Environment environment,
      OwnedExecutor home,
      ClusterView cluster,
      VolumeRow volume) {
    SessionOptions wanted =
        new SessionOptions(
            volume.getVolumeId(),
            options.user(),
            options.groups(),
            options.clientName(),
            options.joinToken().isPresent()
                ? SessionOptions.TRUSTED_SLOTS
                : SessionOptions.DEFAULT_SLOTS,
            SessionOptions.DEFAULT_REQUEST_LIMIT,
            options.attemptTimeoutMillis(),
            options.requestTimeoutMillis(),
            options.keepLocks(),
            options.cachedEntries(),
            options.joinToken().map(JoinSecret::of));
    return new VolumeSession(
        wanted, new VolumeMount(volume.getPath()), cluster.clusterId(), cluster, environment, home);
  }

  private static CompletableFuture<WeftClient> closingOnFailure(
      CompletableFuture<WeftClient> connected, OwnedExecutor home, Environment environment) {
    return connected.whenComplete(
        (client, failure) -> {
          if (failure != null) {
            aside(environment).execute(home::close);
          }
        });
  }

  /** For what the home thread cannot do: end itself. Threads of a pool end when they are idle. */
  private static OwnedExecutor aside(Environment environment) {
    return environment.scheduler().newPool("weft-client-end", 2, 1);
  }

  private static StripeOptions stripeOptions(ClientOptions options) {
    StripeOptions usual = StripeOptions.defaults();
    return usual
        .withMemory(options.writeWindowBytes(), usual.runBytes(), options.writeMemoryBytes())
        .withReads(options.readAheadBytes(), usual.sliceBytes(), usual.slicesInFlight())
        .withHedges(options.hedges())
        .withWriteDeadline(options.requestTimeoutMillis());
  }

  public WeftFileSystem fileSystem() {
    return fileSystem;
  }

  /** The files, for code that blocks. */
  public WeftFiles files() {
    return new WeftFiles(fileSystem);
  }

  /**
   * Files by their numbers, for gateways.
   *
   * @throws IllegalStateException without {@link ClientOptions#joinToken}
   */
  public FilesById filesById() {
    return numbered.orElseThrow(
        () ->
            new IllegalStateException(
                "a client names files by their numbers only with the cluster's join token; give it"
                    + " that with its options"));
  }

  /** Byte-range locks on files. */
  public FileLocks locks() {
    return locks;
  }

  /**
   * Files that have lost bytes, of the volume that holds the path. PERMISSION_DENIED but for the
   * superuser and members of group "supergroup".
   *
   * @param after behind the file with this object id; 0: from the first one on
   * @param max at most so many, up to 1,000
   */
  public CompletableFuture<DamagedFiles> damage(WeftPath path, long after, int max) {
    return callbacks.deliver(
        router.at(
            path.toString(),
            calls ->
                calls
                    .listDamage(after, max)
                    .thenApply(reply -> DamagedFiles.fromMessage(calls.mountPath(), reply))));
  }

  /**
   * Checks of whole volumes, by the volume that holds a path. PERMISSION_DENIED but for the
   * superuser and members of group "supergroup".
   */
  public VolumeChecks checks() {
    return new VolumeChecks(router, callbacks);
  }

  /** How often its readers did without units that were late. */
  public HedgeCounts hedgeCounts() {
    return engine.hedgeCounts();
  }

  /** What its cache of bytes has done (P 6.5e). */
  public DataCacheCounts dataCacheCounts() {
    return memory.map(DataCache::counts).orElse(DataCacheCounts.NONE);
  }

  /** What the client knows of the cluster. */
  public ClusterView cluster() {
    return cluster;
  }

  /**
   * Tells the OSDs what they have not heard yet of writes that are complete, and the managers that
   * the sessions end; {@link #close} does it too. Never blocks.
   */
  public CompletableFuture<Void> leave() {
    return numberedData
        .map(NumberedData::shutdown)
        .orElseGet(() -> CompletableFuture.completedFuture(null))
        .thenCompose(nothing -> engine.finish(LAST_WORDS_NANOS))
        .thenCompose(nothing -> router.shutdown());
  }

  /**
   * Ends the session and all connections; waits a moment for the manager to know. Files still being
   * written are given up. Must not be called from a listener of {@link #cluster}.
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try {
      var unused = Blocking.await(leave());
    } catch (IOException e) {
      LOG.debug("the managers were not told of the sessions' end: {}", e.getMessage());
    } finally {
      // An interrupted thread has not even begun to tell the managers.
      var unused = router.shutdown();
    }
    cluster.close();
    osds.close();
    engine.end();
    dataWork.close();
    home.close();
  }
}
