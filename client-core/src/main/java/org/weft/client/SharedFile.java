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
final class SharedFile implements WeftFile {
  private static final long MOST_BYTES = 1L << 60;

  private final WeftPath path;
  private final StripeUpdater updater;
  private final HeldGrant grant;
  private final GrantedWriting writing;
  private final OwnedRanges ranges;
  private final Layout layout;
  private final Callbacks callbacks;
  private final Runnable deaf;
  private final Turns turns = new Turns();

  /**
   * A file at rest, under its grant.
   *
   * @param publishedBytes its length, as the manager knows it
   */
  SharedFile(
      WeftPath path,
      StripeUpdater updater,
      HeldGrant grant,
      GrantCalls calls,
      long publishedBytes,
      Callbacks callbacks) {
    this.path = path;
    this.updater = updater;
    this.grant = grant;
    this.callbacks = callbacks;
    this.layout = updater.terms().file().map().layout();
    this.ranges = new OwnedRanges(new Ranges(calls), layout.stripeBytes());
    this.writing =
        new GrantedWriting(path, grant, publishedBytes, this::drop, "open it again", callbacks);
    this.deaf = calls.watchRecalls(grant.held().objectId(), this::recalled);
  }

  /** One that was replaced meanwhile is asked for again under its new number. */
  private void recalled(long number, ByteRange range) {
    if (number == grant.held().number()) {
      ranges.recall(range);
    }
  }

  @Override
  public WeftPath path() {
    return path;
  }

  @Override
  public long objectId() {
    return grant.held().objectId();
  }

  /** What others have written behind it counts once some of this is near what they wrote. */
  @Override
  public long sizeBytes() {
    return updater.sizeBytes();
  }

  @Override
  public CompletableFuture<Void> write(long positionBytes, ByteBuffer data) {
    if (positionBytes < 0 || positionBytes > MOST_BYTES - data.remaining()) {
      throw new IllegalArgumentException(
          path + ": a position must be 0.." + MOST_BYTES + ", got " + positionBytes);
    }
    long endBytes = positionBytes + data.remaining();
    return writing.call(
        () ->
            data.hasRemaining()
                ? turns.take(
                    () -> owning(positionBytes, endBytes, () -> updater.write(positionBytes, data)))
                : CompletableFuture.completedFuture(null),
        endBytes <= updater.sizeBytes(),
        () -> updater.isWritable() && ranges.isSound());
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
                path
                    + ": the length of a file that is open shared cannot be set; close it, and open"
                    + " it alone for that")));
  }

  @Override
  public CompletableFuture<Void> punch(long positionBytes, long lengthBytes) {
    if (positionBytes < 0 || lengthBytes < 0) {
      throw new IllegalArgumentException(
          path
              + ": a range must not be negative, got "
              + lengthBytes
              + " bytes at "
              + positionBytes);
    }
    if (lengthBytes == 0) {
      return writing.call(() -> CompletableFuture.completedFuture(null));
    }
    // Whoever owned it has said how far the file reaches there.
    long end =
        lengthBytes > MOST_BYTES - positionBytes ? ByteRange.END : positionBytes + lengthBytes;
    return writing.call(
        () -> owning(positionBytes, end, () -> updater.punch(positionBytes, lengthBytes)));
  }

  @Override
  public CompletableFuture<Void> hflush() {
    return writing.call(this::publish);
  }

  @Override
  public CompletableFuture<Void> hsync() {
    return writing.call(() -> updater.makeDurable().thenCompose(nothing -> publish()));
  }

  private CompletableFuture<Void> publish() {
    return writing.publish(written());
  }

  private FileSink.Written written() {
    return new FileSink.Written(updater.sizeBytes(), updater.complete());
  }

  private void drop() {
    deaf.run();
    ranges.end();
    updater.abandon();
  }

  @Override
  public CompletableFuture<FileStatus> close() {
    return writing.close(
        () -> {
          deaf.run();
          ranges.end();
          updater.close();
          return grant.close(written());
        });
  }

  @Override
  public CompletableFuture<Void> abort() {
    return writing.abort();
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
