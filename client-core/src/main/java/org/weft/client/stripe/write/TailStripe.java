package org.weft.client.stripe.write;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.base.FailureListener;
import org.weft.client.stripe.base.FileComponents;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.stripe.commit.FileWriteService;
import org.weft.client.stripe.commit.OwnRead;
import org.weft.client.stripe.commit.TermsReplaced;
import org.weft.client.stripe.read.StripeReader;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;

/**
 * The stored part of the stripe that an appended file ends in. A writer that appends a few bytes
 * and closes does not need it. They go as an XOR write over the zeros behind the end ({@link
 * KnownXorOrder}). It is read once more is written than that, and where no XOR write is possible.
 * That is so in small files, and where a component is missing (P 4.2, 5.3).
 *
 * <p>Used by one thread at a time.
 */
final class TailStripe {
  /** As many are cheaper XORed than all of the stripe is read. */
  private static final int MAX_XOR_BYTES = 16 << 10;

  private final StripeContext context;
  private final FileWriteService sender;
  private final FailureListener listener;
  private final Layout layout;
  private final long sizeBytes;
  private final int lengthBytes;
  private ByteBuffer bytes;
  private boolean added;

  /**
   * The tail of a file at rest.
   *
   * @param sizeBytes length of the file
   */
  TailStripe(
      StripeContext context, FileWriteService sender, FailureListener listener, long sizeBytes) {
    this.context = context;
    this.sender = sender;
    this.listener = listener;
    this.layout = sender.terms().file().layout();
    this.sizeBytes = sizeBytes;
    this.lengthBytes = (int) (sizeBytes % layout.stripeBytes());
  }

  int lengthBytes() {
    return lengthBytes;
  }

  /** Reads it before anything is written, if it will be needed in any case. */
  CompletableFuture<Void> readIfNeeded() {
    long stripe = layout.stripeOf(sizeBytes);
    boolean mayWait =
        lengthBytes == 0
            || !layout.isSmall(sizeBytes) && FileComponents.isWhole(sender.terms().file(), stripe);
    return mayWait ? CompletableFuture.completedFuture(null) : fetch(sender.terms());
  }

  private CompletableFuture<Void> fetch(WriteTerms terms) {
    ByteBuffer read = ByteBuffer.allocate(lengthBytes);
    return new StripeReader(context, terms.file(), readableBytes(), false, listener)
        .read(sizeBytes - lengthBytes, read)
        .thenAccept(count -> bytes = read.flip());
  }

  /**
   * What was added, or may have been, is in the parities too. For a read that decodes what is
   * before it, units behind the old end are no longer zeros.
   */
  private long readableBytes() {
    return added ? sizeBytes - lengthBytes + layout.stripeBytes() : sizeBytes;
  }

  /** Lays what has been read already under the stripe, if it has. */
  void supply(StripeBuffer stripe) {
    if (bytes != null) {
      stripe.supply(bytes);
      bytes = null;
    }
  }

  /** True if the stripe, with that many more bytes, can be stored without being read. */
  boolean mayStayUnread(StripeBuffer stripe, int moreBytes) {
    long from = stripe.storedBytes();
    long to = stripe.filledBytes() + moreBytes;
    return !added
        && to - from <= MAX_XOR_BYTES
        && to < layout.stripeBytes()
        && from / layout.unitBytes() == (to - 1) / layout.unitBytes();
  }

  /** Reads it, and lays it under the stripe. */
  CompletableFuture<Void> read(StripeBuffer stripe) {
    return OwnRead.of(context, sender, this::fetch).thenRun(() -> supply(stripe));
  }

  /**
   * Stores what is new in a stripe that may stay unread. It reads the stripe after all if the grant
   * is replaced meanwhile, for the manager has finished that write then, or dropped it. It also
   * does so if a block that it would change is damaged.
   */
  CompletableFuture<Void> add(StripeBuffer stripe, ErasureCode code) {
    added = true;
    long from = sizeBytes - lengthBytes + stripe.storedBytes();
    long to = sizeBytes - lengthBytes + stripe.filledBytes();
    StripeSpan span = StripeSpan.first(layout, from, to);
    long memoryBytes = (long) ColumnBuffers.bytesOf(span) * (layout.parityUnits() + 2);
    context.pool().reserve(memoryBytes);
    XorParts parts =
        new XorParts(
            context,
            span,
            stripe.news(),
            code,
            to,
            false,
            () -> context.pool().unreserve(memoryBytes));
    try {
      parts.overZeros();
    } catch (RuntimeException | Error e) {
      parts.release();
      throw e;
    }
    StripedFile file = sender.terms().file();
    return sender
        .submit(KnownXorOrder.behindTheEnd(parts, file, span.stripe(), false))
        .thenRun(stripe::markStored)
        .exceptionallyCompose(
            thrown ->
                isLeftToAStripeWrite(thrown)
                    ? read(stripe)
                    : CompletableFuture.failedFuture(thrown));
  }

  /** The manager has decided on it, or it was undone because something damaged was in its way. */
  private boolean isLeftToAStripeWrite(Throwable thrown) {
    return TermsReplaced.is(thrown)
        || WeftException.of(thrown).code() == ErrorCode.BAD_MEDIA && !sender.hasFailed();
  }
}
