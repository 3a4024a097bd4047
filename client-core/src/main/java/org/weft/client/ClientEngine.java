package org.weft.client;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.weft.client.cache.DataCache;
import org.weft.client.callback.Callbacks;
import org.weft.client.cluster.ClusterView;
import org.weft.client.file.StripedFileData;
import org.weft.client.health.HealthCalls;
import org.weft.client.internal.ClientParts;
import org.weft.client.lock.LocksById;
import org.weft.client.number.NumberedData;
import org.weft.client.number.NumberedFiles;
import org.weft.client.osd.OsdConnections;
import org.weft.client.stripe.StripeEngine;
import org.weft.client.volume.VolumeRouter;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;

/** What one client works with, made when its first session is open, and its end. */
final class ClientEngine {
  /** What a client is called in messages of OSDs and SysMgr. */
  static final String CALLER = "client";

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
  private final WeftFileSystem files;
  private final Callbacks callbacks;
  private final Optional<NumberedData> numbered;

  /**
   * @param home the client's own thread, which ends with it
   * @param router of a client whose session with the root volume is open
   */
  ClientEngine(
      ClientOptions.Settings settings,
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
    this.engine = new StripeEngine(environment, osds, dataWork, settings.stripes());
    this.memory =
        settings.cachedEntries() > 0 && settings.dataCacheBytes() > 0
            ? Optional.of(new DataCache(settings.dataCacheBytes()))
            : Optional.empty();
    this.callbacks = new Callbacks(settings.callbacks());
    this.files =
        new WeftFileSystem(
            router,
            calls -> new StripedFileData(engine, calls, memory),
            settings.umask(),
            callbacks);
    this.numbered =
        settings.joinToken().map(token -> numberedData(settings.numberedAheadBytes(), environment));
  }

  private NumberedData numberedData(long aheadBytes, Environment environment) {
    FileOpener opener =
        new FileOpener(
            router,
            calls -> new StripedFileData(engine, calls, Optional.empty()),
            new Callbacks(Runnable::run));
    return new NumberedData(
        new NumberOpener(router, opener),
        aheadBytes,
        engine.buffers(),
        environment.ticker()::nowNanos,
        (delayNanos, task) -> {
          var unused = environment.scheduler().schedule(delayNanos, home, task);
        });
  }

  WeftFileSystem files() {
    return files;
  }

  FileLocks locks() {
    return new FileLocks(router, callbacks);
  }

  /** What modules of Weft use of it beyond the API. */
  ClientParts parts() {
    return new ClientParts(
        cluster,
        engine,
        memory,
        new HealthCalls(router, callbacks),
        new LocksById(router, callbacks),
        numbered.map(
            data ->
                new NumberedFiles(
                    router, cluster::volume, path -> WeftPath.of(path).names(), data, callbacks)));
  }

  /** Says what OSDs and managers have not heard yet. Never blocks. */
  CompletableFuture<Void> leave() {
    return numbered
        .map(NumberedData::shutdown)
        .orElseGet(() -> CompletableFuture.completedFuture(null))
        .thenCompose(nothing -> engine.finish(LAST_WORDS_NANOS))
        .thenCompose(nothing -> router.shutdown());
  }

  /** Tells managers that were not told, and waits for none of them. */
  void endSessions() {
    var unused = router.shutdown();
  }

  /** Ends all connections and threads. */
  void end() {
    cluster.close();
    osds.close();
    engine.end();
    dataWork.close();
    home.close();
  }
}
