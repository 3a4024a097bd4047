package org.weft.metadata.serving;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.seam.Ticker;

/**
 * How long the steps took by which a volume came into service, one after the other, and of those
 * that went on beside others. On the volume's thread.
 */
final class StartTimes {
  private final Ticker ticker;
  private final List<String> steps = new ArrayList<>();
  private long firstNanos;
  private long lastNanos;

  /** Time counts from {@link #begin} on. */
  StartTimes(Ticker ticker) {
    this.ticker = ticker;
  }

  void begin() {
    firstNanos = ticker.nowNanos();
    lastNanos = firstNanos;
  }

  /** The step of that name has ended; it began when the one before it had. */
  void ended(String step) {
    long nowNanos = ticker.nowNanos();
    steps.add(step + " " + millis(nowNanos - lastNanos));
    lastNanos = nowNanos;
  }

  /** As {@link #ended}, when that completes; what it completes with. */
  <T> CompletableFuture<T> ended(String step, CompletableFuture<T> when) {
    return when.thenApply(
        result -> {
          ended(step);
          return result;
        });
  }

  /** The step of that name goes on beside others from now until that completes. */
  <T> CompletableFuture<T> beside(String step, CompletableFuture<T> when) {
    long begunNanos = ticker.nowNanos();
    return when.thenApply(
        result -> {
          steps.add(step + " alone " + millis(ticker.nowNanos() - begunNanos));
          return result;
        });
  }

  /** A sentence: all of it, and each step in milliseconds. */
  @Override
  public String toString() {
    return millis(lastNanos - firstNanos) + " ms: " + String.join(", ", steps);
  }

  private static long millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }
}
