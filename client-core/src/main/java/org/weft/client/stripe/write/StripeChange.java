package org.weft.client.stripe.write;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.base.FailureListener;
import org.weft.client.stripe.base.FileComponents;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.stripe.commit.ComponentOrder;
import org.weft.client.stripe.commit.FileWriteService;
import org.weft.client.stripe.commit.OwnRead;
import org.weft.client.stripe.commit.TermsReplaced;
import org.weft.client.stripe.read.StripeReader;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;

/**
 * The change of one stripe by an update (P 5.3). Inside one data unit it is an XOR write, where a
 * stripe write would have to read the rest of the columns first. Else the columns are read as far
 * as they stay, encoded once, and sent as a stripe write. Whichever it is, from its beginning on no
 * other change of this writer touches what it looks at. All parts of an XOR write behind the end of
 * the file, and of one that is to be durable, are sent at once ({@link KnownXorOrder}). To read the
 * old bytes before takes less than a second sync of a disk after the first.
 *
 * <p>When the grant is replaced, a stripe write goes on with its values, and an XOR write begins
 * anew. The manager has finished or dropped it before it granted the next (P 5.5), so old bytes may
 * be read again. It begins as a stripe write if the stripe has lost a component, or if it went
 * behind the end. What lies there may no longer be zeros.
 */
final class StripeChange {
  /** Fewer data units are read as quickly as δ comes and goes. */
  private static final int MIN_UNITS_FOR_XOR = 3;

  /** What all changes of one writer share. */
  record Writer(
      StripeContext context,
      FileWriteService sender,
      StripeRoom room,
      StripeClaims claims,
      ErasureCode code,
      FailureListener listener) {}

  private final Writer writer;
  private final RangeUpdate.Range range;
  private final StripeSpan span;
  private final Layout layout;
  private final Function<WriteTerms, StripeReader> readerUnder;
  private final Runnable whenRead;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private StripeClaims.Claim claim;
  private boolean holdsRoom;
  private final AtomicBoolean isRead = new AtomicBoolean();

  /** Something was sent that may have stayed behind the end of the file. */
  private boolean added;

  /** A block is damaged that an XOR write would have to read. */
  private boolean heals;

  /**
   * A change for which the writer has room.
   *
   * @param readerUnder reads the file's old bytes
   * @param whenRead runs once, when nothing is read any more
   */
  StripeChange(
      Writer writer,
      RangeUpdate.Range range,
      StripeSpan span,
      Function<WriteTerms, StripeReader> readerUnder,
      Runnable whenRead) {
    this.writer = writer;
    this.range = range;
    this.span = span;
    this.layout = span.layout();
    this.readerUnder = readerUnder;
    this.whenRead = whenRead;
  }

  /**
   * Completes when every component has acknowledged it; fails if it was not written, or may only be
   * half written because the whole writing has failed.
   */
  CompletableFuture<Void> start() {
    guarded(this::plan);
    return done;
  }

  /**
   * A broken invariant, or want of memory, ends this change: nothing else would, and other changes
   * wait for its stripe and its room.
   */
  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      ended(WeftException.of(e));
    }
  }

  /** Decides how, as the components are now. Has been given room, and no claim. */
  private void plan() {
    holdsRoom = true;
    boolean whole = !heals && FileComponents.isWhole(writer.sender().terms().file(), span.stripe());
    if (whole && isForXor() && range.durable()) {
      begin(writer.claims().take(span.stripe()), this::readForXor);
    } else if (whole && isForXor()) {
      int unit = span.fromBytes() / layout.unitBytes();
      begin(writer.claims().takeUnit(span.stripe(), unit), this::xor);
    } else if (whole && isForAppend()) {
      begin(writer.claims().take(span.stripe()), this::append);
    } else {
      begin(writer.claims().take(span.stripe()), () -> read(newValues()));
    }
  }

  private void begin(CompletableFuture<StripeClaims.Claim> claimed, Runnable change) {
    var unused =
        claimed.thenAccept(
            mine -> {
              claim = mine;
              guarded(change);
            });
  }

  /** Bytes that the file has had, inside one data unit, among others that are stored (P 5.3). */
  private boolean isForXor() {
    return layout.dataUnits() >= MIN_UNITS_FOR_XOR
        && isInOneUnit()
        && span.endInFile() <= range.oldEndBytes()
        && OldBytes.unitsStored(span, range.oldEndBytes()) > 1;
  }

  /** With parities, in a file that is not small and is not being cut. */
  private boolean isInOneUnit() {
    int unitBytes = layout.unitBytes();
    boolean oneUnit = span.fromBytes() / unitBytes == (span.toBytes() - 1) / unitBytes;
    return oneUnit
        && layout.parityUnits() > 0
        && !layout.isSmall(range.readableBytes())
        && range.readableBytes() == range.oldEndBytes()
        && range.establishes().truncationNumber().isEmpty();
  }

  /**
   * Bytes behind the end of the file, inside one data unit of its last stripe, where all components
   * are there. A stripe write would have to read others (P 5.3).
   */
  private boolean isForAppend() {
    return !added
        && range.data() != null
        && isInOneUnit()
        && range.oldEndBytes() > span.stripeStart()
        && span.stripeStart() + span.fromBytes() >= range.oldEndBytes()
        && OldBytes.unitsStored(span, range.oldEndBytes()) > 0;
  }

  private void xor() {
    submit(new XorOrder(parts(range.establishes().eofBytes()), span.stripe()));
  }

  /** Reads what the new bytes take the place of; the whole stripe is claimed for that. */
  private void readForXor() {
    XorParts parts = parts(range.establishes().eofBytes());
    int unit = span.fromBytes() / layout.unitBytes();
    long offset = span.stripeStart() + (long) unit * layout.unitBytes() + span.columnsStart();
    int stored = (int) Math.min(span.columnsBytes(), range.oldEndBytes() - offset);
    var unused =
        OwnRead.of(
                writer.context(),
                writer.sender(),
                terms -> readerUnder.apply(terms).read(offset, parts.old(stored)))
            .whenComplete(
                (nothing, thrown) -> {
                  if (thrown == null) {
                    writer.context().execute(() -> guarded(() -> sendOver(parts)));
                  } else {
                    parts.release();
                    ended(WeftException.of(thrown));
                  }
                });
  }

  private void sendOver(XorParts parts) {
    StripedFile file = writer.sender().terms().file();
    submit(parts, XorParts::overOld, () -> KnownXorOrder.over(parts, file, span.stripe()));
  }

  private void append() {
    StripedFile file = writer.sender().terms().file();
    XorParts parts = parts(Math.max(range.establishes().eofBytes(), span.endInFile()));
    added = true;
    submit(
        parts,
        XorParts::overZeros,
        () -> KnownXorOrder.behindTheEnd(parts, file, span.stripe(), true));
  }

  /** An order whose δ is computed first. */
  private void submit(XorParts parts, Consumer<XorParts> delta, Supplier<KnownXorOrder> order) {
    try {
      delta.accept(parts);
    } catch (RuntimeException | Error e) {
      parts.release();
      throw e;
    }
    submit(order.get());
  }

  private XorParts parts(long eofBytes) {
    ByteBuffer data = data();
    // From here on it goes back with the order's memory.
    holdsRoom = false;
    return new XorParts(
        writer.context(),
        span,
        data,
        writer.code(),
        eofBytes,
        range.durable(),
        writer.room()::freed);
  }

  private void submit(ComponentOrder order) {
    readIsOver();
    var unused =
        writer
            .sender()
            .submit(order)
            .whenComplete(
                (nothing, thrown) -> {
                  heals |= thrown != null && isDamage(order, thrown);
                  if (thrown != null && (heals || TermsReplaced.is(thrown))) {
                    writer.context().execute(() -> guarded(this::planAgain));
                  } else {
                    ended(thrown == null ? null : WeftException.of(thrown));
                  }
                });
  }

  /** It was undone because something damaged was in its way, which a stripe write heals. */
  private boolean isDamage(ComponentOrder order, Throwable thrown) {
    return order instanceof KnownXorOrder
        && !TermsReplaced.is(thrown)
        && WeftException.of(thrown).code() == ErrorCode.BAD_MEDIA
        && !writer.sender().hasFailed();
  }

  /** The room went back with the order. */
  private void planAgain() {
    giveBackClaim(false);
    switch (writer.room().takeOrWait(() -> guarded(this::planAgain))) {
      case TAKEN -> plan();
      case ENDED -> ended(RangeUpdate.whyEnded(writer.sender()));
      case NONE -> {}
    }
  }

  /** The new bytes, from the buffer's position on; null for zeros. */
  private ByteBuffer data() {
    return range.data() == null ? null : range.data().from(span.stripeStart() + span.fromBytes());
  }

  private StripeValues newValues() {
    StripeValues.Establishes least = range.establishes();
    long end = range.data() == null ? 0 : span.endInFile();
    StripeValues.Establishes establishes =
        new StripeValues.Establishes(Math.max(least.eofBytes(), end), least.truncationNumber());
    holdsRoom = false;
    return new StripeValues(
        span, writer.context().pool(), establishes, range.durable(), writer.room()::freed);
  }

  private void read(StripeValues values) {
    var unused =
        OwnRead.of(
                writer.context(),
                writer.sender(),
                terms -> OldBytes.into(values, reader(terms), range.oldEndBytes()))
            .whenComplete(
                (nothing, thrown) -> {
                  if (thrown == null) {
                    writer.context().execute(() -> guarded(() -> send(values)));
                    readIsOver();
                  } else {
                    values.release();
                    ended(WeftException.of(thrown));
                  }
                });
  }

  /** What was added is in the parities too, by which lost units of the stripe are decoded. */
  private StripeReader reader(WriteTerms terms) {
    long stripeEnd = span.stripeStart() + layout.stripeBytes();
    return added
        ? new StripeReader(writer.context(), terms.file(), stripeEnd, false, writer.listener())
        : readerUnder.apply(terms);
  }

  private void send(StripeValues values) {
    try {
      ByteBuffer data = data();
      if (data == null) {
        values.overlayZeros();
      } else {
        values.overlay(data);
      }
      values.encode(writer.code());
    } catch (RuntimeException | Error e) {
      values.release();
      throw e;
    }
    var unused =
        writer
            .sender()
            .send(values)
            .whenComplete(
                (nothing, thrown) -> ended(thrown == null ? null : WeftException.of(thrown)));
  }

  private void readIsOver() {
    if (isRead.compareAndSet(false, true)) {
      whenRead.run();
    }
  }

  /**
   * After a change that is complete, the claim is kept until its components can be told so.
   * Otherwise they would put off the next change of the same blocks, which comes back after a
   * longer pause.
   */
  private void giveBackClaim(boolean complete) {
    if (claim == null) {
      return;
    }
    StripeClaims.Claim held = claim;
    claim = null;
    if (complete) {
      var unused = writer.sender().covered().thenRun(() -> writer.claims().giveBack(held));
    } else {
      writer.claims().giveBack(held);
    }
  }

  private void ended(WeftException problem) {
    if (holdsRoom) {
      holdsRoom = false;
      writer.room().freed();
    }
    giveBackClaim(problem == null);
    if (problem == null) {
      done.complete(null);
    } else {
      done.completeExceptionally(problem);
    }
    readIsOver();
  }
}
