package org.weft.client.volume;

import com.google.protobuf.ByteString;

/**
 * Has the manager keep a client's byte-range locks when its session has ended, for a successor that
 * reclaims them (P 6.5).
 *
 * @param millis for how long, 1 to 300,000
 * @param key what a successor of the same user shows: 16 to 64 bytes that no other user knows
 */
public record KeepLocks(int millis, ByteString key) {
  private static final int MAX_MILLIS = 300_000;
  private static final int MIN_KEY_BYTES = 16;
  private static final int MAX_KEY_BYTES = 64;

  public KeepLocks {
    boolean fits =
        millis >= 1
            && millis <= MAX_MILLIS
            && key.size() >= MIN_KEY_BYTES
            && key.size() <= MAX_KEY_BYTES;
    if (!fits) {
      throw new IllegalArgumentException(
          "locks are kept for 1 to %d ms, with a key of %d to %d bytes; got %d ms and %d bytes"
              .formatted(MAX_MILLIS, MIN_KEY_BYTES, MAX_KEY_BYTES, millis, key.size()));
    }
  }

  /** With a key of these bytes. */
  public static KeepLocks of(int millis, byte[] key) {
    return new KeepLocks(millis, ByteString.copyFrom(key));
  }

  /** Says nothing of the key. */
  @Override
  public String toString() {
    return "KeepLocks[" + millis + " ms]";
  }
}
