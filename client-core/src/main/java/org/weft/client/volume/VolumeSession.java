package org.weft.client.volume;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.cache.ReadCache;
import org.weft.client.cluster.ManagerDirectory;
import org.weft.client.cluster.PeerLink;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.wire.CloseSessionRequest;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.VolumeRow;

/**
 * A client's session with the manager of one volume (P 6.5). It is opened at the first request and
 * renewed at a third of its lease. When the manager no longer knows it, the next request opens
 * another. Requests that speak of what the old one held fail with SESSION_EXPIRED.
 *
 * <p>{@link #call} is thread-safe; its futures complete on the home executor and fail with an
 * {@link WeftException} whose text begins with the request's subject. Everything else is confined
 * to home.
 */
public final class VolumeSession implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeSession.class);
  private static final String CALLER = "client";
  private static final int CONNECT_TIMEOUT_MILLIS = 5_000;
  private static final int CLOSE_TIMEOUT_MILLIS = 2_000;
  private static final long REFRESH_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
  private static final long NONE = 0;

  private final SessionOptions options;
  private final VolumeMount mount;
  private final ManagerDirectory directory;
  private final Environment environment;
  private final Executor home;
  private final PeerLink link;
  private final ControlChannel control;
  private final AtomicInteger unanswered = new AtomicInteger();
  private final AtomicInteger losses = new AtomicInteger();
  private volatile LiveSession liveSession;

  /** What the latest session has open for reading. */
  private volatile OpenedFiles files = new OpenedFiles(NONE, NONE);

  /** Requests whose callers have not been told the end, in the order of their beginning. */
  private final Set<Exchange<?>> underWay = Collections.synchronizedSet(new LinkedHashSet<>());

  private final DeferredTasks deferred;

  // Confined to the home executor.
  private final UnwrittenCloses unwritten = new UnwrittenCloses(this);
  private final PutOffRequests putOff = new PutOffRequests(this);
  private final SilentManager silence;
  private final Deque<Exchange<?>> waitingForSession = new ArrayDeque<>();
  private CompletableFuture<LiveSession> opening;
  private final SessionRenewal renewal;
  private LiveSession live;
  private long lastRefreshNanos;
  private boolean refreshedOnce;
  private WeftException closedFor;

  /** A session with the root volume; see the other constructor. */
  public VolumeSession(
      SessionOptions options,
      ClusterId clusterId,
      ManagerDirectory directory,
      Environment environment,
      Executor home) {
    this(options, VolumeMount.ROOT, clusterId, directory, environment, home);
  }

  /**
   * @param mount where the volume stands in the cluster
   * @param clusterId the cluster that the manager must belong to
   * @param home a serial executor that the caller owns and that outlives the session
   */
  public VolumeSession(
      SessionOptions options,
      VolumeMount mount,
      ClusterId clusterId,
      ManagerDirectory directory,
      Environment environment,
      Executor home) {
    this.options = options;
    this.mount = mount;
    this.directory = directory;
    this.environment = environment;
    this.home = home;
    this.deferred = new DeferredTasks(environment.scheduler(), home);
    ConnectOptions connect =
        new ConnectOptions(
                Optional.of(clusterId), CALLER, CONNECT_TIMEOUT_MILLIS, false, (opcode, body) -> {})
            .withHome(home);
    this.link =
        new PeerLink(
            environment.transport(),
            () -> directory.managerAddressesOf(options.volumeId()),
            () -> connect,
            home);
    // Its manager takes a client without any connection for dead before the lease is over.
    link.whenLost(this::renewSoon);
    this.control = new ControlChannel(this, clusterId, directory, home);
    this.renewal = new SessionRenewal(this, directory);
    this.silence = new SilentManager(this, this::askForTable);
  }

  /** Opens the session now, so that a refusal shows early. Completes on the home executor. */
  public CompletableFuture<Void> open() {
    CompletableFuture<Void> opened = new CompletableFuture<>();
    enter(opened, () -> open(opened));
    return opened;
  }

  private void open(CompletableFuture<Void> opened) {
    if (live != null) {
      opened.complete(null);
      return;
    }
    var unused =
        opening()
            .whenComplete(
                (session, failure) -> {
                  if (failure == null) {
                    opened.complete(null);
                  } else {
                    opened.completeExceptionally(WeftException.of(failure));
                  }
                });
  }

  /** Sends a request and repeats it until it is answered or its time is over. */
  <T> CompletableFuture<SessionReply<T>> call(VolumeRequest<T> request) {
    CompletableFuture<SessionReply<T>> result = new CompletableFuture<>();
    enter(result, () -> start(request, result));
    return result;
  }

  private void enter(CompletableFuture<?> waiting, Runnable task) {
    try {
      home.execute(task);
    } catch (RejectedExecutionException e) {
      waiting.completeExceptionally(closedFailure());
    }
  }

  /** As {@link #call}; on the home executor. */
  <T> void start(VolumeRequest<T> request, CompletableFuture<SessionReply<T>> result) {
    unwritten.sendBefore(request);
    if (unanswered.get() >= options.requestLimit()) {
      result.completeExceptionally(
          new WeftException(
              ErrorCode.OVERLOADED,
              request.subject()
                  + ": "
                  + options.requestLimit()
                  + " requests wait for the manager already; send fewer at a time"));
      return;
    }
    unanswered.incrementAndGet();
    Exchange<T> exchange = new Exchange<>(this, request, result);
    underWay.add(exchange);
    exchange.start();
  }

  /**
   * Gives back the grant of a new file that nothing was sent for, soon. Later requests of this
   * session are sent after it, except those that make another file.
   */
  CompletableFuture<Void> closeUnwritten(SessionGrant grant) {
    CompletableFuture<Void> told = new CompletableFuture<>();
    enter(told, () -> unwritten.add(grant, told));
    return told;
  }

  /** The request's caller has been told its end. Thread-safe. */
  void settled(Exchange<?> exchange) {
    underWay.remove(exchange);
    unanswered.decrementAndGet();
  }

  /** True while the manager is believed to know this session. Thread-safe. */
  public boolean isLive(long sessionId) {
    LiveSession current = liveSession;
    return current != null && current.id() == sessionId;
  }

  /** As {@link #isLive}, and its lease is not over by this client's clock. Thread-safe. */
  boolean isHeld(long sessionId) {
    LiveSession current = liveSession;
    return current != null && current.id() == sessionId && current.lease().holds();
  }

  /** How many sessions managers have ended for want of a sign of life. Thread-safe. */
  int losses() {
    return losses.get();
  }

  /** The session in force. Thread-safe, as is what is asked of it by its id. */
  Optional<LiveSession> inForce() {
    return Optional.ofNullable(liveSession);
  }

  /** What the session in force was granted for reading, if it wants to be. Thread-safe. */
  Optional<ReadCache> reads() {
    LiveSession current = liveSession;
    return current == null ? Optional.empty() : current.reads();
  }

  /** The same of one session; empty if it is not in force any more. On the home executor. */
  Optional<ReadCache> reads(long sessionId) {
    return live != null && live.id() == sessionId ? live.reads() : Optional.empty();
  }

  /** The session's manager has opened a file for reading. Thread-safe. */
  void fileOpened(long sessionId, OpenReply opened) {
    OpenedFiles current = files;
    if (current.sessionId() == sessionId) {
      current.opened(
          opened.getAttributes().getObjectId(), opened.getHandle(), opened.getOpenNumber());
    }
  }

  /**
   * One opening of a file is over: its manager hears of it with a later renewal. Without effect if
   * that session has ended. Thread-safe.
   */
  void fileClosed(long sessionId, long objectId) {
    OpenedFiles current = files;
    if (current.sessionId() == sessionId) {
      current.closed(objectId);
    }
  }

  /** What a session has published of the files that it writes; empty of one that has ended. */
  PublishedLengths lengths(long sessionId) {
    OpenedFiles current = files;
    return current.sessionId() == sessionId ? current.lengths() : new PublishedLengths(NONE);
  }

  /** Where the manager asks for something back (P 6.5). */
  ControlChannel control() {
    return control;
  }

  /** The session in force; on the home executor. */
  Optional<LiveSession> live() {
    return Optional.ofNullable(live);
  }

  public long volumeId() {
    return options.volumeId();
  }

  VolumeMount mount() {
    return mount;
  }

  /** Why no request is taken any more; null while they are. */
  WeftException closedFor() {
    return closedFor;
  }

  SessionOptions options() {
    return options;
  }

  Environment environment() {
    return environment;
  }

  long nowNanos() {
    return environment.ticker().nowNanos();
  }

  /** Runs a task after a while on the home executor; when the session is closed, at once. */
  void later(long delayNanos, Runnable task) {
    deferred.add(delayNanos, task);
  }

  Scheduler.Timer schedule(long delayNanos, Runnable task) {
    return environment.scheduler().schedule(Math.max(0, delayNanos), home, task);
  }

  String managerAddress() {
    return link.describe();
  }

  CompletableFuture<RpcReply> send(RpcRequest request) {
    return silence.watch(link.call(request));
  }

  /** Tells the exchange of the session in force, now or when one is open. */
  void whenLive(Exchange<?> exchange) {
    if (live != null) {
      exchange.sessionLive(live);
    } else {
      waitingForSession.add(exchange);
      // The requests that wait are told when it has ended.
      var unused = opening();
    }
  }

  private CompletableFuture<LiveSession> opening() {
    if (opening == null) {
      CompletableFuture<LiveSession> started =
          closedFor != null
              ? CompletableFuture.failedFuture(closedFor)
              : new SessionOpening(this).start();
      opening = started;
      var unused = started.whenComplete(this::opened);
      return started;
    }
    return opening;
  }

  private void opened(LiveSession session, Throwable failure) {
    opening = null;
    if (failure == null && closedFor == null) {
      live = session;
      liveSession = session;
      files = session.files();
      renewal.begin(session);
      if (session.reads().isPresent()) {
        control.keepOpen();
      }
    }
    // Requests that come while these are told may find a new opening under way.
    List<Exchange<?>> waiting = List.copyOf(waitingForSession);
    waitingForSession.clear();
    for (Exchange<?> exchange : waiting) {
      if (failure != null) {
        exchange.sessionFailed(WeftException.of(failure));
      } else if (closedFor != null) {
        exchange.sessionFailed(closedFor);
      } else {
        exchange.sessionLive(session);
      }
    }
  }

  private static WeftException closedFailure() {
    return new WeftException(ErrorCode.CANCELLED, "the client is closed");
  }

  /** Requests that wait before they are sent again; on the home executor. */
  PutOffRequests putOff() {
    return putOff;
  }

  /** What a new table says of the volume. Thread-safe. */
  void tableChanged(VolumeRow row) {
    try {
      home.execute(
          () -> {
            // What was sent there is answered no more: it is sent again where the volume is.
            link.addressesChanged();
            putOff.inEpoch(row.getEpoch());
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("a table came after the client had been closed");
    }
  }

  /** An attempt failed in a way that may mean that the manager is elsewhere now, or gone. */
  void notServed(WeftException failure) {
    if (failure.code() == ErrorCode.DEADLINE_EXCEEDED) {
      // Nothing came back: the connection may lead nowhere.
      link.rotate();
    }
    if (failure.code() != ErrorCode.UNAVAILABLE) {
      renewSoon();
    }
    askForTable();
  }

  private void askForTable() {
    long nowNanos = nowNanos();
    if (!refreshedOnce || nowNanos - lastRefreshNanos >= REFRESH_INTERVAL_NANOS) {
      refreshedOnce = true;
      lastRefreshNanos = nowNanos;
      // The answer reaches the directory; the next attempt reads it there.
      var unused = directory.refresh();
    }
  }

  /** The manager does not know the session: the next request opens another. */
  void expired(LiveSession session) {
    if (session.ended()) {
      return;
    }
    LOG.info(
        "session {} with the manager of volume {} has ended", session.id(), options.volumeId());
    losses.incrementAndGet();
    forget(session);
  }

  private void forget(LiveSession session) {
    session.end();
    if (live == session) {
      live = null;
      liveSession = null;
      renewal.cancel();
    }
    session.slots().end();
  }

  /** A manager that has started waits for what this session has to say of its files (P 6.5). */
  void renewSoon() {
    if (live != null) {
      renewal.soon(live);
    }
  }

  /**
   * Ends the session at the manager, if it answers soon, and all requests. The future completes
   * normally in any case, on the home executor.
   */
  public CompletableFuture<Void> shutdown() {
    return shutdown(closedFailure());
  }

  /**
   * As the other one.
   *
   * @param why what requests under way and later ones are refused with
   */
  public CompletableFuture<Void> shutdown(WeftException why) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    enter(done, () -> shut(done, why));
    return done;
  }

  private void shut(CompletableFuture<Void> done, WeftException why) {
    if (closedFor == null) {
      closedFor = why;
    }
    unwritten.send();
    control.close();
    LiveSession last = live;
    if (last == null) {
      closed(done);
      return;
    }
    // Nothing is answered from the cache any more when the manager ends the session's grants.
    forget(last);
    var unused = sendClose(last).whenComplete((reply, failure) -> closed(done));
  }

  /**
   * Fails the requests that are under way, and runs the tasks that were put off. Timers end with
   * the home executor, so that their callers would wait for ever.
   */
  private void closed(CompletableFuture<Void> done) {
    link.close();
    if (opening != null) {
      opening.completeExceptionally(closedFor);
    }
    List.copyOf(underWay).forEach(exchange -> exchange.sessionFailed(closedFor));
    deferred.end();
    done.complete(null);
  }

  private CompletableFuture<RpcReply> sendClose(LiveSession session) {
    CloseSessionRequest body =
        CloseSessionRequest.newBuilder()
            .setVolumeId(options.volumeId())
            .setSessionId(session.id())
            .build();
    return send(session.request(Opcode.CLOSE_SESSION, body, CLOSE_TIMEOUT_MILLIS));
  }

  @Override
  public void close() {
    var unused = shutdown();
  }
}
