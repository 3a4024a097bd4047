package org.weft.osd.store.engine.change;

import java.util.List;
import org.weft.osd.store.PendingKind;
import org.weft.osd.store.format.ObjectRecord;
import org.weft.osd.store.format.PendingRecord;
import org.weft.osd.store.format.PendingRecords;
import org.weft.osd.store.value.Authority;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.WriteId;

/** Decides what the pending list lets a write do (P 5.4). */
public final class PendingRules {
  /** Records of one grant on one object; more are refused. */
  public static final int MAX_RECORDS = 1024;

  private PendingRules() {}

  /**
   * True if a write of this authority leaves a record: a write under a client's grant. The client
   * sends it or, once the object's version has been raised above the grant, a manager in its place.
   */
  static boolean leavesRecord(Authority authority, ObjectRecord record) {
    return new Lsn(authority.grant()).index() != 0
        && (!authority.manager() || Long.compareUnsigned(authority.grant(), record.version()) < 0);
  }

  /** An XOR must not be executed twice: it is refused where it would leave no record. */
  static void requireRecorded(ObjectName name, Authority authority, ObjectRecord record)
      throws WeftException {
    if (!leavesRecord(authority, record)) {
      throw invalid(
          "object "
              + name
              + " is at version "
              + new Lsn(record.version())
              + ": an XOR write runs under a client's grant, or in the place of one that has ended,"
              + " not under number "
              + new Lsn(authority.grant()));
    }
  }

  /**
   * True if the number is known to be complete. Floors speak of clients' grants alone: a manager's
   * plain number lies below most of them.
   */
  static boolean isOver(ObjectRecord record, long grant, long sequence) {
    return new Lsn(grant).index() == 0
        ? Long.compareUnsigned(sequence, record.completions().upTo(grant)) <= 0
        : record.isComplete(grant, sequence);
  }

  /**
   * True if the run was executed before: it is complete, or the list has all its numbers. Known by
   * the whole list, not by the last id: retries overtake each other.
   *
   * @throws WeftException WRITE_ABORTED, or INVALID_ARGUMENT if the run was cut differently before
   */
  static boolean isKnown(
      ObjectName name,
      ObjectRecord record,
      PendingRecords pending,
      long grant,
      long firstSequence,
      int sequenceCount)
      throws WeftException {
    long last = firstSequence + sequenceCount - 1;
    if (record.isComplete(grant, last)) {
      return true;
    }
    List<PendingRecord> found = pending.numbered(grant, firstSequence, last);
    long covered = 0;
    for (PendingRecord one : found) {
      if (one.kind() == PendingKind.ABORTED) {
        throw new WeftException(
            ErrorCode.WRITE_ABORTED,
            "write "
                + new WriteId(grant, firstSequence)
                + " of object "
                + name
                + " was aborted; it does not come back, write under another number");
      }
      covered +=
          Math.min(last, one.write().lastSequence())
              - Math.max(firstSequence, one.write().firstSequence())
              + 1;
    }
    if (covered != 0 && covered != sequenceCount) {
      throw invalid(
          "writes "
              + firstSequence
              + " to "
              + last
              + " of grant "
              + new Lsn(grant)
              + " came to object "
              + name
              + " before as another run; send it again as it was");
    }
    return covered != 0;
  }

  /** No block may be of another pending write: a stripe write or a data unit needs it alone. */
  static void requireAlone(ObjectName name, PendingRecords pending, long fromBlock, long toBlock)
      throws WeftException {
    for (PendingRecord other : pending.overlapping(fromBlock, toBlock)) {
      throw busy(name, other);
    }
  }

  /** No block may be of a pending write that is no δ: of those there may be several. */
  static void requireOnlyDeltas(
      ObjectName name, PendingRecords pending, long fromBlock, long toBlock) throws WeftException {
    for (PendingRecord other : pending.overlapping(fromBlock, toBlock)) {
      if (other.kind() != PendingKind.XOR_DELTA) {
        throw busy(name, other);
      }
    }
  }

  /**
   * Makes way for what a manager writes under its own number. The manager has decided what the
   * blocks hold, so records of ended grants have nothing left to undo there and are removed. Those
   * of live grants stand in the way.
   */
  static void makeWay(ObjectName name, ObjectState state, long fromBlock, long toBlock)
      throws WeftException {
    for (PendingRecord other : state.pending().overlapping(fromBlock, toBlock)) {
      if (Long.compareUnsigned(other.grant(), state.record().version()) >= 0) {
        throw busy(name, other);
      }
      state.drop(other);
    }
  }

  /**
   * A grant keeps a bounded number of blocks and has a bounded number of records on one object. Not
   * so for a manager, which only sets right what clients have left.
   */
  static void requireWindow(
      ObjectName name,
      PendingRecords pending,
      Authority authority,
      long moreBlocks,
      long windowBlocks)
      throws WeftException {
    if (pending.isEmpty() || authority.manager()) {
      return;
    }
    long grant = authority.grant();
    List<PendingRecord> records = pending.ofGrant(grant);
    long kept = 0;
    for (PendingRecord record : records) {
      kept += record.keptBlocks();
    }
    if (records.size() >= MAX_RECORDS || (kept > 0 && kept + moreBlocks > windowBlocks)) {
      throw new WeftException(
          ErrorCode.BUSY,
          "object "
              + name
              + " keeps "
              + kept * DataChange.BLOCK_BYTES
              + " bytes for "
              + records.size()
              + " writes of grant "
              + new Lsn(grant)
              + " that are not known to be complete; send their completion first");
    }
  }

  /** A write from before a truncation that this component knows must not bring bytes back. */
  static void requireTruncation(
      ObjectName name, ObjectRecord record, PendingRecords pending, int truncationNumber)
      throws WeftException {
    int known = pending.effective(record).truncationNumber();
    if (Integer.compareUnsigned(truncationNumber, known) < 0) {
      throw new WeftException(
          ErrorCode.FENCED,
          "object "
              + name
              + " was truncated: its truncation number is "
              + known
              + ", a write with "
              + truncationNumber
              + " comes too late; ask the manager for another grant");
    }
  }

  private static WeftException busy(ObjectName name, PendingRecord other) {
    return new WeftException(
        ErrorCode.BUSY,
        "blocks "
            + other.firstBlock()
            + " to "
            + other.endBlock()
            + " of object "
            + name
            + " belong to write "
            + new WriteId(other.grant(), other.write().lastSequence())
            + ", which is not known to be complete; send its completion first");
  }

  /** A request that no client of ours sends. */
  public static WeftException invalid(String message) {
    return new WeftException(ErrorCode.INVALID_ARGUMENT, message);
  }
}
