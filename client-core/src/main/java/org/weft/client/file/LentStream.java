package org.weft.client.file;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.weft.client.stripe.base.CompletePoint;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.FileAttributes;

/**
 * Writes a stream under a write grant that it lends. The grant goes back while the stream is idle
 * and others want the file. It is asked for again when there is more to write (P 6.5). A stream is
 * in progress, and keeps its grant, while a call is under way and for two seconds after each call.
 * It also keeps the grant as long as it holds bytes that were not flushed. Such bytes do not count
 * where no other client will change the file, and are flushed then. To give back is to close the
 * file, with everything on stable storage. Writing goes on only if the file is as long, and was cut
 * as often, as it was then.
 */
final class LentStream implements FileSink, FileGrant {
  /** A stream that was written lately is in the middle of its work. */
  static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(2);

  /**
   * What a stream writes to.
   *
   * @param attributes of the file when it was opened
   */
  record Open(FileSink sink, HeldGrant grant, FileAttributes attributes) {}

  private final String path;
  private final WantedGrant wanted;
  private final Function<FileAttributes, CompletableFuture<Open>> again;
  private final BooleanSupplier holdsBytes;
  private final Lending lending;

  // Guarded by this.
  private Open open;
  private boolean unflushed;
  private boolean undurable;
  private Optional<FileAttributes> left = Optional.empty();
  private Optional<WeftException> failure = Optional.empty();
  private Optional<CompletableFuture<FileAttributes>> abandoned = Optional.empty();

  /** The grant that was held last has been given back. */
  private boolean away;

  private boolean dropped;

  /** Where the next write goes. */
  private long endBytes;

  /** A quota had no room for the last write, of which nothing was taken. */
  private boolean refusedByQuota;

  /** The file is not any more what was left. */
  private boolean lost;

  /**
   * A stream that was opened just now.
   *
   * @param wanted hears that others want the file
   * @param again opens the file again, as its end was left
   * @param holdsBytes true while a buffer before the stream holds back bytes that the stream has
   *     not seen
   */
  LentStream(
      String path,
      Open opened,
      WantedGrant wanted,
      Function<FileAttributes, CompletableFuture<Open>> again,
      BooleanSupplier holdsBytes) {
    this.path = path;
    this.open = opened;
    this.endBytes = opened.attributes().getSize();
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
          .whenComplete((nothing, thrown) -> returned(leaving, thrown));
    }

    @Override
    public CompletableFuture<Void> askAgain() {
      return again
          .apply(asLeft())
          .exceptionallyCompose(thrown -> CompletableFuture.failedFuture(refused(thrown)))
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
    away = true;
  }

  /**
   * The writer beneath is closed, and cannot say itself what has become of it: the next call does.
   * A stream that is idle may make none for long, so that its grant does not wait for that.
   */
  private void returned(Open leaving, Throwable thrown) {
    if (thrown == null) {
      return;
    }
    synchronized (this) {
      failure = Optional.of(WeftException.of(thrown));
    }
    leaving.sink().drop();
    var unused = abandonOnce();
  }

  /** The manager's own end of the grant is asked for once, whatever comes of it. */
  private synchronized CompletableFuture<FileAttributes> abandonOnce() {
    if (abandoned.isEmpty()) {
      abandoned = Optional.of(open.grant().abandon());
    }
    return abandoned.get();
  }

  private WeftException refused(Throwable thrown) {
    WeftException why = WantedGrant.removed(path, thrown);
    synchronized (this) {
      lost |= why.code() == ErrorCode.GRANT_REVOKED;
    }
    return why;
  }

  private void opened(Open next) {
    synchronized (this) {
      if (!dropped) {
        open = next;
        away = false;
        return;
      }
    }
    next.sink().drop();
    var unused = next.grant().abandon();
    throw new CompletionException(givenUp());
  }

  private WeftException givenUp() {
    return new WeftException(ErrorCode.CANCELLED, path + ": writing was given up");
  }

  private synchronized FileAttributes asLeft() {
    return left.orElseThrow();
  }

  /**
   * @throws WeftException GRANT_REVOKED if the file does not end any more where it was left
   */
  static void requireAsLeft(String path, FileAttributes left, FileAttributes now)
      throws WeftException {
    if (now.getSize() != left.getSize()
        || now.getTruncationNumber() != left.getTruncationNumber()) {
      throw new WeftException(
          ErrorCode.GRANT_REVOKED,
          "%s: the file was changed by another client, from %d to %d bytes, while its write grant was given back to others; open it again to go on"
              .formatted(path, left.getSize(), now.getSize()));
    }
  }

  @Override
  public boolean isGranted() {
    return lending.isHeld();
  }

  @Override
  public boolean isLent() {
    return lending.isLent();
  }

  @Override
  public boolean mayAskAgain() {
    synchronized (this) {
      if (lost || dropped) {
        return false;
      }
      if (refusedByQuota) {
        return true;
      }
    }
    return lending.isLent();
  }

  /** While it is held: unless it was given back in vain. */
  private <T> CompletableFuture<T> held(Function<Open, CompletableFuture<T>> call) {
    Open now;
    synchronized (this) {
      if (failure.isPresent()) {
        return CompletableFuture.failedFuture(failure.get());
      }
      if (dropped) {
        return CompletableFuture.failedFuture(givenUp());
      }
      now = open;
    }
    return call.apply(now);
  }

  @Override
  public CompletableFuture<Void> write(ByteBuffer data) {
    return lending.call(
        () -> {
          long next;
          synchronized (this) {
            next = endBytes + data.remaining();
            refusedByQuota = false;
          }
          return held(
              now -> now.grant().reaches(next) ? taken(now, data, next) : asked(now, data, next));
        });
  }

  private CompletableFuture<Void> taken(Open now, ByteBuffer data, long next) {
    synchronized (this) {
      unflushed = true;
      undurable = true;
      endBytes = next;
    }
    return now.sink().write(data);
  }

  private CompletableFuture<Void> asked(Open now, ByteBuffer data, long next) {
    return now.grant()
        .extend(next)
        .whenComplete(
            (nothing, thrown) -> {
              if (thrown != null) {
                noteQuota(WeftException.of(thrown));
              }
            })
        .thenCompose(nothing -> taken(now, data, next));
  }

  private synchronized void noteQuota(WeftException why) {
    refusedByQuota = why.code() == ErrorCode.QUOTA_EXCEEDED;
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
    Open leaving;
    synchronized (this) {
      dropped = true;
      leaving = open;
    }
    leaving.sink().drop();
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
  public CompletableFuture<Optional<FileAttributes>> publish(Written written) {
    return lending.call(
        () -> held(now -> now.grant().publish(written)),
        () -> CompletableFuture.completedFuture(Optional.empty()));
  }

  @Override
  public boolean reaches(long lengthBytes) {
    return open().grant().reaches(lengthBytes);
  }

  @Override
  public CompletableFuture<Void> extend(long lengthBytes) {
    return open().grant().extend(lengthBytes);
  }

  @Override
  public CompletableFuture<FileAttributes> close(Written written) {
    end();
    return lending.call(
        () -> held(now -> now.grant().close(written)),
        () -> CompletableFuture.completedFuture(asLeft()));
  }

  /** Waits for no answer: a grant that is being asked for goes back as soon as it is there. */
  @Override
  public CompletableFuture<FileAttributes> abandon() {
    end();
    boolean isAway;
    synchronized (this) {
      dropped = true;
      isAway = away;
    }
    lending.cancel(givenUp());
    return isAway ? CompletableFuture.completedFuture(asLeft()) : abandonOnce();
  }
}
