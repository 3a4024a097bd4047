package org.weft.client.lock;

import com.google.protobuf.ByteString;
import java.util.Objects;
import org.weft.protocol.layout.LockSpace;

/**
 * Whose byte-range locks are: among the owners of one client and one space no other may have the
 * same key.
 *
 * @param key 1 to {@value #MAX_KEY_BYTES} bytes
 * @param blocked while it waits for a lock it unlocks nothing, as a process of one thread; only
 *     between such owners deadlocks are found
 * @param space what its ranges are of: only owners of the same space are in each other's way
 */
public record RangeOwner(ByteString key, boolean blocked, LockSpace space) {
  public static final int MAX_KEY_BYTES = 64;

  public RangeOwner {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(space, "space");
    if (key.isEmpty() || key.size() > MAX_KEY_BYTES) {
      throw new IllegalArgumentException(
          "the owner of a lock has 1 to "
              + MAX_KEY_BYTES
              + " bytes, got "
              + key.size()
              + "; hash longer ones");
    }
  }

  /** One of bytes. */
  public RangeOwner(ByteString key, boolean blocked) {
    this(key, blocked, LockSpace.BYTES);
  }
}
