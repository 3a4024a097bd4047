package org.weft.client.osd;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler;

/**
 * The way to one OSD.
 *
 * <pre>
 *   IDLE --call--> CONNECTING --answered--> OPEN --ended--> IDLE
 *                      |  ^
 *               failed v  | pause over, and somebody had asked (else IDLE)
 *                     PAUSED
 * </pre>
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
  private static final Pattern OSD_NAME = Pattern.compile("osd(-\\d+)?");
  private static final int CONNECT_TIMEOUT_MILLIS = 3_000;
  private static final int MOST_WAITING_CALLS = 4_096;
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final OsdId osd;
  private final Environment environment;
  private final OsdDirectory directory;
  private final Supplier<Optional<ClusterId>> clusterId;
  private final String caller;
  private final Connected connected;

  private State state = State.IDLE;
  private CompletableFuture<RpcConnection> connecting;
  private RpcConnection connection;
  private int waitingCalls;
  private long pauseNanos = FIRST_PAUSE_NANOS;
  private Scheduler.Timer pauseTimer = () -> {};
  private boolean askedInPause;
  private RpcException lastFailure;
  private OptionalLong incarnation = OptionalLong.empty();

  OsdSlot(
      OsdId osd,
      Environment environment,
      OsdDirectory directory,
      Supplier<Optional<ClusterId>> clusterId,
      String caller,
      Connected connected) {
    this.osd = osd;
    this.environment = environment;
    this.directory = directory;
    this.clusterId = clusterId;
    this.caller = caller;
    this.connected = connected;
  }

  synchronized OptionalLong incarnation() {
    return incarnation;
  }

  CompletableFuture<RpcReply> call(OptionalLong start, RpcRequest request) {
    RpcConnection open;
    CompletableFuture<RpcConnection> waitFor = null;
    boolean connect = false;
    RpcException refused = null;
    synchronized (this) {
      open = usableConnection();
      if (open == null) {
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
        new RpcException(
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
    if (state == State.OPEN && !connection.isOpen()) {
      state = State.IDLE;
      connection = null;
    }
    return state == State.OPEN ? connection : null;
  }

  /** Why a call cannot even wait, or null. Under the monitor. */
  private RpcException refusal() {
    if (state == State.CLOSED) {
      return OsdConnections.closedException(osd);
    }
    if (state == State.PAUSED) {
      askedInPause = true;
      return new RpcException(lastFailure.code(), lastFailure.getMessage(), lastFailure);
    }
    if (waitingCalls >= MOST_WAITING_CALLS) {
      return new RpcException(
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
                result.completeExceptionally(RpcException.of(failure));
              } else if (result.isDone()) {
                request.payload().release();
              } else if (leftMillis <= 0) {
                request.payload().release();
                result.completeExceptionally(
                    new RpcException(
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
                result.completeExceptionally(RpcException.of(failure));
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
    List<Endpoint> addresses = directory.addressesOf(osd);
    RpcException unknown =
        new RpcException(
            ErrorCode.UNAVAILABLE,
            "OSD " + osd + " is not in the cluster's table; it may have been removed");
    tryNext(addresses, 0, unknown, promise);
  }

  private void tryNext(
      List<Endpoint> addresses,
      int index,
      RpcException soFar,
      CompletableFuture<RpcConnection> promise) {
    if (index == addresses.size()) {
      failed(soFar, promise);
      return;
    }
    Endpoint address = addresses.get(index);
    ConnectOptions options =
        new ConnectOptions(
            clusterId.get(), caller, CONNECT_TIMEOUT_MILLIS, false, (opcode, body) -> {});
    var unused =
        environment
            .transport()
            .connect(address, options)
            .whenComplete(
                (opened, failure) -> {
                  RpcException problem = failure == null ? wrongOsd(opened, address) : null;
                  if (failure != null) {
                    problem = unreachable(address, RpcException.of(failure));
                  }
                  if (problem == null) {
                    opened(opened, promise);
                  } else {
                    tryNext(addresses, index + 1, problem, promise);
                  }
                });
  }

  /**
   * A port that another OSD has taken over, which may be so new that it has no number yet, must not
   * get this one's calls. Null if all is well.
   */
  private RpcException wrongOsd(RpcConnection opened, Endpoint address) {
    String name = opened.peer().name();
    if (!OSD_NAME.matcher(name).matches() || name.equals("osd-" + osd)) {
      return null;
    }
    opened.close();
    return new RpcException(
        ErrorCode.UNAVAILABLE,
        "expected OSD " + osd + " at " + address + ", found " + name + "; its address has changed");
  }

  private RpcException unreachable(Endpoint address, RpcException cause) {
    ErrorCode code =
        cause.code() == ErrorCode.WRONG_CLUSTER || cause.code() == ErrorCode.VERSION_MISMATCH
            ? cause.code()
            : ErrorCode.UNAVAILABLE;
    return new RpcException(
        code, "OSD " + osd + " at " + address + " cannot be reached: " + cause.getMessage(), cause);
  }

  private void opened(RpcConnection opened, CompletableFuture<RpcConnection> promise) {
    boolean keep;
    synchronized (this) {
      keep = state == State.CONNECTING;
      if (keep) {
        state = State.OPEN;
        connection = opened;
        connecting = null;
        pauseNanos = FIRST_PAUSE_NANOS;
        incarnation = OptionalLong.of(opened.peer().incarnation());
      }
    }
    if (!keep) {
      opened.close();
      promise.completeExceptionally(OsdConnections.closedException(osd));
      return;
    }
    LOG.debug("connected to OSD {}, incarnation {}", osd, opened.peer().incarnation());
    var unused = opened.closed().whenComplete((nothing, failure) -> ended(opened));
    connected.connected(osd, opened.peer().incarnation());
    promise.complete(opened);
  }

  private synchronized void ended(RpcConnection ended) {
    if (connection == ended) {
      connection = null;
      if (state == State.OPEN) {
        state = State.IDLE;
      }
    }
  }

  private void failed(RpcException failure, CompletableFuture<RpcConnection> promise) {
    synchronized (this) {
      if (state == State.CONNECTING) {
        state = State.PAUSED;
        connecting = null;
        lastFailure = failure;
        askedInPause = false;
        long jitterNanos = environment.random().nextLong(pauseNanos / 4 + 1);
        pauseTimer =
            environment
                .scheduler()
                .schedule(pauseNanos + jitterNanos, Runnable::run, this::endPause);
        pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
      }
    }
    LOG.debug("{}", failure.getMessage());
    promise.completeExceptionally(failure);
  }

  /** Lets the next call connect; connects at once if somebody has asked during the pause. */
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
      open = connection;
      waiting = connecting;
      connection = null;
      connecting = null;
    }
    if (waiting != null) {
      waiting.completeExceptionally(OsdConnections.closedException(osd));
    }
    if (open != null) {
      open.close();
    }
  }
}
