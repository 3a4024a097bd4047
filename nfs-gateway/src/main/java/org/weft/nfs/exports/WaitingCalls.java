package org.weft.nfs.exports;

import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.weft.protocol.seam.Scheduler;

/**
 * Calls that wait until the host has answered about users and groups of their callers. Calls of one
 * caller continue in the order in which they came. Else an UNLOCK could overtake its LOCK. A call
 * waits for two seconds at most, and few calls wait, as they hold memory and places of their
 * connections. A call that may not wait continues at once, and finds that its caller is unknown.
 * Thread-safe.
 */
public final class WaitingCalls {
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Waiting calls of all clients: a WRITE holds 1 MiB. */
  static final int MAX = 64;

  /** Waiting calls of one client, far fewer than a connection may have under way. */
  static final int MAX_OF_CLIENT = 16;

  /** Replies hold little. */
  static final int MAX_BRIEF = 1_000;

  /** No call waits. */
  static final WaitingCalls NONE = new WaitingCalls(0, 0, task -> () -> {});

  private static final CompletableFuture<Void> GO_ON = CompletableFuture.completedFuture(null);

  /** A user of a client. */
  record Caller(InetAddress client, int uid) {}

  private static final class Waiting {
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private boolean mayGo;
  }

  /** The calls of one caller, the oldest first; one stays until it was carried on. */
  private static final class Line {
    private final Deque<Waiting> calls = new ArrayDeque<>();
    private boolean moving;
  }

  private final int most;
  private final int mostBrief;
  private final Function<Runnable, Scheduler.Timer> patience;

  /** Guarded by this, with all that is in them. */
  private final Map<Caller, Line> lines = new HashMap<>();

  private int waiting;
  private int waitingBriefly;

  /**
   * @param executor where calls go on that have waited long enough
   */
  public WaitingCalls(Scheduler scheduler, Executor executor) {
    this(MAX, MAX_BRIEF, task -> scheduler.schedule(PATIENCE_NANOS, executor, task));
  }

  private WaitingCalls(int most, int mostBrief, Function<Runnable, Scheduler.Timer> patience) {
    this.most = most;
    this.mostBrief = mostBrief;
    this.patience = patience;
  }

  /**
   * Completes when the answer is known, or when the call may not wait any longer. The earlier calls
   * of the same caller go on before it. Never fails.
   *
   * @param learning does not fail
   */
  CompletableFuture<Void> inOrder(Caller caller, CompletableFuture<Void> learning) {
    Waiting call = new Waiting();
    Line line;
    synchronized (this) {
      line = lines.get(caller);
      boolean full = waiting >= most || waitingOf(caller.client) >= MAX_OF_CLIENT;
      if (line == null) {
        if (full || learning.isDone()) {
          return GO_ON;
        }
        line = new Line();
        lines.put(caller, line);
      }
      line.calls.add(call);
      waiting++;
      if (full) {
        line.calls.forEach(each -> each.mayGo = true);
      }
    }
    Line joined = line;
    Scheduler.Timer limit = patience.apply(() -> let(caller, joined, call));
    var unused = call.end.whenComplete((done, failure) -> limit.cancel());
    var unusedToo = learning.whenComplete((done, failure) -> let(caller, joined, call));
    move(caller, joined);
    return call.end;
  }

  private int waitingOf(InetAddress client) {
    int sum = 0;
    for (Map.Entry<Caller, Line> each : lines.entrySet()) {
      sum += each.getKey().client.equals(client) ? each.getValue().calls.size() : 0;
    }
    return sum;
  }

  private void let(Caller caller, Line line, Waiting call) {
    synchronized (this) {
      call.mayGo = true;
    }
    move(caller, line);
  }

  /** Lets go what may, one after another. */
  private void move(Caller caller, Line line) {
    synchronized (this) {
      if (line.moving) {
        return;
      }
      line.moving = true;
    }
    for (Waiting next = next(caller, line); next != null; next = next(caller, line)) {
      next.end.complete(null);
      synchronized (this) {
        line.calls.remove();
        waiting--;
      }
    }
  }

  private synchronized Waiting next(Caller caller, Line line) {
    Waiting first = line.calls.peek();
    if (first != null && first.mayGo) {
      return first;
    }
    line.moving = false;
    if (first == null) {
      lines.remove(caller, line);
    }
    return null;
  }

  /**
   * Completes when it has been learnt, or after two seconds, or at once if too much waits; never
   * fails. In no order.
   *
   * @param learning does not fail
   */
  CompletableFuture<Void> briefly(CompletableFuture<Void> learning) {
    synchronized (this) {
      if (learning.isDone() || waitingBriefly >= mostBrief) {
        return GO_ON;
      }
      waitingBriefly++;
    }
    CompletableFuture<Void> end = new CompletableFuture<>();
    Scheduler.Timer limit = patience.apply(() -> end.complete(null));
    var unused = learning.whenComplete((done, failure) -> end.complete(null));
    return end.whenComplete(
        (done, failure) -> {
          limit.cancel();
          synchronized (this) {
            waitingBriefly--;
          }
        });
  }

  /** Calls that wait. */
  synchronized int waiting() {
    return waiting;
  }
}
