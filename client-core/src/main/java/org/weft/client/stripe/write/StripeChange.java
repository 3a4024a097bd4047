package org.weft.client.stripe.write;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.base.FailureListener;
import org.weft.client.stripe.base.FileComponents;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.stripe.commit.FileWriteService;
import org.weft.client.stripe.commit.OwnRead;
import org.weft.client.stripe.commit.TermsReplaced;
import org.weft.client.stripe.read.StripeReader;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;

/**
 * The change of one stripe by an update (P 5.3). Inside one data unit, where a stripe write would
 * have to read the rest of the columns first, it is an XOR write; else the columns are read as far
 * as they stay, encoded once, and sent as a stripe write. Whichever it is, from its beginning on no
 * other change of this writer touches what it looks at.
 *
 * <p>When the grant is replaced, a stripe write goes on with its values, and an XOR write begins
 * anew: the manager has finished or dropped it before it granted the next (P 5.5), so that old
 * bytes may be read again; as a stripe write if the stripe has lost a component.
 */
final class StripeChange {
  /** Fewer data units are read as quickly as δ comes and goes. */
  private static final int LEAST_UNITS_FOR_XOR = 3;

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
    boolean xor =
        isForXor() && FileComponents.isWhole(writer.sender().terms().file(), span.stripe());
    int unit = span.fromBytes() / layout.unitBytes();
    CompletableFuture<StripeClaims.Claim> claimed =
        xor ? writer.claims().takeUnit(span.stripe(), unit) : writer.claims().take(span.stripe());
    var unused =
        claimed.thenAccept(
            mine -> {
              claim = mine;
              guarded(xor ? this::xor : () -> read(newValues()));
            });
  }

  /** Bytes that the file has had, inside one data unit, among others that are stored (P 5.3). */
  private boolean isForXor() {
    int unitBytes = layout.unitBytes();
    boolean oneUnit = span.fromBytes() / unitBytes == (span.toBytes() - 1) / unitBytes;
    return layout.dataUnits() >= LEAST_UNITS_FOR_XOR
        && layout.parityUnits() > 0
        && oneUnit
        && !layout.isSmall(range.readableBytes())
        && range.readableBytes() == range.oldEndBytes()
        && range.establishes().truncationNumber().isEmpty()
        && span.endInFile() <= range.oldEndBytes()
        && OldBytes.unitsStored(span, range.oldEndBytes()) > 1;
  }

  private void xor() {
    ByteBuffer data = data();
    // From here on it goes back with the order's memory.
    holdsRoom = false;
    XorParts parts =
        new XorParts(
            writer.context(),
            span,
            data,
            writer.code(),
            range.establishes().eofBytes(),
            writer.room()::freed);
    XorOrder order = new XorOrder(parts, span.stripe());
    readIsOver();
    var unused =
        writer
            .sender()
            .submit(order)
            .whenComplete(
                (nothing, thrown) -> {
                  if (thrown != null && TermsReplaced.is(thrown)) {
                    writer.context().execute(() -> guarded(this::planAgain));
                  } else {
                    ended(thrown == null ? null : WeftException.of(thrown));
                  }
                });
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
    return new StripeValues(span, writer.context().pool(), establishes, writer.room()::freed);
  }

  private void read(StripeValues values) {
    var unused =
        OwnRead.of(
                writer.context(),
                writer.sender(),
                terms -> OldBytes.into(values, readerUnder.apply(terms), range.oldEndBytes()))
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
   * After a change that is complete, not before its components can be told so: the next one on the
   * same blocks would be put off by them, and come back after a pause that is longer.
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
