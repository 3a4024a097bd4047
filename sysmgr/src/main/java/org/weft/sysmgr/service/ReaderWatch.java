package org.weft.sysmgr.service;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.weft.protocol.seam.Ticker;
import org.weft.protocol.seam.Transport;

/**
 * Measures how late the threads are that read requests. Each is given an empty task now and then: a
 * heartbeat in a socket of that thread waits no shorter. Confined to the home executor.
 */
final class ReaderWatch {
  /** As many threads as a daemon's transport has. */
  private static final int THREADS = 2;

  private static final long IDLE = Long.MIN_VALUE;

  private record Reader(Executor thread, AtomicLong askedNanos) {}

  private final List<Reader> readers = new ArrayList<>();
  private final Ticker ticker;

  ReaderWatch(Transport transport, Ticker ticker) {
    this.ticker = ticker;
    for (int i = 0; i < THREADS; i++) {
      transport
          .newHome()
          .ifPresent(thread -> readers.add(new Reader(thread, new AtomicLong(IDLE))));
    }
  }

  /** For how long the slowest has not come to its task; asks those again that have. */
  long lateNanos() {
    long nowNanos = ticker.nowNanos();
    long latest = 0;
    for (Reader reader : readers) {
      long askedNanos = reader.askedNanos().get();
      if (askedNanos == IDLE) {
        ask(reader, nowNanos);
      } else {
        latest = Math.max(latest, nowNanos - askedNanos);
      }
    }
    return latest;
  }

  private static void ask(Reader reader, long nowNanos) {
    reader.askedNanos().set(nowNanos);
    try {
      reader.thread().execute(() -> reader.askedNanos().set(IDLE));
    } catch (RejectedExecutionException e) {
      // The transport has ended; nothing is heard any more.
      return;
    }
  }
}
