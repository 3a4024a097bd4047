package org.weft.metadata.volume.operation.lock;

import com.google.protobuf.MessageLite;
import org.weft.metadata.journal.LockEffect;
import org.weft.metadata.lock.LockTable;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own: drops what is left of the byte-range locks of a session that has ended. They
 * were kept for a successor, which did not reclaim these in time (P 6.5).
 */
public record DropKeptLocks(SessionId session) implements Operation {
  @Override
  public MessageLite execute(Execution on) {
    LockTable locks = on.locks().table();
    // It may have waited for room.
    if (locks.isKeptTooLong(session, on.nowNanos())) {
      on.draft().add(new LockEffect.LocksDropped(session));
    }
    return Empty.getDefaultInstance();
  }
}
