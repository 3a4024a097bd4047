package org.weft.metadata.volume.operation.grant;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import java.util.OptionalInt;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.GrantEnd;
import org.weft.metadata.volume.operation.HeldFile;
import org.weft.metadata.volume.operation.Replies;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.FileLimits;

/**
 * Ends a write grant. In order: the length is published and everything up to {@code completeUpTo}
 * is complete on every component. Abandoned: no length is believed before the file was resolved,
 * and the grant stays the manager's until then.
 *
 * @param unwritten no write was sent to any OSD under the grant
 * @param changed bytes were written since the length was last told; empty: unknown
 * @param truncation how often the file had been cut when it had that length; empty: not said
 */
public record CloseFile(
    ObjectId object,
    Lsn number,
    long sizeBytes,
    long completeUpTo,
    boolean abandoned,
    boolean unwritten,
    Optional<Boolean> changed,
    OptionalInt truncation)
    implements Operation {
  /** A writer that does not report its last changes. */
  public CloseFile(
      ObjectId object,
      Lsn number,
      long sizeBytes,
      long completeUpTo,
      boolean abandoned,
      boolean unwritten) {
    this(
        object,
        number,
        sizeBytes,
        completeUpTo,
        abandoned,
        unwritten,
        Optional.empty(),
        OptionalInt.empty());
  }

  /** Nothing was sent to any OSD, and nothing is said of the file. */
  public static CloseFile unwritten(ObjectId object, Lsn number) {
    return new CloseFile(object, number, 0, 0, false, true);
  }

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    return Replies.attributes(end(on));
  }

  /** Ends the grant; gives the file as it is then. */
  Attributes end(Execution on) throws NeedsInput, WeftException {
    FileLimits.requireFileLength("a length", sizeBytes);
    HeldFile held =
        abandoned
            ? HeldFile.leave(on, object, number, completeUpTo)
            : HeldFile.requireSaying(on, object, number, sizeBytes, completeUpTo);
    Attributes file = held.file();
    if (on.isForsakenBut(held.grant())) {
      new GrantEnd(on).removeOrphan(object);
      return file;
    }
    if (abandoned) {
      on.draft().add(new LiveEffect.GrantResolving(number, object));
      return file;
    }
    held.requireNotRenewing();
    on.draft().add(new LiveEffect.GrantClosed(number, object, completeUpTo));
    boolean sentNothing = unwritten || sizeBytes == 0 && isUntouched(file);
    if (completeUpTo == 0 && sentNothing && held.grant().suspects().isEmpty()) {
      // Nothing was written under it that an OSD could lose with its power.
      on.draft().add(new LiveEffect.GrantSettled(number));
    }
    long lengthBytes = held.grownTo(sizeBytes, truncation);
    boolean stillUnwritten = file.unwritten() && unwritten;
    boolean sameBytes = lengthBytes == file.sizeBytes() && !changed.orElse(completeUpTo != 0);
    boolean sameFile = sameBytes && file.unwritten() == stillUnwritten;
    // Where something was written the record says so: see Replies.readGrant.
    if (sameFile && completeUpTo == 0 && !on.lengths().isLive(object)) {
      return file;
    }
    return on.draft()
        .put(
            file.edit()
                .unwritten(stillUnwritten)
                .sizeBytes(lengthBytes)
                .times(sameBytes && changed.isPresent() ? file.times() : held.changedNow(on))
                .build());
  }

  private static boolean isUntouched(Attributes file) {
    return file.sizeBytes() == 0 && file.truncation().number() == 0;
  }
}
