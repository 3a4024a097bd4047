package org.weft.client;

import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;
import org.weft.client.lock.RangeOwner;

/**
 * Whose byte-range locks are: among the owners of one client no other may have the same key. Owners
 * of other clients are others, whatever their keys. Immutable.
 */
public final class LockOwner {
  /** Longest key, in bytes; the shortest has one. */
  public static final int MAX_KEY_BYTES = RangeOwner.MAX_KEY_BYTES;

  private final RangeOwner owner;

  private LockOwner(byte[] key, boolean blocked) {
    this.owner = new RangeOwner(ByteString.copyFrom(key), blocked);
  }

  /**
   * A process, as for POSIX record locks: while it waits for a lock it unlocks nothing, so that
   * deadlocks are found and refused.
   *
   * @param key 1 to {@value #MAX_KEY_BYTES} bytes
   * @throws IllegalArgumentException if the key has another length
   */
  public static LockOwner process(byte[] key) {
    return new LockOwner(key, true);
  }

  /** The same with a name of characters, as UTF-8. */
  public static LockOwner process(String name) {
    return process(name.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * An open file, as for Linux's open file description locks. Several threads may use it, so one
   * that waits blocks no other, and no deadlock is looked for.
   *
   * @param key 1 to {@value #MAX_KEY_BYTES} bytes
   * @throws IllegalArgumentException if the key has another length
   */
  public static LockOwner openFile(byte[] key) {
    return new LockOwner(key, false);
  }

  /** The same with a name of characters, as UTF-8. */
  public static LockOwner openFile(String name) {
    return openFile(name.getBytes(StandardCharsets.UTF_8));
  }

  /** The key; a copy. */
  public byte[] key() {
    return owner.key().toByteArray();
  }

  /** The same, below the API. */
  RangeOwner range() {
    return owner;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LockOwner that && owner.equals(that.owner);
  }

  @Override
  public int hashCode() {
    return owner.hashCode();
  }

  @Override
  public String toString() {
    return "LockOwner[" + owner.key() + (owner.blocked() ? ", a process]" : ", an open file]");
  }
}
