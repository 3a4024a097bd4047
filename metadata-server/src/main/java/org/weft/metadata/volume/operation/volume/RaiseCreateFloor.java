package org.weft.metadata.volume.operation.volume;

import com.google.protobuf.MessageLite;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own: grants below the number make no components any more, though they are held. A
 * writer that needs one that is not there yet has to ask for another grant first. Else the oldest
 * writer of a volume would make every OSD keep the tombstones of all that was removed since it
 * began (P 6.6).
 */
public record RaiseCreateFloor(Lsn upTo) implements Operation {
  @Override
  public MessageLite execute(Execution on) {
    Lsn attempt = on.grants().firstAttempt(on.lastLsn().next());
    on.counters().raiseCreateFloor(upTo.compareTo(attempt) < 0 ? upTo : attempt);
    return Empty.getDefaultInstance();
  }
}
