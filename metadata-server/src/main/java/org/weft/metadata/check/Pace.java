package org.weft.metadata.check;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Lets a long piece of work rest for as long as it worked. So clients have half of the OSDs' time,
 * also while one directory of very many names is looked at. On the volume's thread.
 */
final class Pace {
  private static final long MIN_WORK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final LongSupplier clockNanos;
  private CompletableFuture<Void> resting;
  private long untilNanos;
  private long workedSinceNanos;
  private boolean over;

  /**
   * @param clockNanos a monotonic clock
   */
  Pace(LongSupplier clockNanos) {
    this.clockNanos = clockNanos;
    this.workedSinceNanos = clockNanos.getAsLong();
  }

  /** Work begins now. */
  void begin() {
    workedSinceNanos = clockNanos.getAsLong();
  }

  /** How long it has worked since it began or last rested. */
  long workedNanos() {
    return clockNanos.getAsLong() - workedSinceNanos;
  }

  /** False: nothing more is to be begun. */
  boolean goesOn() {
    return !over;
  }

  /** Rests if it has worked for long. */
  CompletionStage<Void> breathe() {
    long workedNanos = workedNanos();
    return workedNanos < MIN_WORK_NANOS
        ? CompletableFuture.completedStage(null)
        : pause(workedNanos);
  }

  /** Rests for so long, or until there is nothing more to be begun. */
  CompletionStage<Void> pause(long nanos) {
    if (over) {
      return CompletableFuture.completedStage(null);
    }
    if (resting != null) {
      throw new IllegalStateException("one piece of work at a time rests");
    }
    resting = new CompletableFuture<>();
    untilNanos = clockNanos.getAsLong() + nanos;
    return resting;
  }

  /** To be called now and then. */
  void look() {
    if (resting != null && (over || clockNanos.getAsLong() - untilNanos >= 0)) {
      CompletableFuture<Void> rested = resting;
      resting = null;
      begin();
      rested.complete(null);
    }
  }

  /** Nothing more is to be begun. */
  void end() {
    over = true;
    look();
  }
}
