package org.weft.metadata.volume.operation.length;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.HeldFile;
import org.weft.metadata.volume.operation.QuotaDesk;
import org.weft.metadata.volume.operation.Replies;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.AttributesReply;

/**
 * A writer shows how far it has come. Readers that open the file now see it up to there. Whatever
 * becomes of the writer, the file is never shorter again unless a client truncates it (P 4.3, 6.5).
 *
 * <p>The first length is journalled, with the note that later ones are not: see {@link
 * org.weft.metadata.volume.length.VolatileLengths}. After a later one the writer may be told to
 * keep the next ones to itself: see {@link org.weft.metadata.volume.length.DelegatedLengths}.
 *
 * @param sizeBytes everything before it is on all components that the map calls present
 * @param mayKeep the writer can be asked
 * @param changed bytes within the length were written, too, since it was last told
 * @param truncation how often the file had been cut when it had that length; empty: not said
 */
public record PublishLength(
    ObjectId object,
    Lsn number,
    long sizeBytes,
    long completeUpTo,
    boolean mayKeep,
    boolean changed,
    OptionalInt truncation)
    implements Operation {
  private static final long AHEAD_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Nothing but the length is another. */
  public PublishLength(
      ObjectId object, Lsn number, long sizeBytes, long completeUpTo, boolean mayKeep) {
    this(object, number, sizeBytes, completeUpTo, mayKeep, false);
  }

  /** A writer that does not state the truncation of its length. */
  public PublishLength(
      ObjectId object,
      Lsn number,
      long sizeBytes,
      long completeUpTo,
      boolean mayKeep,
      boolean changed) {
    this(object, number, sizeBytes, completeUpTo, mayKeep, changed, OptionalInt.empty());
  }

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    HeldFile held = HeldFile.requireSaying(on, object, number, sizeBytes, completeUpTo);
    Attributes file = held.file();
    long lengthBytes = held.grownTo(sizeBytes, truncation);
    new QuotaDesk(on).requireWithinShare(object, lengthBytes);
    if (on.lengths().isLive(object)) {
      tell(on, file, lengthBytes);
      AttributesReply reply = Replies.attributes(on.lengths().shown(file));
      Optional<Lsn> keptAsOf =
          keeps(held) ? on.lengths().delegated().keep(object, on.nowNanos()) : Optional.empty();
      return keptAsOf
          .map(question -> reply.toBuilder().setKeptAsOf(question.value()).build())
          .orElse(reply);
    }
    on.counters().mayTellUpTo(on.dayNanos() + AHEAD_NANOS);
    on.draft().add(new LiveEffect.LengthLive(object, true));
    return Replies.attributes(
        on.draft()
            .put(
                file.edit()
                    .unwritten(false)
                    .sizeBytes(lengthBytes)
                    .times(
                        changed || lengthBytes != file.sizeBytes()
                            ? held.changedNow(on)
                            : file.times())
                    .build()));
  }

  /**
   * Its time is known to no record. A record states from time to time up to when times may be told.
   * So another manager tells no earlier time, whatever its clock says.
   */
  private void tell(Execution on, Attributes file, long lengthBytes) {
    long whenNanos = file.times().after(on.dayNanos());
    if (whenNanos > on.counters().toldUpToNanos()) {
      on.counters().mayTellUpTo(whenNanos + AHEAD_NANOS);
    }
    on.lengths().tell(file, lengthBytes, changed, on.dayNanos());
  }

  /** Only one that is alone, and at ease, is asked. */
  private boolean keeps(HeldFile held) {
    return mayKeep
        && !held.grant().shared()
        && held.grant().state() == WriteGrant.State.HELD
        && held.file().truncation().trimBytes().isEmpty();
  }
}
