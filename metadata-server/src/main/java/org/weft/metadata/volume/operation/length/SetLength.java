package org.weft.metadata.volume.operation.length;

import com.google.protobuf.MessageLite;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.Truncation;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.session.Session;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.GrantEnd;
import org.weft.metadata.volume.operation.GrantStart;
import org.weft.metadata.volume.operation.HeldFile;
import org.weft.metadata.volume.operation.Replies;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.FileLimits;
import org.weft.protocol.layout.OwnedStripes;
import org.weft.protocol.layout.RangeUse;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.Grant;

/**
 * Changes the published length under a write grant (P 4.3). Downward begins a truncation: from this
 * record on the file has the new length and the next truncation number. {@code trim} stays set
 * until its holder has cut the components and said so ({@link FinishTrim}). If the holder does not,
 * the next client that is granted the file does so first. Upward the length is all that changes.
 *
 * <p>A writer publishes what it has written before it cuts: what lies behind the published length
 * is no part of the file yet. A client that shares the file owns all of it meanwhile (P 6.5.75).
 * The others have published what they wrote by then, and hear of the truncation when they ask for a
 * range.
 *
 * <p>Components give back only blocks that are not newer than the cut (P 4.3). So a truncation of a
 * shared file is made under a grant that is newer than all under which it was written. This record
 * gives that grant, in the place of the writer's. The other grants are superseded; what is written
 * later is newer than the cut, too (P 6.5.76).
 *
 * @param publishedBytes the largest length that was published under the grant, if one was
 */
public record SetLength(
    ObjectId object, Lsn number, long sizeBytes, long completeUpTo, OptionalLong publishedBytes)
    implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    HeldFile held = HeldFile.requireSaying(on, object, number, publishedBytes, completeUpTo);
    held.requireNotRenewing();
    held.requireTold(on);
    FileLimits.requireFileLength("a length", sizeBytes);
    held.requireWhole(on, "setting the length of");
    Attributes file = held.file();
    if (sizeBytes == file.sizeBytes()) {
      // The writer counts on it that whatever it published before is in the journal now.
      return Replies.attributes(on.lengths().isLive(object) ? on.draft().put(file) : file);
    }
    boolean cuts = sizeBytes < file.sizeBytes();
    Truncation truncation = file.truncation();
    if (cuts) {
      requireFollowed(on);
      truncation = new Truncation(truncation.number() + 1, OptionalLong.of(sizeBytes));
    } else {
      // Refuses to grow a file whose truncation is not finished.
      held.grownTo(sizeBytes, OptionalInt.empty());
    }
    Attributes set =
        on.draft()
            .put(
                file.edit()
                    .sizeBytes(sizeBytes)
                    .truncation(truncation)
                    .times(held.changedNow(on))
                    .build());
    AttributesReply reply = Replies.attributes(set);
    return cuts && held.grant().shared()
        ? reply.toBuilder().setGrant(newest(on, set)).build()
        : reply;
  }

  /**
   * A client of an earlier release that shares the file would go on with the length of before, and
   * publish it (P 6.5.109).
   */
  private void requireFollowed(Execution on) throws WeftException {
    for (WriteGrant other : on.grants().of(object)) {
      boolean follows =
          other.number().equals(number)
              || other.resolving()
              || on.sessions().find(other.session()).map(Session::followsCuts).orElse(true);
      if (!follows) {
        throw new WeftException(
            ErrorCode.UNSUPPORTED,
            "object "
                + object
                + " is not truncated while "
                + other.clientName()
                + " has it open shared: that client, or the manager that it began with, is of an"
                + " earlier release, which goes on with the length of before; have it close the"
                + " file, or upgrade it and start it again");
      }
    }
  }

  private Grant newest(Execution on, Attributes file) {
    Lsn next = on.draft().lsn();
    on.draft().add(new LiveEffect.GrantClosed(number, object, completeUpTo));
    new GrantEnd(on).supersede(object, other -> !other.number().equals(number));
    new GrantStart(on).open(file, next, true);
    on.draft()
        .add(
            new LiveEffect.GrantRanges(
                next, object, OwnedStripes.NONE.plus(ByteRange.ALL, RangeUse.WRITING)));
    return Replies.updateGrant(on, file, next).toBuilder().setShared(true).build();
  }
}
