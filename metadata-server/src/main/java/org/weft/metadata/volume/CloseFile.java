package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.Times;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * Ends a write grant. In order: the length is published and everything up to {@code completeUpTo}
 * is complete on every component. Abandoned: nothing is believed before the file was scrubbed, and
 * the grant lives on as the manager's until then.
 */
public record CloseFile(
    ObjectId object, Lsn number, long sizeBytes, long completeUpTo, boolean abandoned)
    implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NotCached, RpcException {
    WriteGrant grant = on.grants().requireHeld(number, object, on.session().id());
    if (sizeBytes < 0 || completeUpTo < 0) {
      throw new RpcException(
          ErrorCode.INVALID_ARGUMENT,
          "a length and a sequence number are not negative, got "
              + sizeBytes
              + " and "
              + completeUpTo);
    }
    Attributes file =
        on.view()
            .attributes(
                object,
                grant.map().attributeHolders(on.settings().metaCopies()),
                "object " + object);
    if (on.grants().isOrphan(object)) {
      new GrantEnd(on).removeOrphan(grant);
      return Replies.attributes(file);
    }
    if (abandoned) {
      on.draft().add(new LiveEffect.GrantScrub(number, object));
      return Replies.attributes(file);
    }
    Attributes closed =
        on.draft()
            .put(
                file.edit()
                    .sizeBytes(sizeBytes)
                    .times(new Times(on.nowMillis(), on.nowMillis(), file.times().atimeMillis()))
                    .build());
    on.draft().add(new LiveEffect.GrantClosed(number, object, completeUpTo));
    return Replies.attributes(closed);
  }
}
