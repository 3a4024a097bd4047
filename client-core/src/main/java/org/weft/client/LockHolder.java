package org.weft.client;

import com.google.protobuf.ByteString;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.wire.LockedRange;

/**
 * The owner of a lock on a range of a file, and the range.
 *
 * @param clientName "host/pid/program" of the client
 * @param owner key of the owner in that client
 * @param kept the client's session has ended; a successor may reclaim the lock for a while
 */
public record LockHolder(
    String clientName,
    long sessionId,
    ByteString owner,
    ByteRange range,
    LockMode mode,
    boolean kept) {
  static LockHolder fromMessage(org.weft.protocol.wire.LockHolder message) {
    LockedRange locked = message.getRange();
    return new LockHolder(
        message.getClientName(),
        message.getSessionId(),
        message.getOwner(),
        ByteRange.fromMessage(locked.getFrom(), locked.getTo()),
        locked.getExclusive() ? LockMode.EXCLUSIVE : LockMode.SHARED,
        message.getKept());
  }

  /** As in messages: "bytes 0 to 9 exclusively by host/1/app". */
  @Override
  public String toString() {
    return "bytes "
        + range
        + (mode == LockMode.EXCLUSIVE ? " exclusively" : " shared")
        + " by "
        + clientName
        + (kept ? ", whose session has ended; they are kept for its successor" : "");
  }
}
