package org.weft.client.file;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.weft.client.callback.Callbacks;
import org.weft.client.gather.GatherLimits;
import org.weft.client.gather.GatherTarget;
import org.weft.client.gather.WriteGathering;
import org.weft.client.stripe.base.References;
import org.weft.client.stripe.write.StripeUpdater;
import org.weft.client.volume.GrantCalls;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.FileLimits;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.RangeUse;
import org.weft.protocol.wire.FileAttributes;

/**
 * A file that is changed at any positions under its write grant. {@link StripeUpdater} carries the
 * bytes, the manager hears of lengths, and {@link GrantedWriting} keeps the calls in order. Where
 * the options say so, {@link WriteGathering} stands before the bytes. What has to be done before
 * they may be touched is up to the kinds of it.
 */
abstract class GrantedFile<S> implements WritableFile<S> {
  /** So much an OSD makes durable with one sync of its disk, beside the record of it (P 5.9). */
  private static final long MAX_DURABLE_BYTES = 32 << 10;

  private final NamedFile<S> name;
  private final StripeUpdater updater;
  private final HeldGrant grant;
  private final GrantedWriting<S> writing;

  /** Calls beside each other, but for those that need the whole file. */
  private final CallSequencer calls = new CallSequencer();

  /** Beneath them, what touches the same stripes. */
  private final StripeTurns stripes = new StripeTurns();

  private final Optional<WriteGathering> gathering;

  private final FileResize resize;

  /** How often bytes were changed, and how often the manager has heard of. */
  private final AtomicLong changes = new AtomicLong();

  private final AtomicLong toldChanges = new AtomicLong();

  /** Calls that wait for what is being sent, to have it on stable storage. */
  private final AtomicInteger syncing = new AtomicInteger();

  /**
   * What a file is opened with, at rest.
   *
   * @param publishedBytes its length, as the manager knows it
   * @param limits empty: every write is sent at once
   */
  record Opened<S>(
      NamedFile<S> name,
      StripeUpdater updater,
      HeldGrant grant,
      GrantCalls calls,
      long publishedBytes,
      Optional<GatherLimits> limits) {
    Layout layout() {
      return updater.terms().file().map().layout();
    }
  }

  GrantedFile(Opened<S> opened, Callbacks callbacks) {
    this.name = opened.name();
    this.updater = opened.updater();
    this.grant = opened.grant();
    this.writing =
        new GrantedWriting<>(
            name, grant, opened.publishedBytes(), this::drop, "open it again", callbacks);
    this.resize =
        new FileResize(updater, grant, opened.calls(), length -> writing.published(length));
    this.gathering =
        opened
            .limits()
            .map(
                limits ->
                    new WriteGathering(
                        new Beneath(opened.calls()), limits, opened.layout().stripeBytes()));
  }

  /** Empty: every write is sent at once. */
  final Optional<WriteGathering> gathering() {
    return gathering;
  }

  final GrantedWriting<S> writing() {
    return writing;
  }

  /** What it is called in messages. */
  final String path() {
    return name.path();
  }

  @Override
  public final long objectId() {
    return grant.objectId();
  }

  /** Under which it is written now. */
  final long grantNumber() {
    return grant.held().number();
  }

  @Override
  public final long sizeBytes() {
    return writtenBytes(0);
  }

  @Override
  public final long writtenBytes(int cuts) {
    StripeUpdater.Length known = updater.length();
    long written = known.cuts() < cuts ? 0 : known.sizeBytes();
    return gathering.map(each -> Math.max(written, each.endBytes())).orElse(written);
  }

  @Override
  public final CompletableFuture<Void> write(long positionBytes, ByteBuffer data) {
    return write(positionBytes, data, () -> take(positionBytes, data));
  }

  private CompletableFuture<Void> take(long positionBytes, ByteBuffer data) {
    return gathering
        .map(each -> each.write(positionBytes, data))
        .orElseGet(() -> change(positionBytes, data));
  }

  @Override
  public final CompletableFuture<Void> write(
      long positionBytes, ByteBuffer data, References memory) {
    return gathering.isEmpty()
        ? write(positionBytes, data)
        : write(positionBytes, data, () -> gathering.get().write(positionBytes, data, memory));
  }

  private CompletableFuture<Void> write(
      long positionBytes, ByteBuffer data, Supplier<CompletableFuture<Void>> taken) {
    requireRange(positionBytes, data);
    return beside(() -> taken(positionBytes, data, taken), this::isWritable);
  }

  private void requireRange(long positionBytes, ByteBuffer data) {
    if (positionBytes < 0 || positionBytes > FileLimits.MAX_FILE_BYTES - data.remaining()) {
      throw new IllegalArgumentException(
          "%s: %d bytes cannot be written at %d: a file has at most %d bytes"
              .formatted(name, data.remaining(), positionBytes, FileLimits.MAX_FILE_BYTES));
    }
  }

  private CompletableFuture<Void> taken(
      long positionBytes, ByteBuffer data, Supplier<CompletableFuture<Void>> taken) {
    return data.hasRemaining()
        ? within(positionBytes + data.remaining(), taken)
        : CompletableFuture.completedFuture(null);
  }

  /** A quota may have to be asked first. */
  private CompletableFuture<Void> within(long endBytes, Supplier<CompletableFuture<Void>> taken) {
    return grant.reaches(endBytes)
        ? taken.get()
        : grant.extend(endBytes).thenCompose(nothing -> taken.get());
  }

  /** A call that others may be under way with. */
  private <T> CompletableFuture<T> beside(
      Supplier<CompletableFuture<T>> call, BooleanSupplier unharmed) {
    return writing.call(() -> inTurn(true, call), true, unharmed);
  }

  /** A call for which those before it end, and which others wait for. */
  final <T> CompletableFuture<T> alone(Supplier<CompletableFuture<T>> call) {
    return alone(call, () -> false);
  }

  /**
   * The same.
   *
   * @param unharmed after a failure: nothing was done
   */
  final <T> CompletableFuture<T> alone(
      Supplier<CompletableFuture<T>> call, BooleanSupplier unharmed) {
    return writing.call(() -> inTurn(false, call), true, unharmed);
  }

  private <T> CompletableFuture<T> inTurn(boolean beside, Supplier<CompletableFuture<T>> call) {
    return calls.take(
        beside,
        () -> {
          Optional<WeftException> over = writing.failure();
          return over.isPresent() ? CompletableFuture.failedFuture(over.get()) : call.get();
        });
  }

  private CompletableFuture<Void> change(long positionBytes, ByteBuffer data) {
    ByteRange range = new ByteRange(positionBytes, positionBytes + data.remaining());
    return enter(range, RangeUse.WRITING, () -> carry(range, List.of(data)));
  }

  /** Makes a call on a range once it may be used so, and keeps it until the call is over. */
  abstract <T> CompletableFuture<T> enter(
      ByteRange range, RangeUse use, Supplier<CompletableFuture<T>> call);

  /** Writes to a range that may be touched. */
  private CompletableFuture<Void> carry(ByteRange range, List<ByteBuffer> data) {
    boolean durable = syncing.get() > 0 && range.to() - range.from() <= MAX_DURABLE_BYTES;
    return changing(
        stripes.take(() -> claimToWrite(range), () -> updater.write(range.from(), data, durable)));
  }

  private StripeTurns.Claim claimToWrite(ByteRange range) {
    boolean within = range.to() <= updater.sizeBytes();
    return new StripeTurns.Claim(
        within ? StripeTurns.Kind.CHANGE : StripeTurns.Kind.GROW,
        within || !updater.isSmall() ? stripesOf(range) : ByteRange.ALL);
  }

  /** Of a small file a copy may be read, which must not cease to be one meanwhile. */
  private StripeTurns.Claim claimToRead(ByteRange range) {
    return new StripeTurns.Claim(
        StripeTurns.Kind.READ, updater.isSmall() ? ByteRange.ALL : stripesOf(range));
  }

  private ByteRange stripesOf(ByteRange range) {
    return range.alignedTo(updater.terms().file().map().layout().stripeBytes());
  }

  @Override
  public final boolean hasFailed() {
    return writing.failure().isPresent() || !isWritable();
  }

  /** False once a failure has ended the writing. */
  boolean isWritable() {
    return updater.isWritable() && gathering.map(WriteGathering::isSound).orElse(true);
  }

  /** The file beneath what is gathered. */
  private final class Beneath implements GatherTarget {
    private final GrantCalls calls;

    Beneath(GrantCalls calls) {
      this.calls = calls;
    }

    @Override
    public CompletableFuture<Void> enter(
        ByteRange range, Supplier<CompletableFuture<Void>> writes) {
      return GrantedFile.this.enter(range, RangeUse.WRITING, writes);
    }

    @Override
    public CompletableFuture<Void> write(ByteRange range, List<ByteBuffer> data) {
      return carry(range, data);
    }

    @Override
    public boolean writesSideBySide() {
      return true;
    }

    @Override
    public void failed(WeftException why) {
      writing.end(why);
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

  /** Nothing that was taken waits to be sent any more. Part of a call. */
  final CompletableFuture<Void> settled() {
    return settled(ByteRange.ALL);
  }

  private CompletableFuture<Void> settled(ByteRange range) {
    return gathering
        .map(each -> each.settle(range))
        .orElseGet(() -> CompletableFuture.completedFuture(null));
  }

  @Override
  public final CompletableFuture<Integer> read(long positionBytes, ByteBuffer target) {
    if (positionBytes < 0) {
      throw new IllegalArgumentException(
          name + ": a position cannot be negative, got " + positionBytes);
    }
    return beside(
        () ->
            positionBytes < FileLimits.MAX_FILE_BYTES && target.hasRemaining()
                ? readSettled(
                    new ByteRange(positionBytes, positionBytes + target.remaining()), target)
                : CompletableFuture.completedFuture(target.hasRemaining() ? -1 : 0),
        this::isWritable);
  }

  private CompletableFuture<Integer> readSettled(ByteRange range, ByteBuffer target) {
    // Of a small file a copy may be read, which must not cease to be one meanwhile.
    boolean apart = range.to() <= updater.sizeBytes() && !updater.isSmall();
    return settled(apart ? range : ByteRange.ALL)
        .thenCompose(
            nothing ->
                enter(
                    range,
                    RangeUse.READING,
                    () ->
                        stripes.take(
                            () -> claimToRead(range), () -> updater.read(range.from(), target))));
  }

  @Override
  public final CompletableFuture<Void> punch(long positionBytes, long lengthBytes) {
    if (positionBytes < 0 || lengthBytes < 0) {
      throw new IllegalArgumentException(
          name
              + ": a range must not be negative, got "
              + lengthBytes
              + " bytes at "
              + positionBytes);
    }
    return alone(
        () ->
            lengthBytes > 0
                ? settled().thenCompose(nothing -> changing(makeZeros(positionBytes, lengthBytes)))
                : CompletableFuture.completedFuture(null));
  }

  /** The whole file is entered: the length that it is given is in place of any other. */
  @Override
  public final CompletableFuture<Void> setLength(long sizeBytes) {
    FileLengths.require(path(), sizeBytes);
    AtomicBoolean begun = new AtomicBoolean();
    AtomicBoolean refused = new AtomicBoolean();
    // What the manager does not know of it cannot have cut.
    return alone(
        () ->
            settled()
                .thenCompose(
                    nothing ->
                        enter(
                            ByteRange.ALL,
                            RangeUse.WRITING,
                            () -> {
                              begun.set(true);
                              return publish().thenCompose(told -> resize.to(sizeBytes, refused));
                            })),
        () -> refused.get() || !begun.get() && isWritable());
  }

  final FileResize resize() {
    return resize;
  }

  /** Makes zeros of a range of at least one byte, as far as the file reaches. */
  abstract CompletableFuture<Void> makeZeros(long positionBytes, long lengthBytes);

  @Override
  public final CompletableFuture<Void> hflush() {
    return beside(
        () -> settled().thenCompose(nothing -> publish()).thenAccept(told -> {}), () -> false);
  }

  @Override
  public final CompletableFuture<Void> hsync() {
    return beside(() -> synced().thenAccept(told -> {}), () -> false);
  }

  @Override
  public final CompletableFuture<Optional<FileAttributes>> sync() {
    return beside(this::synced, () -> false);
  }

  @Override
  public final CompletableFuture<Optional<FileAttributes>> writeAndSync(
      long positionBytes, ByteBuffer data) {
    requireRange(positionBytes, data);
    AtomicBoolean isTaken = new AtomicBoolean();
    return beside(
        () ->
            syncing(() -> taken(positionBytes, data, () -> take(positionBytes, data)))
                .thenCompose(
                    nothing -> {
                      isTaken.set(true);
                      return synced();
                    }),
        () -> !isTaken.get() && isWritable());
  }

  /**
   * The manager hears of it while OSDs bring it to their disks. It is complete by then, as after an
   * hflush, and no caller is told before both are over.
   */
  private CompletableFuture<Optional<FileAttributes>> synced() {
    return syncing(this::settled)
        .thenCompose(
            nothing -> updater.makeDurable().thenCombine(publish(), (durable, told) -> told));
  }

  /** A few bytes that are sent meanwhile are on stable storage when OSDs acknowledge them. */
  private <T> CompletableFuture<T> syncing(Supplier<CompletableFuture<T>> call) {
    syncing.incrementAndGet();
    return CallSequencer.begun(call).whenComplete((done, thrown) -> syncing.decrementAndGet());
  }

  /** What was changed counts as that when it is complete: then others may be told. */
  final <T> CompletableFuture<T> changing(CompletableFuture<T> change) {
    return change.whenComplete((done, thrown) -> changes.incrementAndGet());
  }

  /** Publishes how long the file is now. Part of a call. */
  final CompletableFuture<Optional<FileAttributes>> publish() {
    return telling(writing::publish);
  }

  /** Tells the manager what is complete now, and whether anything of it is other than it knows. */
  final <T> CompletableFuture<T> telling(Function<FileSink.Written, CompletableFuture<T>> telling) {
    long now = changes.get();
    boolean changed = now > toldChanges.get();
    StripeUpdater.Length length = updater.length();
    OptionalInt cuts = OptionalInt.of(length.cuts());
    return telling
        .apply(new FileSink.Written(length.sizeBytes(), updater.complete(), false, changed, cuts))
        .whenComplete(
            (told, thrown) -> {
              if (thrown == null) {
                toldChanges.accumulateAndGet(now, Math::max);
              }
            });
  }

  /** No call comes any more. */
  void leave() {}

  /** Everything is written: components hear that it is complete (P 5.4). */
  void tellAtClose() {
    updater.close();
  }

  private void drop() {
    leave();
    gathering.ifPresent(WriteGathering::end);
    updater.abandon();
  }

  @Override
  public final CompletableFuture<S> close() {
    return writing.closeAfterOthers(
        () ->
            inTurn(
                false,
                () ->
                    settled()
                        .thenCompose(
                            nothing -> {
                              leave();
                              tellAtClose();
                              return telling(grant::close);
                            })));
  }

  @Override
  public final CompletableFuture<Void> abort() {
    return writing.abort();
  }
}
