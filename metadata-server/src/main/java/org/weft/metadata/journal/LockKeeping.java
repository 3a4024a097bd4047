package org.weft.metadata.journal;

import com.google.protobuf.ByteString;
import java.util.Objects;

/**
 * The byte-range locks of a session are kept for a successor when it has ended (P 6.5).
 *
 * @param millis for how long
 * @param key what a successor of the same user shows; it is sent to no client
 */
public record LockKeeping(int millis, ByteString key) {
  public static final int MAX_MILLIS = 300_000;
  public static final int MIN_KEY_BYTES = 16;
  public static final int MAX_KEY_BYTES = 64;

  public LockKeeping {
    Objects.requireNonNull(key, "key");
    if (millis < 1
        || millis > MAX_MILLIS
        || key.size() < MIN_KEY_BYTES
        || key.size() > MAX_KEY_BYTES) {
      throw new IllegalArgumentException(
          "locks are kept for 1 to %d ms, with a key of %d to %d bytes; got %d ms and %d bytes"
              .formatted(MAX_MILLIS, MIN_KEY_BYTES, MAX_KEY_BYTES, millis, key.size()));
    }
  }

  /** Leaves out the key. */
  @Override
  public String toString() {
    return "LockKeeping[" + millis + " ms]";
  }
}
