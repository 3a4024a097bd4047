package org.weft.testkit.sim;

import java.util.ArrayDeque;
import java.util.Queue;

/** One direction of a connection: frames arrive in the order they were sent. */
final class Lane {
  private final VirtualWire wire;
  private final WireHost from;
  private final WireHost to;
  private final boolean ofRequests;
  private final Queue<Runnable> frames = new ArrayDeque<>();
  private long lastNanos;
  private int blocked;

  Lane(VirtualWire wire, WireHost from, WireHost to, boolean ofRequests) {
    this.wire = wire;
    this.from = from;
    this.to = to;
    this.ofRequests = ofRequests;
  }

  WireHost from() {
    return from;
  }

  WireHost to() {
    return to;
  }

  /** The arrival runs in the receiving process, after everything that was sent before. */
  void send(long delayNanos, Runnable arrival) {
    VirtualTime time = wire.time();
    long atNanos = time.nowNanos() + wire.latencyNanos(from, to) + delayNanos;
    lastNanos = Math.max(lastNanos + 1, atNanos);
    frames.add(arrival);
    time.after(lastNanos - time.nowNanos(), this::arrive);
  }

  private void arrive() {
    if (wire.isCut(this)) {
      blocked++;
      wire.holdsFrames(this);
    } else {
      to.sockets().accept(this, frames.remove());
    }
  }

  boolean isOfRequests() {
    return ofRequests;
  }

  /** The link may be whole again: what waited goes on. */
  void flow() {
    int waiting = blocked;
    blocked = 0;
    for (int i = 0; i < waiting; i++) {
      arrive();
    }
  }
}
