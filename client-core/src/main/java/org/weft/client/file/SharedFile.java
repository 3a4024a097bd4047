package org.weft.client.file;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.weft.client.callback.Callbacks;
import org.weft.client.stripe.write.StripeUpdater;
import org.weft.client.volume.GrantCalls;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.layout.FileLimits;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.RangeUse;
import org.weft.protocol.retry.Backoff;
import org.weft.protocol.wire.AcquireRangeReply;
import org.weft.protocol.wire.OwnedFor;

/**
 * A file that others may change at the same time (P 6.5). Every operation first owns the stripes
 * that it touches. A read owns them for reading, beside other readers, and all else owns them for
 * writing, alone. To set the length takes all of them. {@link OwnedRanges} keeps account of them,
 * {@link StripeUpdater} carries the bytes.
 */
final class SharedFile<S> extends GrantedFile<S> {
  private final StripeUpdater updater;
  private final HeldGrant grant;
  private final OwnedRanges ranges;
  private final Layout layout;
  private final Runnable deaf;

  /**
   * A file at rest, under its grant. What others have written behind the published length counts
   * once some of this is near what they wrote.
   */
  SharedFile(Opened<S> opened, Callbacks callbacks) {
    super(opened, callbacks);
    this.updater = opened.updater();
    this.grant = opened.grant();
    this.layout = opened.layout();
    this.ranges = new OwnedRanges(new Ranges(opened.calls()), layout.stripeBytes());
    this.deaf = opened.calls().watch(grant.held().objectId(), this::recalled);
  }

  /** One that was replaced meanwhile is asked for again under its new number. */
  private void recalled(long number, ByteRange range) {
    if (number == grant.held().number()) {
      ranges.recall(range);
    }
  }

  @Override
  <T> CompletableFuture<T> enter(
      ByteRange range, RangeUse use, Supplier<CompletableFuture<T>> call) {
    return owning(range.from(), range.to(), use, call);
  }

  @Override
  boolean isWritable() {
    return super.isWritable() && ranges.isSound();
  }

  @Override
  CompletableFuture<Void> makeZeros(long positionBytes, long lengthBytes) {
    // The client that owned the range has said how far the file reaches there.
    long end =
        lengthBytes > FileLimits.MAX_FILE_BYTES - positionBytes
            ? ByteRange.END
            : positionBytes + lengthBytes;
    return owning(
        positionBytes, end, RangeUse.WRITING, () -> updater.punch(positionBytes, lengthBytes));
  }

  /** Owns the stripes, makes the call, and lets others have them when it is complete. */
  private <T> CompletableFuture<T> owning(
      long fromBytes, long toBytes, RangeUse use, Supplier<CompletableFuture<T>> call) {
    ByteRange range = new ByteRange(growsLarge(toBytes) ? 0 : fromBytes, toBytes);
    return ranges
        .own(range, use)
        .thenCompose(
            nothing -> {
              if (range.from() > 0 && growsLarge(toBytes)) {
                // Another has cut the file meanwhile: it is small now.
                ranges.done(range);
                return owning(fromBytes, toBytes, use, call);
              }
              return CallSequencer.begun(call).whenComplete((done, thrown) -> over(range));
            });
  }

  /**
   * A file ceases to be small under a client that owns its beginning: no other one reads a copy of
   * that. It becomes small again only under one that owns all of it.
   */
  private boolean growsLarge(long toBytes) {
    return layout.isSmall(updater.sizeBytes()) && !layout.isSmall(toBytes);
  }

  /**
   * After a failure no client is to own the range before the manager has resolved the writes there.
   */
  private void over(ByteRange range) {
    if (updater.isWritable()) {
      ranges.done(range);
    } else {
      ranges.end();
    }
  }

  @Override
  void leave() {
    deaf.run();
    ranges.end();
  }

  /**
   * The next writer of the same blocks may have an older grant, and is put off until all components
   * know.
   */
  @Override
  void tellAtClose() {
    updater.tellCompletion();
  }

  /** What is asked of the manager for the ranges. */
  private final class Ranges implements OwnedRanges.Source {
    private final GrantCalls calls;

    Ranges(GrantCalls calls) {
      this.calls = calls;
    }

    @Override
    public CompletableFuture<OwnedRanges.Given> acquire(ByteRange range, RangeUse use) {
      return grant
          .acquire(range, use)
          .thenCompose(reply -> known(reply).thenApply(nothing -> given(reply)));
    }

    private OwnedRanges.Given given(AcquireRangeReply reply) {
      return new OwnedRanges.Given(
          ByteRange.fromMessage(reply.getFrom(), reply.getTo()),
          reply.getUse() == OwnedFor.OWNED_FOR_UNSTATED
              ? Optional.empty()
              : Optional.of(RangeUse.of(reply.getUse())));
    }

    /**
     * The client that owned it before has published what it wrote there, and all have given back
     * everything before one cut the file.
     */
    private CompletableFuture<Void> known(AcquireRangeReply reply) {
      if (reply.getHasTrim()) {
        return resize().finish(reply.getSize(), reply.getTruncationNumber());
      }
      if (reply.getTruncationNumber() > updater.length().cuts()) {
        writing().published(reply.getSize());
      }
      updater.found(reply.getSize(), reply.getTruncationNumber());
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> settle(ByteRanges leaving) {
      // Bytes that make the file large need its beginning too: they stay until that is owned.
      return gathering()
          .map(
              each ->
                  each.sendNow(
                      leaving, hull -> !growsLarge(hull.to()) || leaving.contains(beginning())))
          .orElseGet(() -> CompletableFuture.completedFuture(null));
    }

    private ByteRange beginning() {
      return new ByteRange(0, layout.stripeBytes());
    }

    @Override
    public CompletableFuture<Void> release(ByteRange range) {
      updater.tellCompletion();
      return telling(written -> grant.release(range, written)).thenAccept(attributes -> {});
    }

    @Override
    public boolean renewGrant(WeftException why) {
      updater.renewGrant(why);
      return updater.isWritable();
    }

    @Override
    public Backoff.Delays patience() {
      return calls.patience();
    }

    @Override
    public void later(long delayNanos, Runnable task) {
      calls.later(delayNanos, task);
    }

    @Override
    public long nowNanos() {
      return calls.nowNanos();
    }
  }
}
