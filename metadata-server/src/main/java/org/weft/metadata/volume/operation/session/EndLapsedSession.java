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
 * The manager's own: ends a session whose client gave no sign of life for a whole lease (P 6.5).
 */
public record EndLapsedSession(SessionId session) implements Operation {
  @Override
  public MessageLite execute(Execution on) {
    Optional<Session> found = on.sessions().find(session);
    // It may have waited for room, and its client may have come back meanwhile.
    if (found.isPresent() && on.sessions().hasLapsed(found.get(), on.nowNanos())) {
      new GrantEnd(on).ofSession(found.get());
    }
    return Empty.getDefaultInstance();
  }
}
