package org.weft.client;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.weft.client.stripe.CompletePoint;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.FileAttributes;

/**
 * What a stream writes to, and its write grant, which goes back while the stream is idle and others
 * want the file, and is asked for again when there is more to write (P 6.5). A stream is in
 * progress, and keeps its grant, while a call is under way, for two seconds after each call, and as
 * long as it holds bytes that were not flushed; these last do not count where nobody else will
 * change the file, and are flushed then. Giving back is closing the file, with everything on stable
 * storage; nothing is taken up again unless the file is as long, and was cut as often, as it was
 * then.
 */
final class LentStream implements FileSink, WriteGrant {
  /** Whoever has written lately is in the middle of it. */
  static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(2);

  /**
   * What a stream writes to.
   *
   * @param attributes of the file when it was opened
   */
  record Open(FileSink sink, HeldGrant grant, FileAttributes attributes) {}

  private final WeftPath path;
  private final WantedGrant wanted;
  private final Function<FileAttributes, CompletableFuture<Open>> again;
  private final BooleanSupplier holdsBytes;
  private final Lending lending;

  // Guarded by this.
  private Open open;
  private boolean unflushed;
  private boolean undurable;
  private Optional<FileAttributes> left = Optional.empty();
  private Optional<RpcException> failure = Optional.empty();

  /**
   * A stream that was opened just now.
   *
   * @param wanted hears that others want the file
   * @param again opens the file again, as its end was left
   * @param holdsBytes somebody before it holds bytes back that this has not seen
   */
  LentStream(
      WeftPath path,
      Open opened,
      WantedGrant wanted,
      Function<FileAttributes, CompletableFuture<Open>> again,
      BooleanSupplier holdsBytes) {
    this.path = path;
    this.open = opened;
    this.wanted = wanted;
    this.again = again;
    this.holdsBytes = holdsBytes;
    this.lending = new Lending(new Beneath(), wanted::nowNanos);
    wanted.listen(() -> open().grant().held().number(), lending::wanted);
  }

  private synchronized Open open() {
    return open;
  }

  private final class Beneath implements Lending.Lent {
    @Override
    public boolean isIdle(long quietNanos, boolean forRepair) {
      return quietNanos >= QUIET_NANOS && (forRepair || !holdsUnflushed());
    }

    @Override
    public CompletableFuture<Void> giveBack() {
      Open leaving = open();
      return durable(leaving)
          .thenCompose(nothing -> leaving.sink().finish())
          .thenCompose(leaving.grant()::close)
          .thenAccept(LentStream.this::isLeft)
          .whenComplete((nothing, thrown) -> failed(thrown));
    }

    @Override
    public CompletableFuture<Void> askAgain() {
      return again
          .apply(asLeft())
          .exceptionallyCompose(
              thrown -> CompletableFuture.failedFuture(WantedGrant.removed(path, thrown)))
          .thenAccept(LentStream.this::opened);
    }
  }

  private CompletableFuture<?> durable(Open leaving) {
    boolean needed;
    synchronized (this) {
      needed = undurable;
    }
    return needed ? leaving.sink().flush(true) : CompletableFuture.completedFuture(null);
  }

  private synchronized boolean holdsUnflushed() {
    return unflushed || holdsBytes.getAsBoolean();
  }

  private synchronized void isLeft(FileAttributes attributes) {
    left = Optional.of(attributes);
    unflushed = false;
    undurable = false;
  }

  /** The writer beneath is closed: it cannot say itself what has become of it. */
  private synchronized void failed(Throwable thrown) {
    if (thrown != null) {
      failure = Optional.of(RpcException.of(thrown));
    }
  }

  private synchronized void opened(Open next) {
    open = next;
  }

  private synchronized FileAttributes asLeft() {
    return left.orElseThrow();
  }

  /**
   * @throws RpcException GRANT_REVOKED if the file does not end any more where it was left
   */
  static void requireAsLeft(WeftPath path, FileAttributes left, FileAttributes now)
      throws RpcException {
    if (now.getSize() != left.getSize()
        || now.getTruncationNumber() != left.getTruncationNumber()) {
      throw new RpcException(
          ErrorCode.GRANT_REVOKED,
          "%s: the file was changed by another client, from %d to %d bytes, while its write grant was given back to others; open it again to go on"
              .formatted(path, left.getSize(), now.getSize()));
    }
  }

  /** False while the grant is given back. */
  boolean isGranted() {
    return lending.isHeld();
  }

  /** True once it has been given back, with all that was written. */
  boolean isLent() {
    return lending.isLent();
  }

  /** While it is held: unless it was given back in vain. */
  private <T> CompletableFuture<T> held(Function<Open, CompletableFuture<T>> call) {
    Open now;
    synchronized (this) {
      if (failure.isPresent()) {
        return CompletableFuture.failedFuture(failure.get());
      }
      now = open;
    }
    return call.apply(now);
  }

  @Override
  public CompletableFuture<Void> write(ByteBuffer data) {
    return lending.call(
        () -> {
          synchronized (this) {
            unflushed = true;
            undurable = true;
          }
          return held(now -> now.sink().write(data));
        });
  }

  @Override
  public CompletableFuture<Written> flush(boolean onStableStorage) {
    return lending.call(
        () ->
            held(now -> now.sink().flush(onStableStorage))
                .thenApply(written -> flushed(written, onStableStorage)),
        this::writtenBefore);
  }

  private synchronized Written flushed(Written written, boolean onStableStorage) {
    unflushed = false;
    undurable &= !onStableStorage;
    return written;
  }

  /** Nothing was written since the grant was given back. */
  private CompletableFuture<Written> writtenBefore() {
    return CompletableFuture.completedFuture(new Written(asLeft().getSize(), CompletePoint.NONE));
  }

  @Override
  public CompletableFuture<Written> finish() {
    end();
    return lending.call(() -> held(now -> now.sink().finish()), this::writtenBefore);
  }

  private void end() {
    lending.stays();
    wanted.end();
  }

  @Override
  public void drop() {
    end();
    open().sink().drop();
  }

  @Override
  public long objectId() {
    return open().grant().objectId();
  }

  /** Without a grant no session's end takes anything away. */
  @Override
  public boolean isLive() {
    return !lending.isHeld() || open().grant().isLive();
  }

  /** Given back means published. */
  @Override
  public CompletableFuture<Void> publish(Written written) {
    return lending.call(
        () -> held(now -> now.grant().publish(written)),
        () -> CompletableFuture.completedFuture(null));
  }

  @Override
  public CompletableFuture<FileAttributes> close(Written written) {
    end();
    return lending.call(
        () -> held(now -> now.grant().close(written)),
        () -> CompletableFuture.completedFuture(asLeft()));
  }

  @Override
  public CompletableFuture<FileAttributes> abandon() {
    end();
    return lending.isHeld()
        ? open().grant().abandon()
        : lending.call(
            () -> open().grant().abandon(), () -> CompletableFuture.completedFuture(asLeft()));
  }
}
