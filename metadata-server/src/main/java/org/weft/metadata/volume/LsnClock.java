package org.weft.metadata.volume;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.id.Lsn;

/**
 * Tells which record was the newest an hour ago, to within some minutes. It covers the time of this
 * manager only.
 */
final class LsnClock {
  static final long AGE_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final long BETWEEN_NANOS = TimeUnit.MINUTES.toNanos(5);

  private record Mark(long nanos, Lsn newest) {}

  private final Deque<Mark> marks = new ArrayDeque<>();
  private Lsn old = Lsn.ZERO;

  /**
   * Everything up to this is an hour old; {@link Lsn#ZERO}: nothing is.
   *
   * @param newest record that there is now
   */
  Lsn anHourOld(long nowNanos, Lsn newest) {
    if (marks.isEmpty() || nowNanos - marks.getLast().nanos() >= BETWEEN_NANOS) {
      marks.addLast(new Mark(nowNanos, newest));
    }
    while (nowNanos - marks.getFirst().nanos() >= AGE_NANOS) {
      old = marks.removeFirst().newest();
      if (marks.isEmpty()) {
        break;
      }
    }
    return old;
  }
}
