package org.weft.osd.membership;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.PartitionState;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.mutation.PartitionUpdate;
import org.weft.osd.store.value.WorkingKey;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.PartitionKeys;

/** Turns what SysMgr says of partitions, keys and fences into changes of the store. */
final class PartitionNews {
  private PartitionNews() {}

  /**
   * What has to change here; empty if the store holds it all. Of partitions that SysMgr does not
   * name see {@link #gone}.
   *
   * @throws WeftException MALFORMED if a key has not 32 bytes
   */
  static List<Mutation> changes(ObjectStore store, List<PartitionKeys> news) throws WeftException {
    List<Mutation> changes = new ArrayList<>();
    for (PartitionKeys partition : news) {
      PartitionUpdate update = update(partition);
      Optional<PartitionState> stored = store.partition(update.partition());
      if (stored.isEmpty() || differs(stored.get(), update)) {
        changes.add(update);
      }
    }
    return changes;
  }

  /**
   * Partitions of this store that are gone: those that SysMgr has given out and does not name any
   * more. A partition with a larger id than SysMgr has given out stays. A SysMgr that was brought
   * back from an old copy knows less than the store does.
   *
   * @param lastId SysMgr has given out ids up to here; 0: it does not say
   */
  static List<PartitionId> gone(ObjectStore store, List<PartitionKeys> news, long lastId) {
    Set<Long> named = new TreeSet<>();
    news.forEach(partition -> named.add(partition.getPartitionId()));
    return store.partitions().stream()
        .map(PartitionState::id)
        .filter(id -> !named.contains(id.value()))
        .filter(id -> Long.compareUnsigned(id.value(), lastId) <= 0)
        .toList();
  }

  private static PartitionUpdate update(PartitionKeys message) throws WeftException {
    List<WorkingKey> keys = new ArrayList<>();
    try {
      message
          .getKeysList()
          .forEach(k -> keys.add(new WorkingKey(k.getVersion(), k.getKey().toByteArray())));
    } catch (IllegalArgumentException e) {
      throw new WeftException(
          ErrorCode.MALFORMED,
          "SysMgr sent a bad key for partition %s: %s"
              .formatted(Long.toUnsignedString(message.getPartitionId()), e.getMessage()),
          e);
    }
    return new PartitionUpdate(
        new PartitionId(message.getPartitionId()), keys, message.getFenceEpoch());
  }

  private static boolean differs(PartitionState stored, PartitionUpdate update) {
    return stored.fenceEpoch() < update.fenceEpoch() || !sameKeys(stored.keys(), update.keys());
  }

  private static boolean sameKeys(List<WorkingKey> left, List<WorkingKey> right) {
    if (left.size() != right.size()) {
      return false;
    }
    for (int i = 0; i < left.size(); i++) {
      if (left.get(i).version() != right.get(i).version()
          || !Arrays.equals(left.get(i).key(), right.get(i).key())) {
        return false;
      }
    }
    return true;
  }
}
