package org.weft.bench.disk;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * The time that a disk of one rate takes. It serves requests one after another, whichever threads
 * bring them, each for as long as its bytes last. A disk that had nothing to do has saved nothing
 * up. Thread-safe; keeps the calling thread waiting.
 */
final class DiskRate {
  private static final double NANOS_PER_SECOND = 1e9;

  private final long bytesPerSecond;
  private final LongSupplier clock;
  private final LongConsumer waiting;
  private long freeAtNanos;

  DiskRate(long bytesPerSecond) {
    this(bytesPerSecond, System::nanoTime, LockSupport::parkNanos);
  }

  /**
   * With another clock.
   *
   * @param waiting keeps the caller for about so many nanoseconds
   */
  DiskRate(long bytesPerSecond, LongSupplier clock, LongConsumer waiting) {
    if (bytesPerSecond < 1) {
      throw new IllegalArgumentException(
          "a disk moves at least one byte a second, got " + bytesPerSecond);
    }
    this.bytesPerSecond = bytesPerSecond;
    this.clock = clock;
    this.waiting = waiting;
    this.freeAtNanos = clock.getAsLong();
  }

  /** Waits until the disk has moved so many bytes for this caller. */
  void move(long bytes) throws IOException {
    long until = reserve(bytes);
    for (long left = until - clock.getAsLong(); left > 0; left = until - clock.getAsLong()) {
      waiting.accept(left);
      if (Thread.interrupted()) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while the disk was busy");
      }
    }
  }

  /** When the disk will have moved them, if they come now. */
  synchronized long reserve(long bytes) {
    long now = clock.getAsLong();
    long begins = freeAtNanos - now > 0 ? freeAtNanos : now;
    freeAtNanos = begins + (long) (bytes * NANOS_PER_SECOND / bytesPerSecond);
    return freeAtNanos;
  }
}
