package org.weft.client.lock;

import com.google.protobuf.ByteString;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.wire.LockHolder;
import org.weft.protocol.wire.LockedRange;

/**
 * The owner of a lock on a range of a file, and the range.
 *
 * @param clientName "host/pid/program" of the client
 * @param owner key of the owner in that client
 * @param kept the client's session has ended; a successor may reclaim the lock for a while
 */
public record RangeHolder(
    String clientName,
    long sessionId,
    ByteString owner,
    ByteRange range,
    boolean exclusive,
    boolean kept) {
  /** What a manager's message says. */
  public static RangeHolder fromMessage(LockHolder message) {
    LockedRange locked = message.getRange();
    return new RangeHolder(
        message.getClientName(),
        message.getSessionId(),
        message.getOwner(),
        ByteRange.fromMessage(locked.getFrom(), locked.getTo()),
        locked.getExclusive(),
        message.getKept());
  }

  /** As in messages: "bytes 0 to 9 exclusively by host/1/app". */
  @Override
  public String toString() {
    return "bytes "
        + range
        + (exclusive ? " exclusively" : " shared")
        + " by "
        + clientName
        + (kept ? ", whose session has ended; they are kept for its successor" : "");
  }
}
