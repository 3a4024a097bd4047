package org.weft.nfs.oncrpc;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What a transport's listeners saw. Thread-safe. */
public final class RpcCounters {
  private final AtomicInteger connections = new AtomicInteger();
  private final LongAdder refusedConnections = new LongAdder();
  private final LongAdder calls = new LongAdder();
  private final LongAdder repeats = new LongAdder();
  private final LongAdder malformed = new LongAdder();
  private final LongAdder stalled = new LongAdder();
  private final LongAdder late = new LongAdder();

  /** Connections that are open. */
  public int connections() {
    return connections.get();
  }

  /** Connections that were closed at once, since there were as many as may be. */
  public long refusedConnections() {
    return refusedConnections.sum();
  }

  /** Calls, answered or under way. */
  public long calls() {
    return calls.sum();
  }

  /** Calls that were answered by what an earlier one of the same number brought. */
  public long repeats() {
    return repeats.sum();
  }

  /** Connections that were closed for what they sent. */
  public long malformed() {
    return malformed.sum();
  }

  /** Connections that were closed since a record did not arrive, or a reply did not leave. */
  public long stalled() {
    return stalled.sum();
  }

  /** Connections that were closed since a call had waited while this process stood still. */
  public long late() {
    return late.sum();
  }

  /** Counts a connection in, unless there are as many already. */
  boolean connected(int most) {
    if (connections.incrementAndGet() <= most) {
      return true;
    }
    connections.decrementAndGet();
    refusedConnections.increment();
    return false;
  }

  void disconnected() {
    connections.decrementAndGet();
  }

  void called() {
    calls.increment();
  }

  void repeated() {
    repeats.increment();
  }

  void wasMalformed() {
    malformed.increment();
  }

  void wasLate() {
    late.increment();
  }

  void hasStalled() {
    stalled.increment();
  }
}
