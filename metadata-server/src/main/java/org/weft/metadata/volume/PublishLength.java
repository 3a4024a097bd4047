package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.journal.LiveEffect;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.rpc.RpcException;

/**
 * A writer shows how far it has come: readers that open the file now see it up to there, and
 * whatever becomes of the writer, it is never shorter again unless somebody cuts it (P 4.3, 6.5).
 *
 * <p>The first length is journalled, with the word that later ones are not: see {@link
 * LiveLengths}.
 *
 * @param sizeBytes everything before it is on all components that the map calls present
 */
public record PublishLength(ObjectId object, Lsn number, long sizeBytes, long completeUpTo)
    implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NotCached, RpcException {
    HeldFile held = HeldFile.requireSaying(on, object, number, sizeBytes, completeUpTo);
    Attributes file = held.file();
    long lengthBytes = held.grownTo(sizeBytes);
    if (on.lengths().isLive(object)) {
      on.lengths().tell(object, lengthBytes, on.nowMillis());
      return Replies.attributes(on.lengths().shown(file));
    }
    on.draft().add(new LiveEffect.LengthLive(object, true));
    return Replies.attributes(
        on.draft().put(file.edit().sizeBytes(lengthBytes).times(held.changedNow(on)).build()));
  }

  /** After a cut a late repeat would bring the length of before it back. */
  @Override
  public boolean isAnsweredOnce() {
    return true;
  }
}
