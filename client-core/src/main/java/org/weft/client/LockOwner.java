package org.weft.client;

import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.weft.protocol.layout.LockSpace;

/**
 * Whose byte-range locks are: among the owners of one client no other may have the same key. Owners
 * of other clients are others, whatever their keys.
 *
 * @param key 1 to {@value #MAX_KEY_BYTES} bytes
 * @param blocked while it waits for a lock it unlocks nothing, as a process of one thread; only
 *     between such owners deadlocks are found
 * @param space what its ranges are of: only owners of the same space are in each other's way
 */
public record LockOwner(ByteString key, boolean blocked, LockSpace space) {
  public static final int MAX_KEY_BYTES = 64;

  public LockOwner {
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
  public LockOwner(ByteString key, boolean blocked) {
    this(key, blocked, LockSpace.BYTES);
  }

  /** A process, as for POSIX record locks: deadlocks are found and refused. */
  public static LockOwner process(byte[] key) {
    return new LockOwner(ByteString.copyFrom(key), true);
  }

  /** The same with a name of characters. */
  public static LockOwner process(String name) {
    return process(name.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * An open file, as for Linux's open file description locks: several threads may use it, so that
   * one that waits blocks no other, and no deadlock is looked for.
   */
  public static LockOwner openFile(byte[] key) {
    return new LockOwner(ByteString.copyFrom(key), false);
  }

  /** The same with a name of characters. */
  public static LockOwner openFile(String name) {
    return openFile(name.getBytes(StandardCharsets.UTF_8));
  }
}
