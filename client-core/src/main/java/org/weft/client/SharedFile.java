package org.weft.client;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.weft.client.cluster.Backoff;
import org.weft.client.stripe.StripeUpdater;
import org.weft.client.volume.GrantCalls;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * A file that others may change at the same time (P 6.5): every operation first owns the stripes
 * that it touches. {@link OwnedRanges} keeps account of them, {@link StripeUpdater} carries the
 * bytes.
 */
final class SharedFile extends GrantedFile {
  private final StripeUpdater updater;
  private final HeldGrant grant;
  private final OwnedRanges ranges;
  private final Layout layout;
  private final Callbacks callbacks;
  private final Runnable deaf;
  private final Turns turns = new Turns();

  /**
   * A file at rest, under its grant.
   *
   * @param publishedBytes its length, as the manager knows it; what others have written behind it
   *     counts once some of this is near what they wrote
   */
  SharedFile(
      WeftPath path,
      StripeUpdater updater,
      HeldGrant grant,
      GrantCalls calls,
      long publishedBytes,
      Callbacks callbacks) {
    super(path, updater, grant, publishedBytes, callbacks);
    this.updater = updater;
    this.grant = grant;
    this.callbacks = callbacks;
    this.layout = updater.terms().file().map().layout();
    this.ranges = new OwnedRanges(new Ranges(calls), layout.stripeBytes());
    this.deaf = calls.watchRecalls(grant.held().objectId(), this::recalled);
  }

  /** One that was replaced meanwhile is asked for again under its new number. */
  private void recalled(long number, ByteRange range) {
    if (number == grant.held().number()) {
      ranges.recall(range);
    }
  }

  @Override
  CompletableFuture<Void> change(long positionBytes, ByteBuffer data) {
    long endBytes = positionBytes + data.remaining();
    return turns.take(
        () -> owning(positionBytes, endBytes, () -> updater.write(positionBytes, data)));
  }

  @Override
  boolean isWritable() {
    return super.isWritable() && ranges.isSound();
  }

  @Override
  CompletableFuture<Void> makeZeros(long positionBytes, long lengthBytes) {
    // Whoever owned it has said how far the file reaches there.
    long end =
        lengthBytes > MOST_BYTES - positionBytes ? ByteRange.END : positionBytes + lengthBytes;
    return owning(positionBytes, end, () -> updater.punch(positionBytes, lengthBytes));
  }

  /** Owns the stripes, makes the change, and lets others have them when it is complete. */
  private CompletableFuture<Void> owning(
      long fromBytes, long toBytes, Supplier<CompletableFuture<Void>> change) {
    // A file ceases to be small under one who owns its beginning: nobody else reads a copy of it.
    boolean grows = layout.isSmall(updater.sizeBytes()) && !layout.isSmall(toBytes);
    return ranges
        .own(new ByteRange(grows ? 0 : fromBytes, toBytes))
        .thenCompose(nothing -> change.get().whenComplete((changed, thrown) -> changed()));
  }

  /** After a failure nobody is to have them before the manager has put them in order. */
  private void changed() {
    if (updater.isWritable()) {
      ranges.done();
    } else {
      ranges.end();
    }
  }

  @Override
  public CompletableFuture<Void> setLength(long sizeBytes) {
    return callbacks.deliver(
        CompletableFuture.failedFuture(
            new RpcException(
                ErrorCode.INVALID_ARGUMENT,
                path()
                    + ": the length of a file that is open shared cannot be set; close it, and open"
                    + " it alone for that")));
  }

  @Override
  void leave() {
    deaf.run();
    ranges.end();
  }

  /** What is asked of the manager for the ranges. */
  private final class Ranges implements OwnedRanges.Source {
    private final GrantCalls calls;

    Ranges(GrantCalls calls) {
      this.calls = calls;
    }

    @Override
    public CompletableFuture<ByteRange> acquire(ByteRange range) {
      return grant
          .acquire(range)
          .thenApply(
              reply -> {
                // Whoever owned it before has published what it wrote there.
                updater.grown(reply.getSize());
                return ByteRange.fromMessage(reply.getFrom(), reply.getTo());
              });
    }

    @Override
    public CompletableFuture<?> release(ByteRange range) {
      updater.tellCompletion();
      return grant.release(range, written());
    }

    @Override
    public void renewGrant(RpcException why) {
      updater.renewGrant(why);
    }

    @Override
    public Backoff patience() {
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
