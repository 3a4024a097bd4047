package org.weft.metadata.volume.operation.lock;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import org.weft.metadata.lock.SessionLockOwner;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.LockSpace;
import org.weft.protocol.wire.Empty;

/**
 * An owner of the session no longer waits for a lock on bytes (P 6.5a). For ways to open a file no
 * owner waits.
 */
public record CancelLock(ObjectId object, ByteString ownerKey, long waitNumber)
    implements Operation {
  @Override
  public MessageLite execute(Execution on) {
    on.locks()
        .waits()
        .cancelled(
            object, new SessionLockOwner(on.session().id(), LockSpace.BYTES, ownerKey), waitNumber);
    return Empty.getDefaultInstance();
  }
}
