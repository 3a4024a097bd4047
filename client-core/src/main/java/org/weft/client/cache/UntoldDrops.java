package org.weft.client.cache;

import java.util.LinkedHashMap;
import java.util.Map;
import org.weft.protocol.wire.DroppedReadGrants;
import org.weft.protocol.wire.RenewSessionRequest;

/**
 * The read grants that a session has dropped and its manager has not heard of yet. Renewals say
 * them until one is answered. Confined to the session's home executor.
 */
final class UntoldDrops {
  /** Objects that one renewal says were dropped. */
  private static final int MAX_AT_ONCE = 10_000;

  private static final long NONE = 0;

  /** By object, up to which number; these are waited for. */
  private final Map<Long, Long> recalled = new LinkedHashMap<>();

  private final Map<Long, Long> evicted = new LinkedHashMap<>();
  private long all = NONE;
  private boolean urgent;

  /** The manager waits for this word. */
  void recalled(long objectId, long number) {
    recalled.merge(objectId, number, Math::max);
    urgent = true;
  }

  /** There was no room. */
  void evicted(long objectId, long number) {
    evicted.merge(objectId, number, Math::max);
  }

  /**
   * Everything up to that number is gone.
   *
   * @param isAwaited the manager waits for this word
   */
  void all(long number, boolean isAwaited) {
    forget();
    all = number;
    urgent = isAwaited;
  }

  /** There is nothing to tell: another manager does not know what it would be about. */
  void forget() {
    recalled.clear();
    evicted.clear();
    all = NONE;
    urgent = false;
  }

  /** Something is waited for that no renewal has said. */
  boolean isUrgent() {
    return urgent;
  }

  /** What the next renewal has to say. If it is lost, what is waited for is recalled again. */
  void addTo(RenewSessionRequest.Builder renewal) {
    urgent = false;
    renewal.setDroppedAll(all);
    addTo(renewal, recalled);
    addTo(renewal, evicted);
  }

  private static void addTo(RenewSessionRequest.Builder renewal, Map<Long, Long> untold) {
    for (Map.Entry<Long, Long> each : untold.entrySet()) {
      if (renewal.getDroppedCount() == MAX_AT_ONCE) {
        return;
      }
      renewal.addDropped(
          DroppedReadGrants.newBuilder().setObjectId(each.getKey()).setNumber(each.getValue()));
    }
  }

  /** The manager has heard this. */
  void answered(RenewSessionRequest sent) {
    for (DroppedReadGrants each : sent.getDroppedList()) {
      recalled.remove(each.getObjectId(), each.getNumber());
      evicted.remove(each.getObjectId(), each.getNumber());
    }
    all = all == sent.getDroppedAll() ? NONE : all;
  }
}
