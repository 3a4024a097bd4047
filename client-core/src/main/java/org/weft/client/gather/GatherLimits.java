package org.weft.client.gather;

import org.weft.client.stripe.base.References;

/**
 * Bounds how much is gathered and for how long.
 *
 * @param bytes of memory at most, bookkeeping and what is under way included; at least {@link
 *     #MIN_BYTES}
 * @param ageNanos after which a byte is sent at the latest, as far as there is room
 * @param keptBytes beside those, of memory of others ({@link References}) in which whole stripes
 *     are kept, under way ones included
 */
public record GatherLimits(long bytes, long ageNanos, long keptBytes) {
  public static final int MIN_BYTES = 64 << 10;

  /** A run that is sent, and the next one that is being filled. */
  public static final long USUAL_KEPT_BYTES = 8 << 20;

  public GatherLimits {
    if (bytes < MIN_BYTES || ageNanos <= 0) {
      throw new IllegalArgumentException(
          "writes are gathered in at least "
              + MIN_BYTES
              + " bytes and for some time, got "
              + bytes
              + " bytes, "
              + ageNanos
              + " ns");
    }
    if (keptBytes < 0) {
      throw new IllegalArgumentException("kept bytes cannot be negative: " + keptBytes);
    }
  }

  public GatherLimits(long bytes, long ageNanos) {
    this(bytes, ageNanos, USUAL_KEPT_BYTES);
  }

  /** Whole stripes that are kept are sent once so many follow each other. */
  long runBytes() {
    return keptBytes / 2;
  }

  /**
   * What one write may keep of a file with such stripes: one run, with bookkeeping that leaves room
   * for the ends of the write. A write of more is not kept, for it could never be taken.
   */
  long mostKeptBytes(long stripeBytes) {
    int bookkeepingBytes = GatheredRun.OVERHEAD_BYTES + GatheredStripe.OVERHEAD_BYTES;
    return Math.min(runBytes(), bytes / 2 / bookkeepingBytes * stripeBytes);
  }

  /** What may be gathered before the oldest is sent: the rest is for what is under way. */
  long mostIdleBytes() {
    return bytes / 2;
  }

  /** A piece of a stripe that is longer is not copied. */
  long longestPieceBytes() {
    return bytes / 4 - GatheredRun.OVERHEAD_BYTES - GatheredStripe.OVERHEAD_BYTES;
  }
}
