package org.weft.client.file;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.weft.client.callback.Callbacks;
import org.weft.client.stripe.base.References;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.FileAttributes;

/**
 * A file open for changes whose write grant goes back while it is idle and others want the file.
 * The next call asks for the grant again (P 6.5). Beneath it is one {@link GrantedFile} after
 * another: giving back is closing it, with everything on stable storage, and asking again is
 * opening the same object. Others may have changed the file in between.
 */
final class LentFile<S> implements WritableFile<S> {
  /** Calls that belong together follow each other more closely than that. */
  static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final WantedGrant wanted;
  private final Supplier<CompletableFuture<GrantedFile<S>>> again;
  private final Callbacks callbacks;
  private final Lending lending;

  // Guarded by this.
  private GrantedFile<S> file;
  private boolean changed;
  private boolean away;
  private boolean aborted;
  private Optional<S> left = Optional.empty();

  /** What closing it says from now on. */
  private Optional<CompletableFuture<S>> ended = Optional.empty();

  /**
   * A file that was opened just now.
   *
   * @param wanted hears that others want it
   * @param again opens it again
   */
  LentFile(
      GrantedFile<S> opened,
      WantedGrant wanted,
      Supplier<CompletableFuture<GrantedFile<S>>> again,
      Callbacks callbacks) {
    this.file = opened;
    this.wanted = wanted;
    this.again = again;
    this.callbacks = callbacks;
    this.lending = new Lending(new Beneath(), wanted::nowNanos);
    wanted.listen(() -> file().grantNumber(), lending::wanted);
  }

  private synchronized GrantedFile<S> file() {
    return file;
  }

  /** What is beneath, closed and opened again. */
  private final class Beneath implements Lending.Lent {
    @Override
    public boolean isIdle(long quietNanos, boolean forRepair) {
      return quietNanos >= QUIET_NANOS;
    }

    /** A write that was refused has said so; what was written before is durable all the same. */
    @Override
    public boolean callsStandAlone() {
      return true;
    }

    @Override
    public CompletableFuture<Void> giveBack() {
      GrantedFile<S> leaving = file();
      CompletableFuture<Void> durable =
          isChanged() ? leaving.hsync() : CompletableFuture.completedFuture(null);
      return durable
          .thenCompose(nothing -> leaving.close())
          .thenAccept(
              status -> {
                synchronized (LentFile.this) {
                  left = Optional.of(status);
                  changed = false;
                  away = true;
                }
              });
    }

    @Override
    public CompletableFuture<Void> askAgain() {
      return again
          .get()
          .exceptionallyCompose(
              thrown -> CompletableFuture.failedFuture(WantedGrant.removed(path(), thrown)))
          .thenAccept(this::opened);
    }

    private void opened(GrantedFile<S> next) {
      synchronized (LentFile.this) {
        if (!aborted) {
          file = next;
          away = false;
          return;
        }
      }
      var unused = next.abort();
      throw new CompletionException(givenUp());
    }
  }

  private synchronized boolean isChanged() {
    return changed;
  }

  /**
   * Makes a change. A change is noted as such when it begins, under the grant that it is made
   * under. One that waits until the grant has gone back is not among what was made durable before.
   */
  private <T> CompletableFuture<T> change(Function<GrantedFile<S>, CompletableFuture<T>> call) {
    requireOpen();
    return lending.call(
        () -> {
          GrantedFile<S> now;
          synchronized (this) {
            changed = true;
            now = file;
          }
          return call.apply(now);
        });
  }

  /** While the grant is held, what is beneath says so. */
  private void requireOpen() {
    if (isEnded() && !lending.isHeld()) {
      throw new IllegalStateException(path() + ": the file is closed");
    }
  }

  private synchronized boolean isEnded() {
    return ended.isPresent();
  }

  private String path() {
    return file().path();
  }

  @Override
  public long objectId() {
    return file().objectId();
  }

  @Override
  public boolean isGranted() {
    return lending.isHeld();
  }

  @Override
  public boolean isLent() {
    return lending.isLent();
  }

  /** What was given back was sound, and is on stable storage. */
  @Override
  public boolean hasFailed() {
    return !lending.isLent() && file().hasFailed();
  }

  @Override
  public long sizeBytes() {
    return file().sizeBytes();
  }

  @Override
  public long writtenBytes(int cuts) {
    return file().writtenBytes(cuts);
  }

  @Override
  public CompletableFuture<Void> write(long positionBytes, ByteBuffer data) {
    return change(now -> now.write(positionBytes, data));
  }

  @Override
  public CompletableFuture<Void> write(long positionBytes, ByteBuffer data, References memory) {
    return change(now -> now.write(positionBytes, data, memory));
  }

  @Override
  public CompletableFuture<Integer> read(long positionBytes, ByteBuffer target) {
    requireOpen();
    return lending.call(() -> file().read(positionBytes, target));
  }

  @Override
  public CompletableFuture<Void> setLength(long sizeBytes) {
    return change(now -> now.setLength(sizeBytes));
  }

  @Override
  public CompletableFuture<Void> punch(long positionBytes, long lengthBytes) {
    return change(now -> now.punch(positionBytes, lengthBytes));
  }

  /** Everything was published when the grant was given back. */
  @Override
  public CompletableFuture<Void> hflush() {
    requireOpen();
    return lending.call(() -> file().hflush(), () -> delivered(null));
  }

  /** Everything was on stable storage when the grant was given back. */
  @Override
  public CompletableFuture<Void> hsync() {
    requireOpen();
    return lending.call(() -> file().hsync(), () -> delivered(null));
  }

  @Override
  public CompletableFuture<Optional<FileAttributes>> sync() {
    requireOpen();
    return lending.call(() -> file().sync(), () -> delivered(Optional.empty()));
  }

  @Override
  public CompletableFuture<Optional<FileAttributes>> writeAndSync(
      long positionBytes, ByteBuffer data) {
    return change(now -> now.writeAndSync(positionBytes, data));
  }

  @Override
  public CompletableFuture<S> close() {
    synchronized (this) {
      if (ended.isPresent()) {
        return ended.get();
      }
    }
    if (lending.isWaitedFor()) {
      throw new IllegalStateException(
          path() + ": the call before has not completed; close after it has");
    }
    CompletableFuture<S> closing = lending.call(() -> file().close(), () -> delivered(asLeft()));
    end(closing);
    var unused = closing.whenComplete((status, thrown) -> closed(thrown));
    return closing;
  }

  /** A call was under way that came before: the file is open, and may be closed later. */
  private synchronized void closed(Throwable thrown) {
    Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
    if (cause instanceof IllegalStateException) {
      ended = Optional.empty();
    }
  }

  /** As it was when the grant was given back: nothing was written since. */
  private synchronized S asLeft() {
    return left.orElseThrow();
  }

  private <T> CompletableFuture<T> delivered(T value) {
    return callbacks.deliverInAnyCase(CompletableFuture.completedFuture(value));
  }

  private void end(CompletableFuture<S> outcome) {
    lending.stays();
    wanted.end();
    synchronized (this) {
      ended = Optional.of(outcome);
    }
  }

  /**
   * Does not wait for calls that are under way beneath; those that wait for the grant fail. A grant
   * that is being asked for goes back as soon as it is there.
   */
  @Override
  public CompletableFuture<Void> abort() {
    if (isEnded()) {
      return lending.isHeld() ? file().abort() : delivered(null);
    }
    Optional<GrantedFile<S>> beneath;
    synchronized (this) {
      aborted = true;
      beneath = away ? Optional.empty() : Optional.of(file);
    }
    end(CompletableFuture.failedFuture(givenUp()));
    lending.cancel(givenUp());
    return beneath.map(GrantedFile::abort).orElseGet(() -> delivered(null));
  }

  private WeftException givenUp() {
    return new WeftException(ErrorCode.CANCELLED, path() + ": writing was given up");
  }
}
