package org.weft.protocol.transport;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bytes of requests and replies that all servers of a transport hold. Past the limit no connection
 * reads new requests until something is given back; a request that was begun is always finished, so
 * that no connection waits for ever. Thread-safe.
 */
final class RequestMemory {
  private final long limitBytes;
  private final AtomicLong usedBytes = new AtomicLong();
  private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

  RequestMemory(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  boolean full() {
    return usedBytes.get() > limitBytes;
  }

  long limitBytes() {
    return limitBytes;
  }

  long usedBytes() {
    return usedBytes.get();
  }

  /** Takes, or with a negative number gives back. */
  void add(long bytes) {
    usedBytes.addAndGet(bytes);
    if (bytes < 0 && !full()) {
      wakeAll();
    }
  }

  /** Runs {@code wake} once, on any thread, when there is room again; perhaps at once. */
  void whenRoom(Runnable wake) {
    waiting.add(wake);
    if (!full()) {
      wakeAll();
    }
  }

  private void wakeAll() {
    for (Runnable wake = waiting.poll(); wake != null; wake = waiting.poll()) {
      wake.run();
    }
  }
}
