package org.weft.client.gather;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;

/** Writes what was gathered to the file beneath. Thread-safe, and never blocks. */
public interface GatherTarget {
  /**
   * Runs the writes once the range may be written, in whole stripes, and keeps it until they are
   * over. Gives what became of them.
   */
  CompletableFuture<Void> enter(ByteRange range, Supplier<CompletableFuture<Void>> writes);

  /**
   * Writes what remains in the buffers, one behind the other, to a range that may be written. Each
   * but the first begins where a stripe does.
   */
  CompletableFuture<Void> write(ByteRange range, List<ByteBuffer> data);

  /**
   * True if parts of several stripes may be written at the same time. False where they would wait
   * for each other. The call that gives a stripe back may write the bytes that wait for it. Their
   * own write would take the stripe once more for nothing.
   */
  boolean writesSideBySide();

  /** Gathered bytes are lost: the file ends with that. */
  void failed(WeftException why);

  /** Runs the task after a while, on some thread of the client. */
  void later(long delayNanos, Runnable task);

  /** Monotonic. */
  long nowNanos();
}
