package org.weft.client.number;

import java.util.concurrent.atomic.AtomicLong;

/** Bytes that all files of a client may have fetched ahead of their readers. Thread-safe. */
final class AheadMemory {
  private final long mostBytes;
  private final AtomicLong takenBytes = new AtomicLong();

  AheadMemory(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  /** Takes so many if they are left. */
  boolean take(long bytes) {
    if (takenBytes.addAndGet(bytes) <= mostBytes) {
      return true;
    }
    give(bytes);
    return false;
  }

  void give(long bytes) {
    takenBytes.addAndGet(-bytes);
  }

  /** Bytes that are taken now; 0 once no reader needs any. */
  long takenBytes() {
    return takenBytes.get();
  }
}
