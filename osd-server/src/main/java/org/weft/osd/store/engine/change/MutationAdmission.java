package org.weft.osd.store.engine.change;

import java.io.IOException;
import org.weft.osd.store.PartitionState;
import org.weft.osd.store.engine.commit.Transaction;
import org.weft.osd.store.engine.state.Values;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.value.Authority;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;

/** Admits requests by fence, version, tombstone and floor (P 5.7, 6.2, 6.6). */
public final class MutationAdmission {
  private MutationAdmission() {}

  /**
   * Refuses what is for a partition that is not there.
   *
   * @throws WeftException NO_SUCH_PARTITION if it is null
   */
  public static void requirePartition(PartitionState partition, PartitionId id)
      throws WeftException {
    if (partition == null) {
      throw new WeftException(
          ErrorCode.NO_SUCH_PARTITION, "partition " + id + " does not exist on this OSD");
    }
  }

  /** A manager's epoch is not below the partition's fence. */
  public static void requireEpoch(PartitionState partition, Authority authority)
      throws WeftException {
    if (authority.manager() && authority.epoch() < partition.fenceEpoch()) {
      throw new WeftException(
          ErrorCode.FENCED,
          "partition "
              + partition.id()
              + " is fenced at epoch "
              + partition.fenceEpoch()
              + "; a manager of epoch "
              + authority.epoch()
              + " is not obeyed");
    }
  }

  /**
   * As {@link #requireEpoch}, before a change. The first change that a newer manager makes is a
   * fence as well. The manager may have taken over while this OSD was cut off from SysMgr. What the
   * manager before it still has under way must not arrive afterwards.
   */
  static void fence(Transaction transaction, PartitionId id, Authority authority)
      throws WeftException {
    PartitionState partition = transaction.partition(id);
    requirePartition(partition, id);
    requireEpoch(partition, authority);
    if (authority.manager() && authority.epoch() > partition.fenceEpoch()) {
      transaction.putPartition(partition.fencedAt(authority.epoch()));
    }
  }

  /**
   * The record, which must be there.
   *
   * @throws WeftException NO_SUCH_OBJECT if it is null
   */
  public static ObjectRecord requireObject(ObjectRecord record, ObjectName name)
      throws WeftException {
    if (record == null) {
      throw new WeftException(
          ErrorCode.NO_SUCH_OBJECT, "object " + name + " does not exist on this OSD");
    }
    return record;
  }

  /** A client's grant, or a manager's attempt to resolve, is not below the object's version. */
  public static void requireVersion(ObjectRecord record, ObjectName name, Authority authority)
      throws WeftException {
    if (!authority.manager() && Long.compareUnsigned(authority.grant(), record.version()) < 0) {
      throw new WeftException(
          ErrorCode.FENCED,
          "object "
              + name
              + " is at version "
              + new Lsn(record.version())
              + "; grant "
              + new Lsn(authority.grant())
              + " was revoked, ask the manager for another");
    }
    if (authority.attempt() != 0
        && Long.compareUnsigned(authority.attempt(), record.version()) < 0) {
      throw new WeftException(
          ErrorCode.FENCED,
          "object "
              + name
              + " is at version "
              + new Lsn(record.version())
              + ": what attempt "
              + new Lsn(authority.attempt())
              + " to resolve it has sent comes too late");
    }
  }

  /** A client's write may make the object, or that of a manager's attempt to resolve it. */
  static void requireCreation(
      PartitionState partition, Values values, ObjectName name, Authority authority)
      throws IOException {
    requireNoTombstone(values, name, authority.grant());
    if (Long.compareUnsigned(authority.grant(), partition.createFloor()) < 0) {
      throw new WeftException(
          ErrorCode.TOMBSTONE,
          "object "
              + name
              + " is not made: grant "
              + new Lsn(authority.grant())
              + " lies below the partition's create floor "
              + new Lsn(partition.createFloor())
              + ", ask the manager for another");
    }
  }

  /**
   * A manager's flush may make the object: nothing as new removed it, and no tombstone of it can
   * have been forgotten since it left. The partition is fenced at the manager's epoch.
   *
   * @param newest LSN that the flush brings
   */
  static void requireCreation(
      PartitionState partition, Values values, ObjectName name, Authority authority, long newest)
      throws IOException {
    requireNoTombstone(values, name, newest);
    if (authority.epoch() == partition.fenceEpoch() && authority.round() < partition.purgeRound()) {
      throw new WeftException(
          ErrorCode.BUSY,
          "object "
              + name
              + " is not made as of round "
              + authority.round()
              + " of the manager's flushing: it may have been removed since, for tombstones were"
              + " forgotten in round "
              + partition.purgeRound()
              + "; say again what it is now");
    }
  }

  /** Nothing as new as this removed the object. */
  private static void requireNoTombstone(Values values, ObjectName name, long lsn)
      throws IOException {
    long tombstone = values.tombstone(name);
    if (Long.compareUnsigned(lsn, tombstone) < 0) {
      throw new WeftException(
          ErrorCode.TOMBSTONE,
          "object " + name + " was removed at " + new Lsn(tombstone) + ", after " + new Lsn(lsn));
    }
  }
}
