package org.weft.metadata.grant;

import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Something is asked of the holder of a write grant, again and again until it is done (P 6.5). The
 * request goes over a connection that may be gone just then. Confined to the volume's thread.
 */
public final class RepeatedPush {
  /** So often it is said again. */
  public static final long REPEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private long sinceNanos;
  private Optional<Long> saidNanos = Optional.empty();

  public RepeatedPush(long nowNanos) {
    this.sinceNanos = nowNanos;
  }

  /** True if it is to be said now, for the first time or again: it counts as said. */
  public boolean take(long nowNanos) {
    boolean due = saidNanos.isEmpty() || nowNanos - saidNanos.get() >= REPEAT_NANOS;
    if (due) {
      saidNanos = Optional.of(nowNanos);
    }
    return due;
  }

  /** The time that the holder has begins anew: it could do nothing so far. */
  public void restart(long nowNanos) {
    sinceNanos = nowNanos;
  }

  /** It was not done for so long. */
  public boolean isOverdue(long nowNanos, long patienceNanos) {
    return nowNanos - sinceNanos >= patienceNanos;
  }
}
