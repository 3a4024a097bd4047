package org.weft.metadata.grant;

import java.util.Arrays;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.PartitionKeys;
import org.weft.protocol.wire.WorkingKey;

/** The newest working key of a partition, with which its manager signs. Immutable. */
public record WorkingKeys(int version, byte[] key) {
  private static final int KEY_BYTES = 32;

  public WorkingKeys {
    if (key.length != KEY_BYTES) {
      throw new IllegalArgumentException("a working key has 32 bytes, got " + key.length);
    }
    key = key.clone();
  }

  /** The last of the keys that SysMgr sent, which is the newest. */
  public static WorkingKeys newestOf(PartitionKeys keys) throws WeftException {
    if (keys.getKeysCount() == 0) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          "SysMgr has no working key for partition " + keys.getPartitionId());
    }
    WorkingKey newest = keys.getKeys(keys.getKeysCount() - 1);
    return new WorkingKeys(newest.getVersion(), newest.getKey().toByteArray());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof WorkingKeys that
        && version == that.version
        && Arrays.equals(key, that.key);
  }

  @Override
  public int hashCode() {
    return 31 * version + Arrays.hashCode(key);
  }

  /** Leaves out the key itself. */
  @Override
  public String toString() {
    return "working key " + version;
  }
}
