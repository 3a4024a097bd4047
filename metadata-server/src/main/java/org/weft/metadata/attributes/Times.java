package org.weft.metadata.attributes;

import java.util.concurrent.TimeUnit;

/**
 * POSIX times of a node, in nanoseconds since 1970-01-01T00:00:00Z. ctime grows with every change
 * of the node, also where the clock stands or went back. NFS clients tell by it whether what they
 * know is the latest.
 */
public record Times(long mtimeNanos, long ctimeNanos, long atimeNanos) {
  private static final long NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  /** All three alike, as at birth. */
  public static Times of(long nowNanos) {
    return new Times(nowNanos, nowNanos, nowNanos);
  }

  /** The same in nanoseconds; what lies outside their range becomes the nearest that does not. */
  public static long nanos(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** What a time has above its nanoseconds. */
  static long millisOf(long nanos) {
    return Math.floorDiv(nanos, NANOS_PER_MILLI);
  }

  static int belowMilli(long nanos) {
    return (int) Math.floorMod(nanos, NANOS_PER_MILLI);
  }

  /** A time as schemas have it, in two parts. */
  static long nanos(long millis, int below) {
    long whole = nanos(millis);
    return whole == Long.MAX_VALUE ? whole : whole + below;
  }

  /** The content changes now. */
  public Times changed(long nowNanos) {
    long now = after(nowNanos);
    return new Times(now, now, atimeNanos);
  }

  /** Attributes change now, and not the content. */
  public Times touched(long nowNanos) {
    return new Times(mtimeNanos, after(nowNanos), atimeNanos);
  }

  /** Now, or what follows upon the latest change. */
  public long after(long nowNanos) {
    return ctimeNanos == Long.MAX_VALUE ? ctimeNanos : Math.max(nowNanos, ctimeNanos + 1);
  }
}
