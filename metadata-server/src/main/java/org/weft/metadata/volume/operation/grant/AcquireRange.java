package org.weft.metadata.volume.operation.grant;

import com.google.protobuf.MessageLite;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.weft.metadata.attributes.Truncation;
import org.weft.metadata.grant.GrantTable;
import org.weft.metadata.grant.RecallTable;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.HeldFile;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.OwnedStripes;
import org.weft.protocol.layout.RangeUse;
import org.weft.protocol.wire.AcquireRangeReply;

/**
 * One of the writers that share a file wants to own whole stripes of it, to write there or only to
 * read there (P 6.5). A writer that is alone is given the whole file for that. Otherwise it gets
 * the requested range, at once and as a whole, or nothing. Then the owners that exclude it are
 * asked to give back, and the writer that came first gets it first. Readers exclude each other
 * never, and a reader waits behind a writer that came before it.
 *
 * <p>The reply says how long the file is, and how often it was cut: another may have done so. A
 * truncation may be unfinished because its writer is gone. Then a reader or writer is given the
 * whole file for writing or nothing, and finishes the truncation before anything else (P 6.5.79).
 *
 * <p>BUSY while others own some of it or wait for it, so that it cannot be owned; to be asked
 * again. FENCED if the grant is superseded, or the file's map newer than it: its holder is to ask
 * for another.
 */
public record AcquireRange(ObjectId object, Lsn number, ByteRange range, RangeUse use)
    implements Operation {
  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    HeldFile held = HeldFile.require(on, object, number, 0);
    held.requireShared();
    held.requireStripes(range);
    Truncation truncation = held.file().truncation();
    boolean isCut = truncation.trimBytes().isPresent();
    AcquireRange given =
        isCut ? new AcquireRange(object, number, ByteRange.ALL, RangeUse.WRITING) : this;
    return given
        .acquired(on, held, !given.equals(this))
        .setTruncationNumber(truncation.number())
        .setHasTrim(isCut)
        .build();
  }

  private AcquireRangeReply.Builder acquired(Execution on, HeldFile held, boolean widened)
      throws WeftException {
    WriteGrant grant = held.grant();
    // Which grant owns what has no LSN of its own.
    on.view().sawAll();
    requireInForce(held);
    GrantTable grants = on.grants();
    OwnedStripes owned = grants.ranges().of(number);
    boolean isNew = !owned.covers(range, use);
    boolean alone = grants.isAlone(grant);
    if (!alone) {
      requireFree(on, isNew, widened);
    }
    if (isNew) {
      owned = owned.plus(alone ? ByteRange.ALL : range, use);
      grants.ranges().requireRoom(number, owned);
      on.draft().add(new LiveEffect.GrantRanges(number, object, owned));
    }
    on.recalls().served(object, number, owned);
    ByteRange given = owned.ownedFor(use).around(range.from()).orElseThrow();
    return AcquireRangeReply.newBuilder()
        .setFrom(given.from())
        .setTo(given.toInMessage())
        .setSize(held.file().sizeBytes())
        .setUse(use.toMessage());
  }

  private void requireInForce(HeldFile held) throws WeftException {
    if (held.grant().state() != WriteGrant.State.HELD) {
      throw new WeftException(
          ErrorCode.FENCED,
          "grant "
              + number
              + " on object "
              + object
              + " has ended together with that of another writer; ask for another grant");
    }
    if (held.file().map().generation() > held.grant().map().generation()) {
      throw new WeftException(
          ErrorCode.FENCED,
          "object "
              + object
              + " is at generation "
              + held.file().map().generation()
              + " of its map and grant "
              + number
              + " at "
              + held.grant().map().generation()
              + "; ask for another grant");
    }
  }

  /**
   * No other grant owns it so that this one cannot, and none that it is new to came before. Ranges
   * that are not new are checked as well. So no record of a journal makes the manager grant a range
   * twice (P 6.5.106).
   */
  private void requireFree(Execution on, boolean isNew, boolean widened) throws WeftException {
    GrantTable grants = on.grants();
    List<WriteGrant> owners = grants.ownersOf(object, range, use, number);
    RecallTable.Want want = new RecallTable.Want(number, range, use, widened);
    Optional<Lsn> ahead =
        isNew ? on.recalls().ahead(object, want, on.nowNanos()) : Optional.empty();
    if (owners.isEmpty() && ahead.isEmpty()) {
      return;
    }
    on.recalls().waits(object, want, on.nowNanos());
    on.wanted(object);
    WriteGrant first =
        owners.isEmpty() ? grants.find(ahead.orElseThrow()).orElseThrow() : owners.get(0);
    throw new WeftException(
        ErrorCode.BUSY,
        "bytes "
            + range
            + " of object "
            + object
            + " are wanted for "
            + use.name().toLowerCase(Locale.ROOT)
            + (owners.isEmpty() ? ", are waited for by " : ", are owned in part by ")
            + first.clientName()
            + ", which shares the file since "
            + Instant.ofEpochMilli(first.sinceMillis())
            + (owners.isEmpty() ? " and asked first" : " and is asked to give them back")
            + "; ask again");
  }
}
