package org.weft.metadata.help;

import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.retry.Backoff;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.WatchShareRequest;

/**
 * The other managers of the cluster, as workers for the volumes of this one (P 6.8). SysMgr's table
 * says which there are: those that are up and not drained. A manager that has refused or failed is
 * left alone for a while, twice as long each time. The next share goes to the one that has the
 * fewest of this manager, and of those to the one that serves the fewest volumes.
 *
 * <p>Each has room for one share more than it has taken, up to a bound, and only once it
 * {@linkplain #meet is connected}. Room that it has not shown is not counted on.
 *
 * <p>Thread-safe; never blocks. The monitor guards all of it; nothing is called under it.
 */
public final class CopyWorkers {
  /** The first pause of a manager that has no room now, at most. */
  static final long BUSY_NANOS = TimeUnit.SECONDS.toNanos(3);

  /**
   * The first pause of a manager that failed, cannot be reached, or does not know shares, at most.
   */
  static final long FAILED_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final int MAX_GROWTH = 32;
  private static final Backoff BUSY = Backoff.spread(BUSY_NANOS, MAX_GROWTH * BUSY_NANOS);
  private static final Backoff FAILED = Backoff.spread(FAILED_NANOS, MAX_GROWTH * FAILED_NANOS);

  private static final int CONNECT_MILLIS = 1_000;
  private static final int PROBE_MILLIS = 2_000;

  private final Environment environment;
  private final Supplier<Optional<ClusterId>> clusterId;
  private final IntSupplier self;
  private final byte[] secret;
  private final int mostOfEach;
  private final Map<Integer, Integer> given = new HashMap<>();

  /** Given shares that are offered and not taken yet. */
  private final Map<Integer, Integer> offered = new HashMap<>();

  private final Map<Integer, Integer> refusals = new HashMap<>();
  private final Map<Integer, Integer> failures = new HashMap<>();
  private final Map<Integer, Long> avoidedUntilNanos = new TreeMap<>();

  /** Until when each is left alone because of its last failure. */
  private final Map<Integer, Long> failedUntilNanos = new HashMap<>();

  private final Map<Integer, Link> links = new HashMap<>();
  private Supplier<ClusterTable> table = ClusterTable::getDefaultInstance;
  private boolean closed;

  /** A connection that is open, or being opened. */
  private record Link(Endpoint remote, CompletableFuture<RpcConnection> connection) {
    boolean isOf(Endpoint endpoint) {
      boolean ended =
          connection.isDone()
              && (connection.isCompletedExceptionally() || !connection.join().isOpen());
      return remote.equals(endpoint) && !ended;
    }

    /** Now, or once it is open. */
    void close() {
      var unused = connection.thenAccept(RpcConnection::close);
    }
  }

  /**
   * @param self this manager's id
   * @param secret made from the join token
   * @param mostOfEach shares that each of them is given at a time
   */
  public CopyWorkers(
      Environment environment,
      Supplier<Optional<ClusterId>> clusterId,
      IntSupplier self,
      byte[] secret,
      int mostOfEach) {
    this.environment = environment;
    this.clusterId = clusterId;
    this.self = self;
    this.secret = secret.clone();
    this.mostOfEach = mostOfEach;
  }

  /** The cluster is known: its newest table is had there from now on. */
  public synchronized void begin(Supplier<ClusterTable> newest) {
    table = newest;
  }

  /** How many shares more they would be given now: of each that is connected, one at a time. */
  synchronized int room() {
    return (int) table.get().getManagersList().stream().filter(this::hasRoom).count();
  }

  private boolean hasRoom(ManagerRow row) {
    int manager = row.getManagerId();
    return isUsable(row)
        && isConnected(row)
        && offered.getOrDefault(manager, 0) == 0
        && given.getOrDefault(manager, 0) < mostOfEach;
  }

  private boolean isConnected(ManagerRow row) {
    Link link = links.get(row.getManagerId());
    return link != null && link.connection().isDone() && link.isOf(endpoint(row));
  }

  private static Endpoint endpoint(ManagerRow row) {
    return Endpoint.fromMessage(row.getAddresses(0));
  }

  /**
   * Connects to those that could be given something. One that cannot be reached, or does not know
   * of shares, is left alone for a while: nothing is begun for it.
   */
  void meet() {
    List<ManagerRow> strangers = new ArrayList<>();
    synchronized (this) {
      for (ManagerRow row : table.get().getManagersList()) {
        Link link = links.get(row.getManagerId());
        if (isUsable(row) && (link == null || !link.isOf(endpoint(row)))) {
          strangers.add(row);
        }
      }
    }
    for (ManagerRow row : strangers) {
      var unused =
          connected(row)
              .whenComplete(
                  (connection, failure) -> {
                    if (failure != null) {
                      failed(row.getManagerId());
                    }
                  });
    }
  }

  /**
   * The manager to offer the next share to; empty if none has room. It counts as given until it is
   * {@linkplain #ended}. It counts as offered until it is {@linkplain #accepted} or ended.
   *
   * @param except not these
   */
  synchronized Optional<ManagerRow> take(Set<Integer> except) {
    ClusterTable now = table.get();
    Optional<ManagerRow> next =
        now.getManagersList().stream()
            .filter(row -> hasRoom(row) && !except.contains(row.getManagerId()))
            .min(
                Comparator.<ManagerRow>comparingInt(
                        row -> given.getOrDefault(row.getManagerId(), 0))
                    .thenComparingLong(row -> volumes(now, row.getManagerId()))
                    .thenComparing(ManagerRow::getManagerId));
    next.ifPresent(
        row -> {
          given.merge(row.getManagerId(), 1, Integer::sum);
          offered.merge(row.getManagerId(), 1, Integer::sum);
        });
    return next;
  }

  private boolean isUsable(ManagerRow row) {
    long nowNanos = environment.ticker().nowNanos();
    avoidedUntilNanos.values().removeIf(until -> nowNanos - until >= 0);
    return row.getState() == NodeState.UP
        && !row.getDraining()
        && row.getAddressesCount() > 0
        && row.getManagerId() != self.getAsInt()
        && !avoidedUntilNanos.containsKey(row.getManagerId())
        && !closed;
  }

  private static long volumes(ClusterTable table, int manager) {
    return table.getVolumesList().stream().filter(row -> row.getManagerId() == manager).count();
  }

  /** It has taken what it was offered. */
  synchronized void accepted(int manager) {
    offered.computeIfPresent(manager, (id, count) -> count == 1 ? null : count - 1);
    refusals.remove(manager);
  }

  /**
   * A share that it was given is over.
   *
   * @param wasAccepted false if it was offered alone
   */
  synchronized void ended(int manager, boolean wasAccepted) {
    given.computeIfPresent(manager, (id, count) -> count == 1 ? null : count - 1);
    if (!wasAccepted) {
      offered.computeIfPresent(manager, (id, count) -> count == 1 ? null : count - 1);
    }
  }

  /** It has no room: nothing is given to it for seconds, for longer if it never has any. */
  synchronized void refused(int manager) {
    avoid(manager, BUSY, refusals.merge(manager, 1, Integer::sum));
  }

  /**
   * It failed: nothing is given to it for half a minute, for longer if it does so again. What fails
   * while it is left alone was begun before, and fails with it.
   */
  synchronized void failed(int manager) {
    long nowNanos = environment.ticker().nowNanos();
    Long failedUntil = failedUntilNanos.get(manager);
    if (failedUntil == null || nowNanos - failedUntil >= 0) {
      avoid(manager, FAILED, failures.merge(manager, 1, Integer::sum));
      failedUntilNanos.put(manager, avoidedUntilNanos.get(manager));
    }
  }

  /** It has copied a component. */
  synchronized void succeeded(int manager) {
    failures.remove(manager);
    failedUntilNanos.remove(manager);
  }

  private void avoid(int manager, Backoff backoff, int times) {
    long nanos = backoff.delayNanos(times, environment.random());
    avoidedUntilNanos.merge(manager, environment.ticker().nowNanos() + nanos, Math::max);
  }

  /**
   * Completes once it can be asked: it is reached, and knows of shares. It fails before anything
   * was begun there.
   */
  CompletableFuture<RpcConnection> connected(ManagerRow worker) {
    Endpoint remote = endpoint(worker);
    CompletableFuture<RpcConnection> opened = new CompletableFuture<>();
    Link old;
    synchronized (this) {
      if (closed) {
        return CompletableFuture.failedFuture(
            new WeftException(ErrorCode.CANCELLED, "this manager is stopping"));
      }
      old = links.get(worker.getManagerId());
      if (old != null && old.isOf(remote)) {
        return old.connection();
      }
      links.put(worker.getManagerId(), new Link(remote, opened));
    }
    if (old != null) {
      old.close();
    }
    ConnectOptions options =
        new ConnectOptions(
            clusterId.get(),
            "manager-" + self.getAsInt(),
            CONNECT_MILLIS,
            false,
            (opcode, body) -> {});
    var unused =
        environment
            .transport()
            .connect(remote, options)
            .toCompletableFuture()
            .thenCompose(this::probed)
            .whenComplete(
                (connection, failure) -> {
                  if (failure != null) {
                    opened.completeExceptionally(WeftException.of(failure));
                  } else {
                    opened.complete(connection);
                    closeIfLate(connection);
                  }
                });
    return opened;
  }

  private void closeIfLate(RpcConnection connection) {
    boolean late;
    synchronized (this) {
      late = closed;
    }
    if (late) {
      connection.close();
    }
  }

  /** A manager of an older release, or one that cannot prove what it is, begins nothing. */
  private CompletableFuture<RpcConnection> probed(RpcConnection connection) {
    return connection
        .call(
            RpcRequest.proven(
                Opcode.WATCH_SHARE, WatchShareRequest.getDefaultInstance(), PROBE_MILLIS, secret))
        .thenAccept(reply -> reply.payload().release())
        .exceptionallyCompose(
            failure ->
                WeftException.of(failure).code() == ErrorCode.NOT_FOUND
                    ? CompletableFuture.completedFuture(null)
                    : CompletableFuture.failedFuture(failure))
        .whenComplete(
            (nothing, failure) -> {
              if (failure != null) {
                connection.close();
              }
            })
        .thenApply(nothing -> connection);
  }

  /**
   * Only an answer counts that is signed with the cluster's join token. A connection on which a
   * call goes unanswered is given up: it may lead nowhere, and a new one is open at once.
   */
  CompletableFuture<RpcReply> call(
      RpcConnection connection, Opcode opcode, MessageLite body, int timeoutMillis) {
    return connection
        .call(RpcRequest.proven(opcode, body, timeoutMillis, secret))
        .whenComplete((reply, failure) -> leaveIfSilent(connection, failure));
  }

  private static void leaveIfSilent(RpcConnection connection, Throwable failure) {
    if (failure != null && WeftException.of(failure).code() == ErrorCode.DEADLINE_EXCEEDED) {
      connection.close();
    }
  }

  /** Ends all connections: no worker is asked for anything any more. */
  public void close() {
    Map<Integer, Link> open;
    synchronized (this) {
      closed = true;
      open = new HashMap<>(links);
      links.clear();
    }
    open.values().forEach(Link::close);
  }
}
