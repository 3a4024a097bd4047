package org.weft.metadata.volume.operation.session;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import org.weft.metadata.session.Session;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.GrantEnd;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.wire.Empty;

/**
 * Ends a session. Files it still writes count as abandoned. A session that has ended already is no
 * error, since this may be a retry.
 */
public record CloseSession(SessionId session) implements Operation {
  @Override
  public MessageLite execute(Execution on) {
    Optional<Session> open = on.sessions().find(session);
    if (open.isPresent()) {
      new GrantEnd(on).ofSession(open.get());
      // If one record did not suffice, the rest goes the way of a lapsed session.
      on.sessions().lapse(open.get(), on.nowNanos());
    } else {
      on.view().sawAll();
    }
    return Empty.getDefaultInstance();
  }
}
