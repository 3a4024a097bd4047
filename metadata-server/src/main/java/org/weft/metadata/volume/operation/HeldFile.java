package org.weft.metadata.volume.operation;

import java.util.OptionalInt;
import java.util.OptionalLong;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.Times;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.FileLimits;
import org.weft.protocol.layout.RangeUse;

/**
 * A file and the write grant that the caller holds on it.
 *
 * @param file its attributes as they are published
 */
public record HeldFile(WriteGrant grant, Attributes file) {
  /**
   * What the caller names.
   *
   * @param completeUpTo last write sequence number that is complete; checked only
   * @throws WeftException GRANT_REVOKED if it is not the caller's, or has ended; UNAVAILABLE while
   *     it is not known how long the file is
   */
  public static HeldFile require(Execution on, ObjectId object, Lsn number, long completeUpTo)
      throws NeedsInput, WeftException {
    HeldFile held = leave(on, object, number, completeUpTo);
    on.lengths().requireHeard(object);
    return held;
  }

  /**
   * The same for a writer that says how far it has come. A writer that is alone thereby says all
   * that was ever published under its grant. So a manager that has just started need not wait for
   * more.
   */
  public static HeldFile requireSaying(
      Execution on, ObjectId object, Lsn number, long sizeBytes, long completeUpTo)
      throws NeedsInput, WeftException {
    FileLimits.requireFileLength("a length", sizeBytes);
    WriteGrant grant = on.grants().requireHeld(number, object, on.session().id());
    if (!on.lengths().isKnown(object) && !grant.shared() && on.grants().isAlone(grant)) {
      on.lengths().tellAgain(object, sizeBytes, OptionalInt.empty(), on.dayNanos());
      on.lengths().heard(object, on.nowNanos());
    }
    return require(on, object, number, completeUpTo);
  }

  /**
   * The same for a writer that may have published something.
   *
   * @param publishedBytes the largest length that it has published under the grant
   */
  public static HeldFile requireSaying(
      Execution on, ObjectId object, Lsn number, OptionalLong publishedBytes, long completeUpTo)
      throws NeedsInput, WeftException {
    return publishedBytes.isPresent()
        ? requireSaying(on, object, number, publishedBytes.getAsLong(), completeUpTo)
        : require(on, object, number, completeUpTo);
  }

  /**
   * @throws WeftException INVALID_ARGUMENT if the writer has to tell earlier lengths first
   */
  public void requireTold(Execution on) throws WeftException {
    if (on.lengths().delegated().isDelegated(file.object())) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "the writer of object "
              + file.object()
              + " keeps its length to itself; publish it before it is set");
    }
  }

  /** The same for a writer that neither tells nor learns a length. */
  public static HeldFile leave(Execution on, ObjectId object, Lsn number, long completeUpTo)
      throws NeedsInput, WeftException {
    WriteGrant grant = on.grants().requireHeld(number, object, on.session().id());
    requireNotNegative(completeUpTo, "a sequence number");
    return new HeldFile(grant, attributes(on, grant));
  }

  /** A file that is written is there: where no OSD answers for it, one may do so later. */
  public static Attributes attributes(Execution on, WriteGrant grant)
      throws NeedsInput, WeftException {
    try {
      return on.view()
          .attributes(
              grant.object(),
              grant.map().attributeHolders(on.settings().metaCopies()),
              "object " + grant.object());
    } catch (WeftException e) {
      throw e.code() == ErrorCode.NOT_FOUND
          ? new WeftException(ErrorCode.UNAVAILABLE, e.getMessage(), e)
          : e;
    }
  }

  /**
   * @throws WeftException UNAVAILABLE while writes under the grant are being resolved: until then
   *     it cannot end, and the file cannot be truncated
   */
  public void requireNotRenewing() throws WeftException {
    if (grant.renewing()) {
      throw WriteGrant.beingResolved(file.object());
    }
  }

  /**
   * @throws WeftException INVALID_ARGUMENT if the file is not shared: its writer owns all of it
   */
  public void requireShared() throws WeftException {
    if (!grant.shared()) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "object " + file.object() + " is not open shared: its one writer owns all of it");
    }
  }

  /**
   * @throws WeftException INVALID_ARGUMENT if the range splits stripes
   */
  public void requireStripes(ByteRange range) throws WeftException {
    long stripeBytes = file.map().layout().stripeBytes();
    if (!range.isAlignedTo(stripeBytes)) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "object "
              + file.object()
              + " is shared in stripes of "
              + stripeBytes
              + " bytes; "
              + range
              + " is not made of them");
    }
  }

  /**
   * No other writer has anything under way, and none can begin: there is none, or this one owns all
   * of the shared file (P 6.5.75).
   *
   * @throws WeftException INVALID_ARGUMENT if others may be writing. FENCED if what one of them
   *     left has to be put in order first, and another grant be asked for
   */
  public void requireWhole(Execution on, String what) throws WeftException {
    if (on.grants().isAlone(grant)) {
      return;
    }
    // Which grant owns what has no LSN of its own.
    on.view().sawAll();
    if (!on.grants().ranges().of(grant.number()).covers(ByteRange.ALL, RangeUse.WRITING)) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          what
              + " object "
              + file.object()
              + " takes a writer that is alone or owns all of it, and "
              + (on.grants().of(file.object()).size() - 1)
              + " others have it open shared; acquire all of it first");
    }
    if (grant.state() != WriteGrant.State.HELD) {
      throw new WeftException(
          ErrorCode.FENCED,
          "grant %s on object %s has ended together with that of another writer; ask for another grant"
              .formatted(grant.number(), file.object()));
    }
  }

  private static void requireNotNegative(long number, String what) throws WeftException {
    if (number < 0) {
      throw new WeftException(ErrorCode.INVALID_ARGUMENT, what + " is not negative, got " + number);
    }
  }

  /**
   * The length after a writer said that it wrote up to there. Within a truncation it never shrinks,
   * so that messages that overtake each other do no harm (P 4.3). Messages of a writer that has not
   * yet seen the last truncation, which another made, change nothing (P 6.5.78).
   *
   * @param truncation how often the file had been cut when it had that length; empty: unknown
   * @throws WeftException INVALID_ARGUMENT if a truncation has to be finished first: the bytes
   *     behind it still exist and must not reappear
   */
  public long grownTo(long sizeBytes, OptionalInt truncation) throws WeftException {
    FileLimits.requireFileLength("a length", sizeBytes);
    if (truncation.isPresent() && truncation.getAsInt() < file.truncation().number()) {
      return file.sizeBytes();
    }
    if (file.truncation().trimBytes().isPresent() && sizeBytes > file.sizeBytes()) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "the truncation of object "
              + file.object()
              + " to "
              + file.sizeBytes()
              + " bytes is not finished; finish it before the file grows to "
              + sizeBytes);
    }
    return Math.max(sizeBytes, file.sizeBytes());
  }

  /** Times of the file if its content changes now. */
  public Times changedNow(Execution on) {
    return file.times().changed(on.dayNanos());
  }
}
