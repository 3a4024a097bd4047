package org.weft.metadata;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.backup.WarmCounts;
import org.weft.metadata.rpc.ManagerRpcService;
import org.weft.metadata.serving.VolumeHost;
import org.weft.metadata.serving.client.ControlConnections;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.clock.ClusterClock;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.wire.VolumeHealth;

/**
 * A metadata manager: listens, joins the cluster, takes the volumes SysMgr gives it, each under a
 * new epoch, recovers and serves them (P 6.2). All that it acknowledges survives its {@code kill
 * -9}.
 */
public final class ManagerDaemon implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ManagerDaemon.class);

  /** SysMgr may start after this process, or be slow while a whole site starts. */
  private static final int JOIN_TIMEOUT_MILLIS = 300_000;

  private static final int GRACE_MILLIS = 5_000;
  private static final int DRAIN_TIMEOUT_MILLIS = 10_000;
  private static final int LEAVE_TIMEOUT_MILLIS = 3_000;

  /** A request for a copy holds a record of the journal, the largest thing that is said. */
  private static final int MAX_BODY_BYTES = (1 << 20) + (64 << 10);

  private static final long MAX_IN_FLIGHT_BYTES = 16L << 20;

  private final ManagerOptions options;
  private final Environment environment;
  private final DataDirectory directory;
  private final OwnedExecutor home;
  private final ControlConnections controls = new ControlConnections();
  private final Map<Long, VolumeHost> hosts = new ConcurrentSkipListMap<>();
  private final MutualHelp help;
  private final Membership membership;
  private RpcListener listener;

  private ManagerDaemon(
      ManagerOptions options,
      Environment world,
      DataDirectory directory,
      ManagerIdentity identity,
      JournalProgress progress) {
    ClusterClock clock = new ClusterClock(world.clock());
    this.options = options;
    this.environment = world.withClock(clock);
    this.directory = directory;
    this.home = environment.scheduler().newSerialExecutor("manager");
    this.help = new MutualHelp(options, environment, this::clusterId, this::idNumber);
    this.membership =
        new Membership(
            options,
            environment,
            clock,
            home,
            directory,
            identity,
            progress,
            hosts,
            controls,
            help);
  }

  /**
   * Starts a manager and waits until it listens and has joined the cluster; serving begins by
   * itself once the OSDs are there. Fails with WRONG_CLUSTER, naming both ids, if the data
   * directory is another cluster's. Fails with UNAUTHENTICATED if the join token is wrong. Fails
   * with UNAVAILABLE if no SysMgr answers in time or the address or the directory is taken.
   */
  public static ManagerDaemon start(ManagerOptions options, Environment environment)
      throws IOException {
    ManagerDaemon daemon = prepare(options, environment);
    try {
      var unused = daemon.begin().get(JOIN_TIMEOUT_MILLIS + GRACE_MILLIS, TimeUnit.MILLISECONDS);
      return daemon;
    } catch (ExecutionException e) {
      daemon.release();
      throw WeftException.of(e);
    } catch (TimeoutException e) {
      daemon.release();
      throw new WeftException(
          ErrorCode.DEADLINE_EXCEEDED, "the manager could not be started in time", e);
    } catch (InterruptedException e) {
      daemon.release();
      Thread.currentThread().interrupt();
      throw new WeftException(ErrorCode.CANCELLED, "the start was interrupted", e);
    }
  }

  /** Takes the data directory and builds the parts; nothing moves yet. */
  static ManagerDaemon prepare(ManagerOptions options, Environment environment) throws IOException {
    return prepare(options, LocalFolders.open(options.dataDirectory()), environment);
  }

  /** Like {@link #start}, but nothing moves before {@link #begin}, and the data lies in these. */
  public static ManagerDaemon prepare(
      ManagerOptions options, DataFolders folders, Environment environment) throws IOException {
    DataDirectory directory = new DataDirectory(folders, options.tuning().journal());
    try {
      return new ManagerDaemon(
          options,
          environment,
          directory,
          directory.start(environment.random(), environment.bootIdentity()),
          directory.progress());
    } catch (IOException | RuntimeException e) {
      directory.close();
      throw e;
    }
  }

  /** Listens and joins; fails as {@link #start} does. Never blocks. */
  public CompletableFuture<Void> begin() {
    ListenOptions listen =
        new ListenOptions(
            membership::clusterId, "manager", 0, MAX_BODY_BYTES, 0, MAX_IN_FLIGHT_BYTES);
    return environment
        .transport()
        .listen(
            options.listen(),
            listen,
            new ManagerRpcService(
                new HostedVolumes(hosts),
                controls,
                membership.copies(),
                help.worker(),
                JoinSecret.of(options.joinToken())))
        .thenCompose(
            opened -> {
              listener = opened;
              return membership.join(advertised(opened.address()), JOIN_TIMEOUT_MILLIS);
            })
        .toCompletableFuture();
  }

  private Endpoint advertised(Endpoint listening) {
    Endpoint wanted = options.advertised();
    return wanted.port() == 0 ? new Endpoint(wanted.host(), listening.port()) : wanted;
  }

  private Optional<ClusterId> clusterId() {
    return membership.clusterId();
  }

  private int idNumber() {
    return membership.managerId();
  }

  /** The id that SysMgr issued. */
  public ManagerId managerId() {
    return new ManagerId(membership.managerId());
  }

  /** Where it listens. */
  public Endpoint address() {
    return listener.address();
  }

  /** True once every volume that this manager was given is served. */
  public boolean isServing() {
    return !hosts.isEmpty() && hosts.values().stream().allMatch(VolumeHost::isServing);
  }

  /** Sentences on what its volumes wait for. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    hosts.values().forEach(host -> problems.addAll(host.problems()));
    return problems;
  }

  /**
   * Completes if this process can never serve again. Either SysMgr says that another process has
   * taken the manager's place, or a journal has failed. This process no longer serves its volumes,
   * and is to be closed.
   */
  public CompletionStage<Void> ended() {
    return membership.ended();
  }

  /**
   * Stops cleanly. It takes no more requests, brings what is journalled to the OSDs that are up,
   * writes a snapshot, and says good-bye to SysMgr. A manager that has {@link #ended} leaves all of
   * that to its successor. Blocks.
   */
  @Override
  public void close() {
    if (!membership.ended().isDone()) {
      waitFor("everything is on the OSDs", drain(), DRAIN_TIMEOUT_MILLIS);
      waitFor("SysMgr knows that this manager leaves", leave(), LEAVE_TIMEOUT_MILLIS);
    }
    release();
  }

  /**
   * Takes no more requests and brings everything to the OSDs. A volume that is about to be served
   * here is not opened any more. Its row keeps its backup for when this manager leaves.
   */
  public CompletableFuture<Void> drain() {
    return membership.takeNoMore().thenCompose(nothing -> drainHosts());
  }

  private CompletableFuture<Void> drainHosts() {
    List<CompletableFuture<Void>> drains = new ArrayList<>();
    hosts.values().forEach(host -> drains.add(host.drain()));
    return CompletableFuture.allOf(drains.toArray(CompletableFuture[]::new));
  }

  /**
   * Completes when everything that is acknowledged now is on the OSDs, as far as they are there.
   */
  CompletableFuture<Void> flushed() {
    List<CompletableFuture<Void>> all = new ArrayList<>();
    hosts.values().forEach(host -> all.add(host.flushed()));
    return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
  }

  /** What its heartbeats say of its volumes. */
  public List<VolumeHealth> health() {
    return hosts.values().stream().map(VolumeHost::health).toList();
  }

  /** How it goes with what it keeps warm as a backup. Any thread. */
  public WarmCounts warmCounts() {
    return membership.copies().warmCounts();
  }

  /** Says good-bye to SysMgr. */
  public CompletableFuture<Void> leave() {
    return membership.leave();
  }

  private static void waitFor(String what, CompletableFuture<Void> future, int timeoutMillis) {
    try {
      var unused = future.get(timeoutMillis, TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("stopping without waiting any longer until {}", what, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Gives everything back at once, as a crash would leave it. Blocks; not on the home executor. */
  public void release() {
    if (listener != null) {
      listener.close();
    }
    Set<VolumeHost> closed = new HashSet<>(hosts.values());
    closed.forEach(ManagerDaemon::closeHost);
    help.close();
    membership.close();
    home.close();
    // Opened since then: from here on none is.
    hosts.values().stream().filter(closed::add).forEach(ManagerDaemon::closeHost);
    try {
      directory.close();
    } catch (IOException e) {
      LOG.warn("the lock of the data directory could not be given back", e);
    }
  }

  private static void closeHost(VolumeHost host) {
    try {
      host.close();
    } catch (IOException | RuntimeException | Error e) {
      LOG.warn("a journal could not be closed", e);
    }
  }
}
