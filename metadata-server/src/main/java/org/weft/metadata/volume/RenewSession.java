package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import org.weft.metadata.session.SessionTable;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.RenewSessionReply;

/** A sign of life: every request renews its session's lease, this one does nothing else. */
public record RenewSession(SessionId session) implements Operation {
  @Override
  public MessageLite execute(Execution on) throws RpcException {
    on.sessions().renew(on.sessions().require(session), on.nowNanos());
    return RenewSessionReply.newBuilder()
        .setLeaseMillis(SessionTable.LEASE_MILLIS)
        .setTableVersion(on.cluster().tableVersion())
        .build();
  }
}
