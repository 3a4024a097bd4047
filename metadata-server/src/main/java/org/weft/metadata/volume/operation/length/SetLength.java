package org.weft.metadata.volume.operation.length;

import com.google.protobuf.MessageLite;
import java.util.OptionalLong;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.Truncation;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.HeldFile;
import org.weft.metadata.volume.operation.Replies;
import org.weft.metadata.volume.state.NotCached;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.FileLimits;

/**
 * Changes the published length under a write grant (P 4.3). Downward begins a truncation: from this
 * record on the file has the new length and the next truncation number, and {@code trim} stays set
 * until its holder, or the next one that is granted the file, has cut the components and said so
 * ({@link FinishTrim}). Upward the length is all that changes.
 *
 * <p>A writer publishes what it has written before it cuts: what lies behind the published length
 * is no part of the file yet.
 *
 * @param publishedBytes the largest length that was published under the grant, if one was
 */
public record SetLength(
    ObjectId object, Lsn number, long sizeBytes, long completeUpTo, OptionalLong publishedBytes)
    implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NotCached, WeftException {
    HeldFile held = HeldFile.requireSaying(on, object, number, publishedBytes, completeUpTo);
    held.requireNotRenewing();
    held.requireTold(on);
    FileLimits.requireFileLength("a length", sizeBytes);
    held.requireAlone(on, "setting the length of");
    Attributes file = held.file();
    if (sizeBytes == file.sizeBytes()) {
      // The writer counts on it that whatever it published before is in the journal now.
      return Replies.attributes(on.lengths().isLive(object) ? on.draft().put(file) : file);
    }
    Truncation truncation = file.truncation();
    if (sizeBytes < file.sizeBytes()) {
      truncation = new Truncation(truncation.number() + 1, OptionalLong.of(sizeBytes));
    } else {
      // Refuses to grow a file whose cut is not finished.
      held.grownTo(sizeBytes);
    }
    return Replies.attributes(
        on.draft()
            .put(
                file.edit()
                    .sizeBytes(sizeBytes)
                    .truncation(truncation)
                    .times(held.changedNow(on))
                    .build()));
  }
}
