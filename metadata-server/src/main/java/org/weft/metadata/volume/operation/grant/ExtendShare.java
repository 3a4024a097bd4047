package org.weft.metadata.volume.operation.grant;

import com.google.protobuf.MessageLite;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.HeldFile;
import org.weft.metadata.volume.operation.QuotaDesk;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.FileLimits;
import org.weft.protocol.wire.ExtendShareReply;

/**
 * A writer of a file in a tree with a quota wants to make it longer than its share lets it (P
 * 6.6a). Its new share is in the journal before the writer gets it, so that no later manager
 * promises it to others.
 *
 * <p>QUOTA_EXCEEDED if there is no room; the file stays open, and what was written is kept.
 *
 * @param patient answers BUSY instead of QUOTA_EXCEEDED while others may give back unused room
 */
public record ExtendShare(ObjectId object, Lsn number, long lengthBytes, boolean patient)
    implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    FileLimits.requireFileLength("a length", lengthBytes);
    HeldFile held = HeldFile.leave(on, object, number, 0);
    new QuotaDesk(on).extend(held.file(), lengthBytes, patient);
    ExtendShareReply.Builder reply = ExtendShareReply.newBuilder();
    new QuotaDesk(on).limitOf(object).ifPresent(reply::setLengthLimit);
    return reply.build();
  }
}
