package org.weft.metadata.rpc;

import java.util.Optional;
import org.weft.metadata.volume.Caller;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.session.CloseSession;
import org.weft.metadata.volume.operation.session.RenewSession;
import org.weft.protocol.id.SessionId;

/**
 * A request as it was read.
 *
 * @param caller null for requests about a session as a whole, which have no reply slot
 */
record VolumeOperation(long volumeId, Caller caller, Operation operation) {
  /** The session whose holder alone may ask for this; empty where a session is only to begin. */
  Optional<SessionId> session() {
    if (caller != null) {
      return Optional.of(caller.session());
    }
    if (operation instanceof RenewSession renewal) {
      return Optional.of(renewal.session());
    }
    return operation instanceof CloseSession closing
        ? Optional.of(closing.session())
        : Optional.empty();
  }
}
