package org.weft.recovery.rebuild;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import org.weft.client.stripe.base.BlockChecksums;
import org.weft.client.stripe.base.FileComponents;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.FlushRequest;
import org.weft.protocol.wire.WriteRequest;
import org.weft.recovery.resolve.ResolveCalls;
import org.weft.recovery.resolve.ResolveTask;

/**
 * Writes one component of a file anew, on an OSD that has nothing of it (P 6.8). For managers: no
 * client may write the file meanwhile, and nothing of it may be pending; then what is decoded is to
 * be believed (P 5.6). Whatever was written is worth nothing if that was not so in the end.
 *
 * <p>The component is made first and shut to every older number, then written in pieces, a few at a
 * time; pieces that are zeros stay holes. Where the task names a source, each piece is read from
 * the OSD that has it, and computed from others only where that does not give it. After each piece
 * there is a pause that leaves clients their share. When the future completes all of it is on
 * stable storage of that one start of the OSD which the file's {@linkplain StripedFile#starts
 * starts} name.
 *
 * <p>Futures complete on the engine's executor and fail with a {@link WeftException}: NO_SPACE and
 * the like come from the target; UNAVAILABLE if too few of the others answer. Nothing is taken back
 * after a failure; that is the caller's, by removing the object.
 */
public final class ComponentRebuild {
  /** Of the component, written by one request. */
  private static final int PIECE_BYTES = 256 << 10;

  private static final int LANES = 2;

  private final StripeContext context;
  private final StripedFile file;
  private final RebuildTask task;
  private final RebuiltRange ranges;
  private final PatientCalls calls;
  private final Layout layout;
  private final long endBytes;
  private final AtomicLong nextBytes = new AtomicLong();
  private final AtomicLong lostBlocks = new AtomicLong();
  private final ConcurrentSkipListSet<Long> lostOffsets = new ConcurrentSkipListSet<>();
  private volatile SignedCapability capability;
  private volatile boolean stopped;

  public ComponentRebuild(StripeContext context, StripedFile file, RebuildTask task) {
    this.context = context;
    this.file = file;
    this.task = task;
    this.layout = file.layout();
    this.capability = file.capability();
    this.calls = new PatientCalls(context, () -> capability);
    this.ranges = new RebuiltRange(context, file, task, calls, each -> each.by(capability));
    this.endBytes = FileComponents.endOf(layout, task.sizeBytes(), task.component());
  }

  /** True if a file of that length has the component, so that without it something is lost. */
  public static boolean exists(Layout layout, long sizeBytes, int component) {
    return FileComponents.existing(layout, sizeBytes).get(component);
  }

  /** Bytes of a component of a file that long. */
  public static long bytesOf(Layout layout, long sizeBytes, int component) {
    return exists(layout, sizeBytes, component)
        ? FileComponents.endOf(layout, sizeBytes, component)
        : 0;
  }

  /** Does it, once. */
  public CompletableFuture<RebuildOutcome> rebuild() {
    ResolveTask number =
        new ResolveTask(task.number(), 0, task.sizeBytes(), task.truncationNumber(), false, false);
    return calls
        .repeat(
            () ->
                new ResolveCalls(context, file())
                    .make(task.component(), number, task.sizeBytes(), task.truncationNumber()))
        .thenCompose(made -> pieces())
        .thenCompose(written -> calls.repeat(this::flush))
        .thenApply(durable -> outcome())
        .exceptionallyCompose(thrown -> CompletableFuture.failedFuture(WeftException.of(thrown)));
  }

  /**
   * Begins no more pieces; {@link #rebuild} then fails with CANCELLED, unless all pieces were
   * written by then. Requests that are under way may reach OSDs still. Any thread.
   */
  public void stop() {
    stopped = true;
  }

  /**
   * All that is asked from now on is asked by this capability, of the same rights, and what an OSD
   * refused by one that had expired meanwhile is asked again. One that expires earlier than the one
   * in force is of no use and is dropped: the clock of its maker was set back. Any thread.
   */
  public synchronized void renew(SignedCapability next) {
    if (expiryMillis(next) >= expiryMillis(capability)) {
      capability = next;
    }
  }

  /** What cannot be read is refused by all OSDs, and every other one is better. */
  private static long expiryMillis(SignedCapability signed) {
    try {
      return Capability.decode(signed.encoded().asReadOnlyByteBuffer()).expiryMillis();
    } catch (WeftException e) {
      return Long.MIN_VALUE;
    }
  }

  private StripedFile file() {
    return file.by(capability);
  }

  private void note(long offset) {
    if (lostBlocks.incrementAndGet() <= RebuildOutcome.MAX_OFFSETS) {
      lostOffsets.add(offset);
    }
  }

  private RebuildOutcome outcome() {
    return new RebuildOutcome(lostBlocks.get(), List.copyOf(lostOffsets));
  }

  private CompletableFuture<?> flush() {
    FlushRequest.Builder request =
        FlushRequest.newBuilder().setObjectId(file.name().object().value());
    return context
        .osds()
        .flush(file().target(task.component(), context.options().writeDeadlineMillis()), request);
  }

  private CompletableFuture<Void> pieces() {
    List<CompletableFuture<?>> lanes = new ArrayList<>();
    for (int lane = 0; lane < LANES; lane++) {
      CompletableFuture<Void> done = new CompletableFuture<>();
      lanes.add(done);
      next(done);
    }
    return CompletableFuture.allOf(lanes.toArray(CompletableFuture<?>[]::new));
  }

  private int pieceBytes() {
    return Math.max(1, PIECE_BYTES / layout.unitBytes()) * layout.unitBytes();
  }

  private void next(CompletableFuture<Void> done) {
    if (stopped) {
      done.completeExceptionally(
          new WeftException(
              ErrorCode.CANCELLED, "the copying of " + file.describe(task.component()) + " ended"));
      return;
    }
    long from = nextBytes.getAndAdd(pieceBytes());
    if (from >= endBytes) {
      done.complete(null);
      return;
    }
    int length = (int) Math.min(pieceBytes(), endBytes - from);
    long begunNanos = context.ticker().nowNanos();
    var unused =
        piece(from, length)
            .whenComplete(
                (nothing, thrown) -> {
                  if (thrown != null) {
                    // The other lane need not go on either.
                    nextBytes.set(endBytes);
                    done.completeExceptionally(thrown);
                  } else {
                    task.written().accept(length);
                    goOn(done, context.ticker().nowNanos() - begunNanos);
                  }
                });
  }

  /** Busy clients make a piece take longer, and with it the pause. */
  private void goOn(CompletableFuture<Void> done, long tookNanos) {
    long pauseNanos = task.pauseNanos(tookNanos);
    if (pauseNanos == 0) {
      context.execute(() -> next(done));
    } else {
      context.after(pauseNanos, () -> next(done));
    }
  }

  private CompletableFuture<Void> piece(long from, int length) {
    // On the heap: the transport may hold on to it longer than the call lasts.
    ByteBuffer bytes = ByteBuffer.allocate(length);
    List<Long> lost = new ArrayList<>();
    List<CompletableFuture<?>> read = new ArrayList<>();
    for (int at = 0; at < length; at += layout.unitBytes()) {
      int unit = Math.min(layout.unitBytes(), length - at);
      read.add(ranges.fill(from + at, bytes.slice(at, unit), lost));
    }
    return CompletableFuture.allOf(read.toArray(CompletableFuture<?>[]::new))
        .thenCompose(
            nothing -> {
              SortedSet<Long> gaps;
              synchronized (lost) {
                gaps = new TreeSet<>(lost);
              }
              return writeAround(gaps, from, bytes).thenCompose(written -> lose(gaps));
            });
  }

  /**
   * Nothing is written where a block is lost: its number would be used, a repetition could come
   * late, and the zeros in the buffer would read as what the file holds there.
   */
  private CompletableFuture<Void> writeAround(SortedSet<Long> gaps, long from, ByteBuffer bytes) {
    List<CompletableFuture<Void>> runs = new ArrayList<>();
    long start = from;
    for (long gap : gaps) {
      runs.add(writeRun(start, gap, from, bytes));
      start = gap + BlockChecksums.BLOCK_BYTES;
    }
    runs.add(writeRun(start, from + bytes.capacity(), from, bytes));
    return CompletableFuture.allOf(runs.toArray(CompletableFuture<?>[]::new));
  }

  private CompletableFuture<Void> writeRun(long start, long end, long from, ByteBuffer bytes) {
    if (start >= end) {
      return done();
    }
    ByteBuffer run = bytes.slice((int) (start - from), (int) (end - start));
    return isZeros(run) ? done() : write(start, run, false);
  }

  private static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }

  private static boolean isZeros(ByteBuffer bytes) {
    for (int at = 0; at < bytes.capacity(); at++) {
      if (bytes.get(at) != 0) {
        return false;
      }
    }
    return true;
  }

  /** What no OSD can give reads as damaged, and never as zeros. */
  private CompletableFuture<Void> lose(SortedSet<Long> blocks) {
    CompletableFuture<Void> done = done();
    for (long offset : blocks) {
      note(offset);
      done =
          done.thenCompose(
              nothing -> write(offset, ByteBuffer.allocate(BlockChecksums.BLOCK_BYTES), true));
    }
    return done;
  }

  private CompletableFuture<Void> write(long offsetBytes, ByteBuffer bytes, boolean lost) {
    return calls
        .repeat(
            () -> {
              WriteRequest.Builder request =
                  WriteRequest.newBuilder()
                      .setObjectId(file.name().object().value())
                      .setOffset(offsetBytes)
                      .setGrant(task.number())
                      // Of the manager's own making: it leaves no record, and is of the same bytes
                      // however often it is made.
                      .setFirstSeq(1 + offsetBytes / BlockChecksums.BLOCK_BYTES)
                      .setSeqCount(1)
                      .addParticipants(task.component())
                      .setEof(task.sizeBytes())
                      .setTruncationNumber(task.truncationNumber())
                      .addAllBlockCrc(BlockChecksums.listOf(bytes))
                      .setLost(lost);
              return context
                  .osds()
                  .write(
                      file().target(task.component(), context.options().writeAttemptMillis()),
                      request,
                      Payload.of(bytes.duplicate()));
            })
        .thenApply(reply -> null);
  }

  /** What comes of a number of OSDs that do not answer. */
  static WeftException tooFew(StripedFile file, int component, String why) {
    return new WeftException(
        ErrorCode.UNAVAILABLE,
        "%s of %s cannot be written anew now: %s"
            .formatted(file.describe(component), file.name(), why));
  }
}
