package org.weft.nfs.oncrpc;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bytes of calls and replies that all connections of a transport hold. Connections without room
 * wait in order and stop reading. Only their sockets hold bytes for them. Thread-safe.
 */
final class RpcMemory {
  /** A connection that waits for room. */
  static final class Waiter {
    private final Runnable wake;
    private long wantedBytes;

    /**
     * @param wake runs on any thread when there may be room; must be quick
     */
    Waiter(Runnable wake) {
      this.wake = wake;
    }
  }

  private final long limitBytes;
  private final AtomicLong usedBytes = new AtomicLong();
  private final Set<Waiter> waiting = new LinkedHashSet<>();
  private volatile boolean anyWaits;

  RpcMemory(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  long usedBytes() {
    return usedBytes.get();
  }

  /** Takes so many bytes if they are left. */
  boolean takeIfLeft(long bytes) {
    if (usedBytes.addAndGet(bytes) <= limitBytes) {
      wakeOne();
      return true;
    }
    give(bytes);
    return false;
  }

  /** Takes them in any case. */
  void take(long bytes) {
    usedBytes.addAndGet(bytes);
  }

  void give(long bytes) {
    usedBytes.addAndGet(-bytes);
    wakeOne();
  }

  /** Wakes it once so many bytes are left, perhaps at once. */
  void whenRoom(Waiter waiter, long bytes) {
    synchronized (this) {
      waiter.wantedBytes = bytes;
      waiting.add(waiter);
      anyWaits = true;
    }
    // What was given back before it stood in the set woke nothing.
    wakeOne();
  }

  /** It waits no more. */
  void forget(Waiter waiter) {
    synchronized (this) {
      waiting.remove(waiter);
      anyWaits = !waiting.isEmpty();
    }
    wakeOne();
  }

  private void wakeOne() {
    if (!anyWaits) {
      return;
    }
    Waiter woken;
    synchronized (this) {
      if (waiting.isEmpty()) {
        return;
      }
      woken = waiting.iterator().next();
      long used = usedBytes.get();
      if (used > 0 && used + woken.wantedBytes > limitBytes) {
        return;
      }
      waiting.remove(woken);
      anyWaits = !waiting.isEmpty();
    }
    woken.wake.run();
  }
}
