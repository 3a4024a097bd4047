package org.weft.client;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.callback.Callbacks;
import org.weft.client.cluster.ClusterView;
import org.weft.client.cluster.ClusterViewOptions;
import org.weft.client.internal.PartsHolder;
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
public final class WeftClient extends PartsHolder implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WeftClient.class);

  private final ClientEngine engine;
  private final FileLocks locks;
  private final AtomicBoolean closed = new AtomicBoolean();

  private WeftClient(ClientEngine engine) {
    super(engine.parts());
    this.engine = engine;
    this.locks = engine.locks();
  }

  /**
   * Finds the cluster and opens a session. Completes on the options' callback executor; fails with
   * UNAVAILABLE if no SysMgr answers, WRONG_CLUSTER if another cluster does, or as the manager
   * refuses.
   */
  public static CompletableFuture<WeftClient> connect(
      ClientOptions options, Environment environment) {
    ClientOptions.Settings settings = options.settings();
    OwnedExecutor home =
        environment
            .transport()
            .newHome()
            .orElseGet(() -> environment.scheduler().newSerialExecutor("weft-client"));
    ClusterViewOptions view =
        new ClusterViewOptions(
                settings.sysmgrs(),
                settings.clusterId(),
                ClientEngine.CALLER,
                Math.min(settings.attemptTimeoutMillis(), settings.openTimeoutMillis()),
                settings.openTimeoutMillis(),
                ClusterViewOptions.DEFAULT_REFRESH_MILLIS,
                false)
            .ofClient(settings.requestTimeoutMillis(), settings.host());
    CompletableFuture<WeftClient> connected =
        ClusterView.open(view, environment, home)
            .thenCompose(cluster -> openSession(settings, environment, home, cluster));
    return new Callbacks(settings.callbacks())
        .deliver(
            closingOnFailure(connected, home, environment),
            unwanted -> aside(environment).execute(unwanted::close));
  }

  private static CompletableFuture<WeftClient> openSession(
      ClientOptions.Settings settings,
      Environment environment,
      OwnedExecutor home,
      ClusterView cluster) {
    VolumeRouter router =
        new VolumeRouter(
            cluster, volume -> newSession(settings, environment, home, cluster, volume));
    cluster.addListener(router::tableChanged);
    return router
        .open(WeftPath.ROOT.toString())
        .thenApply(
            opened ->
                new WeftClient(new ClientEngine(settings, environment, home, cluster, router)))
        .whenComplete(
            (client, failure) -> {
              if (failure != null) {
                var unused = router.shutdown();
                cluster.close();
              }
            });
  }

  private static VolumeSession newSession(
      ClientOptions.Settings settings,
      Environment environment,
      OwnedExecutor home,
      ClusterView cluster,
      VolumeRow volume) {
    SessionOptions wanted =
        new SessionOptions(
            volume.getVolumeId(),
            settings.user(),
            settings.groups(),
            settings.clientName(),
            settings.joinToken().isPresent()
                ? SessionOptions.TRUSTED_SLOTS
                : SessionOptions.DEFAULT_SLOTS,
            SessionOptions.DEFAULT_REQUEST_LIMIT,
            settings.attemptTimeoutMillis(),
            settings.requestTimeoutMillis(),
            settings.keepLocks(),
            settings.cachedEntries(),
            settings.joinToken().map(JoinSecret::of));
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

  /** The files, with futures. */
  public WeftFileSystem fileSystem() {
    return engine.files();
  }

  /** The files, for code that blocks. */
  public WeftFiles files() {
    return new WeftFiles(fileSystem());
  }

  /** Byte-range locks on files. */
  public FileLocks locks() {
    return locks;
  }

  /**
   * Tells the OSDs what they have not heard yet of writes that are complete, and the managers that
   * the sessions end; {@link #close} does it too. Never blocks.
   */
  public CompletableFuture<Void> leave() {
    return engine.leave();
  }

  /**
   * Ends the session and all connections; waits a moment for the manager to know. Files still being
   * written are given up. Does nothing the second time. Must not be called from a future's callback
   * that runs on a thread of the client.
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
      engine.endSessions();
    }
    engine.end();
  }
}
