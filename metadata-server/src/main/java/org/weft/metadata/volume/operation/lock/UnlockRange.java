package org.weft.metadata.volume.operation.lock;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import org.weft.metadata.lock.HeldLocks;
import org.weft.metadata.lock.LockTable;
import org.weft.metadata.lock.SessionLockOwner;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.LockSpace;
import org.weft.protocol.wire.UnlockRangeReply;

/**
 * An owner of the session unlocks bytes of a file (P 6.5); what it has not locked is no error. The
 * number of the object is enough, since only locks of the session itself are concerned. An unlock
 * that splits a lock in two is refused past the bounds of {@link LockTable}.
 *
 * @param space of the range
 */
public record UnlockRange(ObjectId object, ByteString ownerKey, ByteRange range, LockSpace space)
    implements Operation {
  /** Bytes. */
  public UnlockRange(ObjectId object, ByteString ownerKey, ByteRange range) {
    this(object, ownerKey, range, LockSpace.BYTES);
  }

  @Override
  public MessageLite execute(Execution on) throws WeftException {
    LockTable locks = on.locks().table();
    SessionLockOwner owner = new SessionLockOwner(on.session().id(), space, ownerKey);
    HeldLocks before = locks.of(object, owner);
    HeldLocks after = before.without(range);
    on.view().sawAll();
    if (!after.equals(before)) {
      // One that splits a lock in two makes more of them.
      locks.requireRoom(object, owner, after);
      on.draft().add(owner.holds(object, after));
    }
    return UnlockRangeReply.newBuilder().setHeldAll(before.covers(range, false)).build();
  }
}
