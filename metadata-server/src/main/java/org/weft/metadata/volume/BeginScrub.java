package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * The manager's own: says once more that a grant waits for its scrub. The LSN of that record is the
 * number of the scrub's writes, which no other scrub has, also not of a later manager (P 5.1).
 * Answers with the file as it is published: what a scrub must not fall behind.
 */
public record BeginScrub(Lsn number) implements Operation {
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
    on.draft().add(new LiveEffect.GrantScrub(number, grant.object()));
    return Replies.attributes(file);
  }
}
