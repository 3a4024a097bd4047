package org.weft.client;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.weft.client.file.WriteOpenings;
import org.weft.client.gather.GatherLimits;

/**
 * How a file is opened for writing at any positions.
 *
 * @param shared others may write it too, if they say so as well (P 6.5)
 * @param gatherBytes memory in which small writes are gathered, bookkeeping and what is under way
 *     included; 0, the default: each write is sent at once. See {@link WeftFile} for what a write
 *     promises then. Half of it gathers, and the rest is for what is being sent. A piece of a
 *     stripe longer than a quarter of it is not copied but sent at once
 * @param gatherMillis after so long what was gathered is sent, whether or not more comes to the
 *     same stripe
 */
public record UpdateOptions(boolean shared, int gatherBytes, int gatherMillis) {
  /** 4 MiB. */
  public static final int DEFAULT_GATHER_BYTES = 4 << 20;

  /** One second. */
  public static final int DEFAULT_GATHER_MILLIS = 1_000;

  /** Where anything is gathered at all. */
  public static final int MIN_GATHER_BYTES = GatherLimits.MIN_BYTES;

  private static final UpdateOptions ALONE = new UpdateOptions(false, 0, DEFAULT_GATHER_MILLIS);

  public UpdateOptions {
    if (gatherBytes != 0 && gatherBytes < MIN_GATHER_BYTES || gatherMillis <= 0) {
      throw new IllegalArgumentException(
          "writes are gathered in "
              + MIN_GATHER_BYTES
              + " bytes or more, or 0 for none, and for some time; got "
              + gatherBytes
              + " bytes, "
              + gatherMillis
              + " ms");
    }
  }

  /** No other client writes the file, and each write is sent at once. */
  public static UpdateOptions alone() {
    return ALONE;
  }

  /** The same, beside other clients or alone. */
  public UpdateOptions withShared(boolean wanted) {
    return new UpdateOptions(wanted, gatherBytes, gatherMillis);
  }

  /** Small writes are gathered, in {@link #DEFAULT_GATHER_BYTES}. */
  public UpdateOptions withGathering() {
    return withGathering(DEFAULT_GATHER_BYTES, DEFAULT_GATHER_MILLIS);
  }

  /**
   * Small writes are gathered in so much memory, for so long.
   *
   * @throws IllegalArgumentException if one of them is out of its bounds
   */
  public UpdateOptions withGathering(int bytes, int millis) {
    return new UpdateOptions(shared, bytes, millis);
  }

  /** Empty: nothing is gathered. */
  Optional<GatherLimits> gathering() {
    return gatherBytes == 0
        ? Optional.empty()
        : Optional.of(new GatherLimits(gatherBytes, TimeUnit.MILLISECONDS.toNanos(gatherMillis)));
  }

  /** The same, below the API. */
  WriteOpenings.Wanted wanted() {
    return new WriteOpenings.Wanted(shared(), gathering());
  }
}
