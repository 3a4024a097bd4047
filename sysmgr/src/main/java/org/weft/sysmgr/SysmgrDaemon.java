package org.weft.sysmgr;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.system.OpenParts;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.EnlistMemberReply;
import org.weft.protocol.wire.EventMessage;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.cluster.Cluster;
import org.weft.sysmgr.configuration.cluster.Event;
import org.weft.sysmgr.configuration.restore.RestoredConfiguration;
import org.weft.sysmgr.replication.ratis.RatisOptions;
import org.weft.sysmgr.replication.ratis.RatisReplicatedLog;
import org.weft.sysmgr.rest.ClusterRoutes;
import org.weft.sysmgr.rest.RestRoutes;
import org.weft.sysmgr.rest.RestServer;
import org.weft.sysmgr.service.ClusterBirth;
import org.weft.sysmgr.service.ServicePlace;
import org.weft.sysmgr.service.SysmgrService;
import org.weft.sysmgr.storage.MemberDirectory;

/** A member of SysMgr, started. Thread-safe. */
public final class SysmgrDaemon implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SysmgrDaemon.class);
  private static final int READY_SECONDS = 60;

  /** Of one connection under way: daemons and clients ask little of SysMgr. */
  private static final int MAX_REQUESTS = 32;

  private final SysmgrOptions options;
  private final int snapshotEveryEntries;
  private final OpenParts parts = new OpenParts();
  private final ReplicatedConfiguration configuration = new ReplicatedConfiguration();
  private final CompletableFuture<Void> ready = new CompletableFuture<>();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private MemberDirectory directory;
  private SysmgrMember own;

  /** It got its number since it was started. */
  private boolean enlisted;

  /** Members that let this process in, if it was enlisted since it was started. */
  private List<ReplicatedLog.Member> met = List.of();

  private volatile RatisReplicatedLog log;
  private volatile SysmgrService service;
  private volatile boolean closing;
  private RpcListener listener;
  private RestServer rest;

  private SysmgrDaemon(SysmgrOptions options, int snapshotEveryEntries) {
    this.options = options;
    this.snapshotEveryEntries = snapshotEveryEntries;
  }

  /**
   * Formats the data directory if it is new, and starts. Returns when the member listens; a single
   * member also leads by then, so that {@link #clusterId} and {@link #joinToken} are known. With
   * more members see {@link #ready}.
   *
   * @throws IOException that says what to do: the directory is in use, or is another member's or no
   *     member's; a port is taken
   */
  public static SysmgrDaemon start(SysmgrOptions options, Environment environment)
      throws IOException {
    return start(options, environment, RatisOptions.DEFAULT_SNAPSHOT_EVERY);
  }

  /** With another number of log entries between two snapshots, for tests. */
  static SysmgrDaemon start(
      SysmgrOptions options, Environment environment, int snapshotEveryEntries) throws IOException {
    SysmgrDaemon daemon = new SysmgrDaemon(options, snapshotEveryEntries);
    try {
      daemon.assemble(environment);
      if (options.members().size() == 1 && options.join().isEmpty() && daemon.isAlone()) {
        daemon.awaitReady();
      }
      return daemon;
    } catch (IOException | RuntimeException e) {
      daemon.closing = true;
      daemon.parts.closeAfter(e);
      throw e;
    }
  }

  private boolean isAlone() {
    RatisReplicatedLog opened = log;
    return opened != null && opened.members().size() == 1;
  }

  private void assemble(Environment environment) throws IOException {
    directory = parts.add(openDirectory(environment));
    own = directory.joined() ? options.joined() : options.self();
    Scheduler.OwnedExecutor home = parts.add(environment.scheduler().newSerialExecutor("sysmgr"));
    List<Endpoint> others =
        options.members().stream()
            .filter(member -> member.memberId() != directory.memberId())
            .map(SysmgrMember::rpc)
            .toList();
    FirstStart first =
        new FirstStart(
            environment,
            home,
            directory.joined() ? List.of() : others,
            directory.memberId(),
            directory.instance());
    parts.add(first::close);
    MemberDesk desk = new MemberDesk(directory);
    if (isWaiting() && options.join().isPresent()) {
      RatisReplicatedLog.requireFree(options.ratis());
      listener = parts.add(listen(environment, desk));
      parts.add(
          Meeting.begin(
              options,
              directory.memberId(),
              environment,
              directory.hasLog() ? Meeting.PATIENCE_NANOS : Long.MAX_VALUE,
              members -> meet(members, environment, home, first, desk)));
    } else if (directory.isReady()) {
      if (isWaiting()) {
        directory.requireLog();
      }
      openLog(environment, home, first);
      listener = parts.add(listen(environment, desk));
      serve(desk);
    } else {
      RatisReplicatedLog.requireFree(options.ratis());
      listener = parts.add(listen(environment, desk));
      var unused =
          first
              .allNew()
              .thenAccept(seen -> begin(environment, home, first, desk, seen))
              .exceptionally(this::cannotBegin);
    }
    LeaderStatus shown =
        new LeaderStatus(environment.transport(), "sysmgr-" + directory.memberId());
    rest =
        parts.add(
            RestServer.start(
                options.rest(),
                ClusterRoutes.of(
                    () -> shown.status(status(), this::leader),
                    () -> events(shown),
                    this::status)));
  }

  private MemberDirectory openDirectory(Environment environment) throws IOException {
    UUID fresh = new UUID(environment.random().nextLong(), environment.random().nextLong());
    if (options.join().isEmpty() || MemberDirectory.isFormatted(options.dataDirectory())) {
      return MemberDirectory.open(
          options.dataDirectory(), options.memberId(), options.clusterName(), members(), fresh);
    }
    // Another process that runs here would be taken for one that is gone (P 6.2a.14).
    RatisReplicatedLog.requireFree(options.ratis());
    EnlistMemberReply reply =
        Enlistment.enlist(
            options.join().get(), 0, options.self(), environment, Enlistment.PATIENCE_NANOS);
    LOG.info("enlisted as SysMgr member {}", reply.getMemberId());
    enlisted = true;
    met = Enlistment.members(reply);
    return MemberDirectory.openJoined(
        options.dataDirectory(),
        reply.getMemberId(),
        reply.getClusterName(),
        UUID.fromString(reply.getLogGroup()));
  }

  /**
   * It has a number, and was started again before it knew that it was added. Before its log tells
   * of the members it asks once more: that may be addresses of long ago (P 6.2a.12).
   */
  private boolean isWaiting() {
    return directory.joined() && directory.clusterId().isEmpty() && !enlisted;
  }

  private void meet(
      List<ReplicatedLog.Member> members,
      Environment environment,
      Scheduler.OwnedExecutor home,
      FirstStart first,
      MemberDesk desk) {
    met = members;
    try {
      if (members.isEmpty() || members.stream().anyMatch(each -> each.memberId() == memberId())) {
        directory.requireLog();
      }
      openLog(environment, home, first);
      serve(desk);
    } catch (IOException | RuntimeException e) {
      Void unused = cannotBegin(e);
    }
  }

  private void begin(
      Environment environment,
      Scheduler.OwnedExecutor home,
      FirstStart first,
      MemberDesk desk,
      SortedMap<Integer, String> seen) {
    try {
      directory.madeReady(seen);
      openLog(environment, home, first);
      serve(desk);
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  private Void cannotBegin(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    LOG.error("this SysMgr member cannot begin: {}", cause.getMessage(), cause);
    ended.completeExceptionally(cause);
    ready.completeExceptionally(cause);
    return null;
  }

  private void openLog(Environment environment, Scheduler.OwnedExecutor home, FirstStart first)
      throws IOException {
    RatisReplicatedLog opened =
        RatisReplicatedLog.start(ratisOptions(), configuration, environment.random());
    parts.add(opened);
    log = opened;
    opened.meet(met);
    pass(opened.ended().thenRun(this::requireClosed), ended);
    SysmgrService made =
        new SysmgrService(
            opened,
            configuration,
            environment,
            home,
            birth(first),
            new ServicePlace(this::memberAddresses, this::restUrl, directory.group().toString()),
            options.patience());
    parts.add(made::close);
    made.whenReady(cluster -> directory.clusterKnown(cluster.id(), cluster.joinToken().bytes()));
    pass(made.ready(), ready);
    service = made;
  }

  /** The log ends by itself, with nothing wrong here, where others no longer count it in. */
  private void requireClosed() {
    if (!closing) {
      String why =
          "the other SysMgr members no longer count this one, member %d, among them: it was removed, and that number is never used again. `weft sysmgr member list` shows the members; to have one here again, start it with --join and an empty data directory"
              .formatted(memberId());
      LOG.error("this SysMgr member ends: {}", why);
      throw new CompletionException(new IOException(why));
    }
  }

  private static void pass(CompletionStage<Void> source, CompletableFuture<Void> target) {
    var unused =
        source.whenComplete(
            (nothing, failure) -> {
              if (failure == null) {
                target.complete(null);
              } else {
                target.completeExceptionally(failure);
              }
            });
  }

  private ClusterBirth birth(FirstStart first) throws IOException {
    Optional<byte[]> restored = directory.restored();
    return new ClusterBirth(
        options.clusterName(),
        options.superuser(),
        first::allReady,
        restored.isEmpty()
            ? Optional.empty()
            : Optional.of(RestoredConfiguration.read(restored.get())));
  }

  private void serve(MemberDesk desk) {
    desk.open(service);
    service.start();
  }

  private CompletionStage<ClusterStatus> status() {
    SysmgrService started = service;
    return started == null
        ? CompletableFuture.failedFuture(
            new WeftException(
                ErrorCode.UNAVAILABLE, directory.joined() ? MemberDesk.ASKS : MemberDesk.WAITS))
        : started.status();
  }

  private Optional<Endpoint> leader() {
    ReplicatedLog opened = log;
    return opened == null ? Optional.empty() : opened.leader();
  }

  /** What happened last, as far as this member knows; fails while the leader's status fails. */
  private CompletionStage<List<EventMessage>> events(LeaderStatus shown) {
    return shown
        .status(status(), this::leader)
        .thenApply(
            known -> configuration.events().events().stream().map(Event::toMessage).toList());
  }

  private String members() {
    if (options.members().size() == 1) {
      return Integer.toString(Math.max(1, options.memberId()));
    }
    return options.members().stream()
        .map(member -> member.memberId() + "@" + member.ratis())
        .sorted()
        .collect(Collectors.joining(","));
  }

  private RatisOptions ratisOptions() {
    List<SysmgrMember> first = directory.joined() ? List.of() : options.members();
    return new RatisOptions(
        directory.log(),
        directory.group(),
        directory.memberId(),
        first.stream()
            .map(
                each ->
                    new ReplicatedLog.Member(
                        first.size() == 1 ? directory.memberId() : each.memberId(),
                        each.rpc(),
                        each.ratis()))
            .toList(),
        own.rpc(),
        options.ratis(),
        snapshotEveryEntries);
  }

  private RpcListener listen(Environment environment, MemberDesk desk) throws IOException {
    ListenOptions served =
        ListenOptions.of(
                () -> configuration.current().cluster().map(Cluster::id),
                "sysmgr-" + directory.memberId(),
                0)
            .withMaxRequests(MAX_REQUESTS);
    try {
      return environment
          .transport()
          .listen(options.listen(), served, desk)
          .toCompletableFuture()
          .get(READY_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IOException(
          "port "
              + options.listen().port()
              + " for requests to SysMgr ("
              + options.listen()
              + ") cannot be listened on: "
              + WeftException.of(e).getMessage()
              + "; free it or choose another",
          e);
    } catch (TimeoutException e) {
      throw new IOException("no word about listening on " + options.listen(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while starting SysMgr", e);
    }
  }

  private void awaitReady() throws IOException {
    try {
      service.ready().toCompletableFuture().get(READY_SECONDS, TimeUnit.SECONDS);
      service.leading().toCompletableFuture().get(READY_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IOException(WeftException.of(e).getMessage(), e);
    } catch (TimeoutException e) {
      throw new IOException(
          "SysMgr did not come to lead within " + READY_SECONDS + " s; look into its log", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while starting SysMgr", e);
    }
  }

  private List<Endpoint> memberAddresses() {
    List<ReplicatedLog.Member> known = log.members();
    if (known.size() <= 1 && options.members().size() == 1) {
      return List.of(advertised(own.rpc(), address()));
    }
    return known.isEmpty()
        ? options.members().stream().map(SysmgrMember::rpc).toList()
        : known.stream().map(ReplicatedLog.Member::rpc).toList();
  }

  private String restUrl() {
    String advertisedHost = own.rpc().host();
    return "http://" + advertised(new Endpoint(advertisedHost, 0), restAddress()) + "/";
  }

  private static Endpoint advertised(Endpoint told, Endpoint real) {
    return told.port() == 0 ? new Endpoint(told.host(), real.port()) : told;
  }

  /** Completes when the cluster exists, and this member's directory knows it. */
  public CompletionStage<Void> ready() {
    return ready;
  }

  /**
   * Completes when the member has ended, exceptionally if its disk failed or it was removed: then
   * close it.
   */
  public CompletionStage<Void> ended() {
    return ended;
  }

  /** The cluster's id; an {@link IllegalStateException} while no majority has made one. */
  public ClusterId clusterId() {
    return cluster().id();
  }

  /** The cluster's id; empty while no majority has made one. */
  public Optional<ClusterId> knownClusterId() {
    return configuration.current().cluster().map(Cluster::id);
  }

  /** The join token: the ASCII bytes of the text in DATA/join-token. */
  public byte[] joinToken() {
    return cluster().joinToken().bytes();
  }

  private Cluster cluster() {
    Optional<Cluster> cluster = configuration.current().cluster();
    return cluster.orElseThrow(
        () ->
            new IllegalStateException(
                "no cluster yet: a majority of the SysMgr members must have started"));
  }

  /** Which member this is. */
  public int memberId() {
    return directory.memberId();
  }

  /** It waits until the members of the cluster add it. */
  public boolean isCandidate() {
    RatisReplicatedLog opened = log;
    return directory.joined()
        && (opened == null
            || opened.members().stream().noneMatch(each -> each.memberId() == memberId()));
  }

  /** Where requests are heard, with the real port. */
  public Endpoint address() {
    return listener.address();
  }

  /** Where REST and the status page are, with the real port. */
  public Endpoint restAddress() {
    return rest.address();
  }

  /**
   * By how many milliseconds each node's clock is ahead of this member's, by the node's name; none
   * where another member leads. Any thread.
   */
  public SortedMap<String, Long> clocksAheadMillis() {
    SysmgrService started = service;
    return started == null ? new TreeMap<>() : started.clocksAheadMillis();
  }

  /** Answers these paths too from now on; they come before the daemon's own. */
  public void addRoutes(RestRoutes routes) {
    rest.addRoutes(routes);
  }

  /** Stops cleanly: first REST and requests, then the log, then the directory is free. */
  @Override
  public void close() throws IOException {
    LOG.info("SysMgr member {} stops", memberId());
    closing = true;
    parts.close();
  }
}
