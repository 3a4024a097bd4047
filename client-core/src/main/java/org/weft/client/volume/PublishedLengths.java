package org.weft.client.volume;

import java.util.Map;
import java.util.TreeMap;
import org.weft.protocol.wire.RenewSessionRequest;

/**
 * What one session has asked to be published of the files that it writes, under grants that it has
 * not given back. Managers keep it in memory alone, so that one that starts has to be told again (P
 * 4.3, 6.5); never less than was asked for, for the one before may have told others.
 *
 * <p>Thread-safe; never blocks.
 */
final class PublishedLengths {
  // By object, and by the number of the grant: a session may have one file open shared twice.
  private final TreeMap<Long, TreeMap<Long, Long>> asked = new TreeMap<>();

  /** A length is about to be published. */
  synchronized void asked(long objectId, long grant, long sizeBytes) {
    asked.computeIfAbsent(objectId, id -> new TreeMap<>()).merge(grant, sizeBytes, Math::max);
  }

  /** Whatever was published under the grant is in the manager's journal, or the grant has ended. */
  synchronized void settled(long objectId, long grant) {
    Map<Long, Long> byGrant = asked.get(objectId);
    if (byGrant != null) {
      byGrant.remove(grant);
      if (byGrant.isEmpty()) {
        asked.remove(objectId);
      }
    }
  }

  /** Another grant has taken the place of one. */
  synchronized void renumbered(long objectId, long before, long now) {
    Map<Long, Long> byGrant = asked.get(objectId);
    Long sizeBytes = byGrant == null ? null : byGrant.remove(before);
    if (sizeBytes != null) {
      byGrant.merge(now, sizeBytes, Math::max);
    }
  }

  /** Says all of it to a manager that has started. */
  synchronized void addTo(RenewSessionRequest.Builder renewal) {
    asked.forEach(
        (objectId, byGrant) ->
            renewal
                .addPublishedObject(objectId)
                .addPublishedSize(
                    byGrant.values().stream().mapToLong(Long::longValue).max().orElse(0)));
  }
}
