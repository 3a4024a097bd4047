package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own: says once more that a grant waits for its scrub. The LSN of that record is the
 * number of the scrub's writes, which no other scrub has, also not of a later manager (P 5.1).
 */
public record BeginScrub(Lsn number) implements Operation {
  @Override
  public MessageLite execute(Execution on) throws RpcException {
    WriteGrant grant =
        on.grants()
            .find(number)
            .orElseThrow(
                () ->
                    new RpcException(
                        ErrorCode.GRANT_REVOKED, "grant " + number + " has ended already"));
    on.draft().add(new LiveEffect.GrantScrub(number, grant.object()));
    return Empty.getDefaultInstance();
  }
}
