package org.weft.metadata.volume.operation.grant;

import com.google.protobuf.MessageLite;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.GrantEnd;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own: ends a grant that others wait for. An owner of ranges has not given them back
 * for a whole lease, or a writer has not said how long its file is. Or its client has lost all
 * connections and did not come back. It counts as gone, whatever else its client still does (P
 * 6.5).
 */
public record EndUnansweredRecall(Lsn number) implements Operation {
  @Override
  public MessageLite execute(Execution on) {
    Optional<WriteGrant> found = on.grants().find(number);
    boolean overdue = on.isOverdue(number);
    if (overdue && found.isPresent() && !found.get().resolving()) {
      String why =
          on.sessions().isGone(found.get().session())
              ? "all connections of this client to the manager had ended, and none came back in time"
              : "this client did not reply to the manager for a whole lease";
      new GrantEnd(on)
          .revoke(
              List.of(found.get()),
              "the file was taken from its writer at %s because others waited for it: %s"
                  .formatted(Instant.ofEpochMilli(on.nowMillis()), why));
    }
    return Empty.getDefaultInstance();
  }
}
