package org.weft.sysmgr.configuration.volume;

import java.util.List;
import org.weft.protocol.id.PartitionId;
import org.weft.sysmgr.configuration.cluster.Secret;

/**
 * What OSDs must know of a partition before they serve it.
 *
 * @param keys working keys, the newest last
 * @param fenceEpoch manager commands of older epochs are refused (P 6.2)
 */
public record Partition(PartitionId id, List<Key> keys, long fenceEpoch) {
  /** A working key. */
  public record Key(int version, Secret secret) {
    public Key {
      if (secret.length() != KEY_BYTES) {
        throw new IllegalArgumentException(
            "a working key has " + KEY_BYTES + " bytes, got " + secret.length());
      }
    }
  }

  /** Bytes of a working key. */
  public static final int KEY_BYTES = 32;

  public Partition {
    keys = List.copyOf(keys);
  }

  /** OSDs refuse commands of managers of older epochs. */
  public Partition fencedBy(long epoch) {
    return new Partition(id, keys, Math.max(fenceEpoch, epoch));
  }
}
