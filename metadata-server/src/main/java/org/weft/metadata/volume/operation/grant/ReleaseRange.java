package org.weft.metadata.volume.operation.grant;

import com.google.protobuf.MessageLite;
import java.util.OptionalInt;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.grant.RangeTable;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.HeldFile;
import org.weft.metadata.volume.operation.Replies;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.OwnedStripes;

/**
 * One of the writers that share a file gives whole stripes of it back (P 6.5), whatever it owned
 * them for. Stripes that it does not own are no error. Everything that it wrote there is complete.
 * The length is published in the same record, so that the next owner knows of what was written. A
 * superseded grant may do so too. Its writes are resolved before another writer gets the stripes.
 *
 * @param sizeBytes everything before it is on all components that the map calls present
 * @param changed bytes within the length were written, too, since it was last told
 * @param truncation how often the file had been cut when it had that length; empty: not said
 */
public record ReleaseRange(
    ObjectId object,
    Lsn number,
    ByteRange range,
    long sizeBytes,
    long completeUpTo,
    boolean changed,
    OptionalInt truncation)
    implements Operation {
  /** Nothing but the length is another. */
  public ReleaseRange(
      ObjectId object, Lsn number, ByteRange range, long sizeBytes, long completeUpTo) {
    this(object, number, range, sizeBytes, completeUpTo, false, OptionalInt.empty());
  }

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    HeldFile held = HeldFile.require(on, object, number, completeUpTo);
    held.requireShared();
    held.requireStripes(range);
    RangeTable ranges = on.grants().ranges();
    OwnedStripes owned = ranges.of(number);
    if (owned.overlaps(range)) {
      OwnedStripes left = owned.minus(range);
      ranges.requireRoom(number, left);
      on.draft().add(new LiveEffect.GrantRanges(number, object, left));
    }
    Attributes file = held.file();
    long lengthBytes = held.grownTo(sizeBytes, truncation);
    // The release may be in a record that changed nothing else of the file.
    on.view().sawAll();
    return Replies.attributes(
        lengthBytes == file.sizeBytes() && !changed
            ? file
            : on.draft()
                .put(file.edit().sizeBytes(lengthBytes).times(held.changedNow(on)).build()));
  }
}
