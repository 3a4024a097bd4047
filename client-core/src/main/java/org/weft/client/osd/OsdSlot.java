package org.weft.client.osd;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.retry.Backoff;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.wire.OsdStatusRequest;

/**
 * Keeps the connection to one OSD, and opens it again.
 *
 * <pre>
 *   IDLE --call--> CONNECTING --answered--> OPEN --ended--> IDLE
 *                      |  ^
 *               failed v  | pause over, and a call came in it (else IDLE)
 *                     PAUSED
 * </pre>
 *
 * <p>While a connection is OPEN and {@linkplain SilenceWatch silent}, another one is opened beside
 * it. If the old one has still said nothing when the new one is open, the new one takes its place.
 * The old one is closed. Its calls fail with CONNECTION_LOST, and their owners repeat them. An OSD
 * that is frozen opens none, and keeps the old one.
 *
 * <p>The monitor guards the fields alone: connecting, calling and completing happen outside it.
 */
final class OsdSlot {
  /** Is told of each new connection. */
  @FunctionalInterface
  interface Connected {
    void connected(OsdId osd, long incarnation);
  }

  private enum State {
    IDLE,
    CONNECTING,
    OPEN,
    PAUSED,
    CLOSED
  }

  private static final Logger LOG = LoggerFactory.getLogger(OsdSlot.class);
  private static final int CONNECT_TIMEOUT_MILLIS = 3_000;
  private static final int REPLACEMENT_TIMEOUT_MILLIS = 2_000;
  private static final int SIGN_TIMEOUT_MILLIS = 5_000;
  private static final int MAX_WAITING_CALLS = 4_096;

  private static final int JITTER_PERCENT = 20;

  /** At least 50 ms to 2 s, as jitter takes a fifth at most: each attempt costs the host of it. */
  private static final Backoff PAUSES =
      new Backoff(
          TimeUnit.MICROSECONDS.toNanos(62_500),
          TimeUnit.MILLISECONDS.toNanos(2_500),
          JITTER_PERCENT);

  /** From one attempt's beginning to the next one's: most of them take their whole time. */
  private static final Backoff REPLACEMENTS =
      Backoff.spread(TimeUnit.MILLISECONDS.toNanos(500), TimeUnit.SECONDS.toNanos(3));

  private final OsdId osd;
  private final Environment environment;
  private final OsdDial dial;
  private final Connected connected;
  private final Backoff.Delays pauses;
  private final Backoff.Delays replacements;

  private State state = State.IDLE;
  private CompletableFuture<RpcConnection> connecting;
  private RpcConnection connection;
  private SilenceWatch watch;
  private boolean looking;
  private Scheduler.Timer lookTimer = () -> {};
  private CompletableFuture<RpcConnection> replacement;
  private long replaceAgainNanos;
  private int waitingCalls;
  private Scheduler.Timer pauseTimer = () -> {};
  private boolean askedInPause;
  private WeftException lastFailure;
  private OptionalLong incarnation = OptionalLong.empty();

  OsdSlot(
      OsdId osd,
      Environment environment,
      OsdDirectory directory,
      Supplier<Optional<ClusterId>> clusterId,
      String caller,
      int backgroundPercent,
      Connected connected) {
    this.osd = osd;
    this.environment = environment;
    this.dial =
        new OsdDial(osd, environment.transport(), directory, clusterId, caller, backgroundPercent);
    this.connected = connected;
    this.pauses = PAUSES.begin(environment.random());
    this.replacements = REPLACEMENTS.begin(environment.random());
  }

  synchronized OptionalLong incarnation() {
    return incarnation;
  }

  /**
   * An attempt to connect has failed since the OSD was reached last, or the connection is silent.
   */
  synchronized boolean isInDoubt() {
    return pauses.hasFailed() || state == State.OPEN && replacements.hasFailed();
  }

  CompletableFuture<RpcReply> call(OptionalLong start, RpcRequest request) {
    RpcConnection open;
    CompletableFuture<RpcConnection> waitFor = null;
    boolean connect = false;
    WeftException refused = null;
    synchronized (this) {
      open = usableConnection();
      if (open != null) {
        lookIfNeeded();
      } else {
        refused = refusal();
        if (refused == null) {
          connect = state == State.IDLE;
          waitFor = connect ? beginConnecting() : connecting;
          waitingCalls++;
        }
      }
    }
    if (open != null) {
      return call(open, start, request);
    }
    if (refused != null) {
      request.payload().release();
      return CompletableFuture.failedFuture(refused);
    }
    CompletableFuture<RpcReply> result = callWhenOpen(waitFor, start, request);
    if (connect) {
      connect(waitFor);
    }
    return result;
  }

  private CompletableFuture<RpcReply> call(
      RpcConnection open, OptionalLong start, RpcRequest request) {
    long now = open.peer().incarnation();
    if (start.isEmpty() || start.getAsLong() == now) {
      return open.call(request);
    }
    request.payload().release();
    return CompletableFuture.failedFuture(
        new WeftException(
            ErrorCode.UNAVAILABLE,
            "OSD "
                + osd
                + " was started again: what was known of it is of incarnation "
                + start.getAsLong()
                + ", and this is "
                + now));
  }

  /** The open connection, or null; one that has ended is forgotten. Under the monitor. */
  private RpcConnection usableConnection() {
    forgetIfEnded();
    return state == State.OPEN ? connection : null;
  }

  /** Why a call cannot even wait, or null. Under the monitor. */
  private WeftException refusal() {
    if (state == State.CLOSED) {
      return OsdConnections.closedException(osd);
    }
    if (state == State.PAUSED) {
      askedInPause = true;
      return new WeftException(lastFailure.code(), lastFailure.getMessage(), lastFailure);
    }
    if (waitingCalls >= MAX_WAITING_CALLS) {
      return new WeftException(
          ErrorCode.OVERLOADED,
          waitingCalls
              + " calls already wait for a connection to OSD "
              + osd
              + "; try again later");
    }
    return null;
  }

  private CompletableFuture<RpcConnection> beginConnecting() {
    state = State.CONNECTING;
    connecting = new CompletableFuture<>();
    return connecting;
  }

  private CompletableFuture<RpcReply> callWhenOpen(
      CompletableFuture<RpcConnection> waitFor, OptionalLong start, RpcRequest request) {
    CompletableFuture<RpcReply> result = new CompletableFuture<>();
    long sinceNanos = environment.ticker().nowNanos();
    var unused =
        waitFor.whenComplete(
            (opened, failure) -> {
              synchronized (this) {
                waitingCalls--;
              }
              int leftMillis = request.timeoutMillis() - millisSince(sinceNanos);
              if (failure != null) {
                request.payload().release();
                result.completeExceptionally(WeftException.of(failure));
              } else if (result.isDone()) {
                request.payload().release();
              } else if (leftMillis <= 0) {
                request.payload().release();
                result.completeExceptionally(
                    new WeftException(
                        ErrorCode.DEADLINE_EXCEEDED,
                        "connecting to OSD "
                            + osd
                            + " took longer than the call's "
                            + request.timeoutMillis()
                            + " ms"));
              } else {
                forward(call(opened, start, withTimeout(request, leftMillis)), result);
              }
            });
    return result;
  }

  private int millisSince(long sinceNanos) {
    long millis = TimeUnit.NANOSECONDS.toMillis(environment.ticker().nowNanos() - sinceNanos);
    return (int) Math.min(Integer.MAX_VALUE, millis);
  }

  private static RpcRequest withTimeout(RpcRequest request, int timeoutMillis) {
    return new RpcRequest(
        request.opcode(),
        request.body(),
        request.payload(),
        timeoutMillis,
        request.secret(),
        request.itemSecrets());
  }

  private static void forward(
      CompletableFuture<RpcReply> call, CompletableFuture<RpcReply> result) {
    var unusedAnswer =
        call.whenComplete(
            (reply, failure) -> {
              if (failure != null) {
                result.completeExceptionally(WeftException.of(failure));
              } else if (!result.complete(reply)) {
                reply.payload().release();
              }
            });
    var unusedCancel =
        result.whenComplete(
            (reply, failure) -> {
              if (result.isCancelled()) {
                call.cancel(false);
              }
            });
  }

  private void connect(CompletableFuture<RpcConnection> promise) {
    listen(dial.dial(CONNECT_TIMEOUT_MILLIS, false), promise);
  }

  private void listen(
      CompletableFuture<RpcConnection> dialled, CompletableFuture<RpcConnection> promise) {
    var unused =
        dialled.whenComplete(
            (opened, failure) -> {
              if (failure == null) {
                opened(opened, promise);
              } else {
                failed(WeftException.of(failure), promise);
              }
            });
  }

  private void opened(RpcConnection opened, CompletableFuture<RpcConnection> promise) {
    RpcConnection silent = null;
    boolean keep;
    synchronized (this) {
      forgetIfEnded();
      keep = state == State.CONNECTING && connecting == promise;
      long nowNanos = environment.ticker().nowNanos();
      if (keep) {
        watch = SilenceWatch.begin(nowNanos);
        connecting = null;
        pauses.reset();
      } else if (state == State.OPEN && replacement == promise) {
        replacement = null;
        keep = watch.isSilentSince(connection.heardNanos());
        if (keep) {
          silent = connection;
          watch = watch.next(nowNanos);
        }
      }
      if (keep) {
        state = State.OPEN;
        connection = opened;
        incarnation = OptionalLong.of(opened.peer().incarnation());
        replacements.reset();
        lookIfNeeded();
      }
    }
    if (!keep) {
      // The slot was closed, or the connection that was silent is not.
      opened.close();
      promise.completeExceptionally(OsdConnections.closedException(osd));
      return;
    }
    LOG.debug("connected to OSD {}, incarnation {}", osd, opened.peer().incarnation());
    var unused = opened.closed().whenComplete((nothing, failure) -> ended(opened));
    connected.connected(osd, opened.peer().incarnation());
    promise.complete(opened);
    if (silent != null) {
      LOG.info("OSD {}: its connection was silent and a new one is open; calls go out again", osd);
      // Its calls fail with CONNECTION_LOST: all commands of OSDs can be repeated (P 5.4).
      silent.close();
    }
  }

  /** Goes on looking at the open connection, unless that is done already. Under the monitor. */
  private void lookIfNeeded() {
    watch.called();
    if (!looking) {
      looking = true;
      lookLater();
    }
  }

  private void lookLater() {
    lookTimer =
        environment.scheduler().schedule(SilenceWatch.LOOK_NANOS, Runnable::run, this::look);
  }

  private void look() {
    RpcConnection open;
    SilenceWatch.Finding finding;
    CompletableFuture<RpcConnection> promise = null;
    synchronized (this) {
      open = usableConnection();
      if (open == null) {
        looking = false;
        return;
      }
      long nowNanos = environment.ticker().nowNanos();
      finding = watch.look(nowNanos, open.heardNanos(), open.callsUnderWay());
      looking = finding != SilenceWatch.Finding.CALM;
      if (looking) {
        lookLater();
      }
      if (finding == SilenceWatch.Finding.SILENT
          && replacement == null
          && nowNanos - replaceAgainNanos >= 0) {
        promise = new CompletableFuture<>();
        replacement = promise;
        replaceAgainNanos = nowNanos + replacements.nextNanos();
      } else if (finding != SilenceWatch.Finding.SILENT) {
        replaceAgainNanos = nowNanos;
        replacements.reset();
      }
    }
    if (finding == SilenceWatch.Finding.ASK) {
      askForASign(open);
    }
    if (promise != null) {
      LOG.debug("OSD {}: nothing comes on its connection, another one is opened", osd);
      listen(dial.dial(REPLACEMENT_TIMEOUT_MILLIS, true), promise);
    }
  }

  /** Any answer counts, and a late one as well: it is the connection that tells. */
  private void askForASign(RpcConnection open) {
    OsdStatusRequest sign = OsdStatusRequest.newBuilder().setOnlyAlive(true).build();
    var unused =
        open.call(RpcRequest.unsigned(Opcode.OSD_STATUS, sign, SIGN_TIMEOUT_MILLIS))
            .whenComplete(
                (reply, failure) -> {
                  if (reply != null) {
                    reply.payload().release();
                  } else {
                    LOG.debug(
                        "OSD {} gave no sign: {}", osd, WeftException.of(failure).getMessage());
                  }
                });
  }

  private synchronized void ended(RpcConnection ended) {
    if (connection == ended) {
      forgetIfEnded();
    }
  }

  /**
   * An open connection that has ended is forgotten; the one that is being opened in its place is
   * waited for by all. Under the monitor.
   */
  private void forgetIfEnded() {
    if (state != State.OPEN || connection.isOpen()) {
      return;
    }
    connection = null;
    state = replacement == null ? State.IDLE : State.CONNECTING;
    connecting = replacement;
    replacement = null;
  }

  private void failed(WeftException failure, CompletableFuture<RpcConnection> promise) {
    synchronized (this) {
      forgetIfEnded();
      if (replacement == promise) {
        replacement = null;
      } else if (state == State.CONNECTING && connecting == promise) {
        state = State.PAUSED;
        connecting = null;
        lastFailure = failure;
        askedInPause = false;
        pauseTimer =
            environment.scheduler().schedule(pauses.nextNanos(), Runnable::run, this::endPause);
      }
    }
    LOG.debug("{}", failure.getMessage());
    promise.completeExceptionally(failure);
  }

  /** Lets the next call connect; connects at once if a call came during the pause. */
  void endPause() {
    CompletableFuture<RpcConnection> promise = null;
    synchronized (this) {
      if (state != State.PAUSED) {
        return;
      }
      pauseTimer.cancel();
      if (askedInPause) {
        promise = beginConnecting();
      } else {
        state = State.IDLE;
      }
    }
    if (promise != null) {
      connect(promise);
    }
  }

  void close() {
    RpcConnection open;
    CompletableFuture<RpcConnection> waiting;
    synchronized (this) {
      if (state == State.CLOSED) {
        return;
      }
      state = State.CLOSED;
      pauseTimer.cancel();
      lookTimer.cancel();
      open = connection;
      waiting = connecting;
      connection = null;
      connecting = null;
      replacement = null;
    }
    if (waiting != null) {
      waiting.completeExceptionally(OsdConnections.closedException(osd));
    }
    if (open != null) {
      open.close();
    }
  }
}
