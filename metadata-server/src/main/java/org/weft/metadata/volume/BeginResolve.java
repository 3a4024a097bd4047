package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * The manager's own: says once more that a grant waits to be resolved. The LSN of that record is
 * the number of what resolves it, which no other attempt has, also not of a later manager (P 5.1).
 * Answers with the file as it is published: what must not be lost of it.
 */
public record BeginResolve(Lsn number) implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NotCached, RpcException {
    WriteGrant grant =
        on.grants()
            .find(number)
            .orElseThrow(
                () ->
                    new RpcException(
                        ErrorCode.GRANT_REVOKED, "grant " + number + " has ended already"));
    Attributes file =
        on.view()
            .attributes(
                grant.object(),
                grant.map().attributeHolders(on.settings().metaCopies()),
                "object " + grant.object());
    on.draft().add(new LiveEffect.GrantResolving(number, grant.object()));
    return Replies.attributes(file);
  }
}
