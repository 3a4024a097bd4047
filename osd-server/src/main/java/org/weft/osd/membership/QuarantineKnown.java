package org.weft.osd.membership;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.HeartbeatReply;
import org.weft.protocol.wire.JoinReply;

/**
 * The quarantine of this OSD, as far as it knows (P 5.8).
 *
 * @param number of the last one; 0: there was none
 * @param active it lasts: clients are refused
 * @param open while it lasts: partitions whose clients are served all the same
 */
record QuarantineKnown(long number, boolean active, SortedSet<PartitionId> open) {
  static final QuarantineKnown NONE = new QuarantineKnown(0, false);

  QuarantineKnown {
    open = Collections.unmodifiableSortedSet(active ? new TreeSet<>(open) : new TreeSet<>());
  }

  /** No partition is open while it lasts. */
  QuarantineKnown(long number, boolean active) {
    this(number, active, new TreeSet<>());
  }

  static QuarantineKnown of(JoinReply reply) {
    return new QuarantineKnown(
        reply.getQuarantine(), reply.getQuarantined(), partitions(reply.getOpenVolumesList()));
  }

  static QuarantineKnown of(HeartbeatReply reply) {
    return new QuarantineKnown(
        reply.getQuarantine(), reply.getQuarantined(), partitions(reply.getOpenVolumesList()));
  }

  private static SortedSet<PartitionId> partitions(Iterable<Long> ids) {
    SortedSet<PartitionId> partitions = new TreeSet<>();
    ids.forEach(id -> partitions.add(new PartitionId(id)));
    return partitions;
  }

  /**
   * After SysMgr has said this. A reply may be old. So no quarantine begins twice, and none ends
   * that is newer than what the reply speaks of. No partition is closed again within one
   * quarantine.
   */
  QuarantineKnown heard(QuarantineKnown said) {
    if (said.number > number || said.number == number && !said.active) {
      return said;
    }
    if (said.number < number || !active) {
      return this;
    }
    SortedSet<PartitionId> more = new TreeSet<>(open);
    more.addAll(said.open);
    return new QuarantineKnown(number, true, more);
  }
}
