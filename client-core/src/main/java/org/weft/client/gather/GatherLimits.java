package org.weft.client.gather;

/**
 * How much is gathered and for how long.
 *
 * @param bytes of memory at most, bookkeeping and what is under way included; at least {@link
 *     #LEAST_BYTES}
 * @param ageNanos after which a byte is sent at the latest, as far as there is room
 */
public record GatherLimits(long bytes, long ageNanos) {
  public static final int LEAST_BYTES = 64 << 10;

  public GatherLimits {
    if (bytes < LEAST_BYTES || ageNanos <= 0) {
      throw new IllegalArgumentException(
          "writes are gathered in at least "
              + LEAST_BYTES
              + " bytes and for some time, got "
              + bytes
              + " bytes, "
              + ageNanos
              + " ns");
    }
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
