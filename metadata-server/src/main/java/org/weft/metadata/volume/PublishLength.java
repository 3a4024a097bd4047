package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.rpc.RpcException;

/**
 * A writer shows how far it has come: readers that open the file now see it up to there, and
 * whatever becomes of the writer, it is never shorter again unless somebody cuts it (P 4.3, 6.5).
 *
 * @param sizeBytes everything before it is on all components that the map calls present
 */
public record PublishLength(ObjectId object, Lsn number, long sizeBytes, long completeUpTo)
    implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NotCached, RpcException {
    HeldFile held = HeldFile.require(on, object, number, completeUpTo);
    return Replies.attributes(
        on.draft()
            .put(
                held.file()
                    .edit()
                    .sizeBytes(held.grownTo(sizeBytes))
                    .times(held.changedNow(on))
                    .build()));
  }
}
