package org.weft.client.stripe.write;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.base.CompletePoint;
import org.weft.client.stripe.base.FailureListener;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.commit.FileWriteService;
import org.weft.client.stripe.read.StripeReader;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;

/**
 * Writes a file as a stream, from its beginning or from its end on (P 4.2, 4.3, 5.3).
 *
 * <p>Full stripes are gathered into runs, one WRITE for each component. The thread that has filled
 * a stripe computes parity and checksums, while the bytes are still in its cache. A file that ends
 * within its first unit is stored as m + 1 copies of it. Memory stays within a window: past it the
 * future of {@link #write} waits for acknowledgements.
 *
 * <p>What is durable when: bytes that {@link #write} has taken may be anywhere. When {@link #flush}
 * or {@link #close} has completed, every component that the map calls present has acknowledged all
 * bytes taken before. The bytes are in the kernels of all of them. They survive the death of this
 * process and of any OSD's process, and of as many OSDs as the code bears. With {@code durable}, or
 * on write-through OSDs, they are on their media as well. This class does not publish the length:
 * other clients see it when the manager knows it.
 *
 * <p>The stripe that an appended file ends in is read only if much is appended, or is flushed more
 * than once: see {@link TailStripe}.
 *
 * <p>The last stripe stays in memory after a flush. The next write of it is again a stripe write of
 * the units that have grown and of the parities, under a later number (P 5.3). A flush waits for
 * everything, so that a stripe is written again only when its earlier write is complete.
 *
 * <p>When components are lost, the writing goes on without them as soon as the manager agrees (P
 * 5.8); calls wait meanwhile.
 *
 * <p>Calls come one after another, the next one when the last one's future is done; they may come
 * from different threads. {@link #abandon} may come at any time. After a failure every call fails
 * with it, and the file is to be closed as abandoned.
 */
public final class StripeWriter {
  private final StripeContext context;
  private final Layout layout;
  private final ErasureCode code;
  private final FileWriteService sender;
  private final StripeRoom room;
  private final TailStripe tail;
  private final int stripesPerRun;

  // Owned by the call under way; handed on through the monitor.
  private StripeBuffer stripe;
  private WriteRun run;
  private long nextStripe;

  private final AtomicLong positionBytes;

  // Guarded by the monitor.
  private int openRuns;
  private boolean busy;
  private boolean durable;
  private CompletableFuture<WrittenFile> draining;
  private CompletableFuture<WrittenFile> closed;
  private WeftException failure;

  /**
   * A writer that goes on behind what is stored.
   *
   * @param sender of this writer alone
   * @param sizeBytes length of the file
   * @param tail the last stripe, if it is not full; it may not have been read yet
   */
  StripeWriter(StripeContext context, FileWriteService sender, long sizeBytes, TailStripe tail) {
    this.tail = tail;
    this.context = context;
    this.sender = sender;
    this.layout = sender.terms().file().layout();
    this.code = new ErasureCode(layout.dataUnits(), layout.parityUnits());
    this.room = new StripeRoom(context, (long) layout.width() * layout.unitBytes());
    this.stripesPerRun = context.options().stripesPerRun(layout);
    this.failure = sender.failure();
    this.positionBytes = new AtomicLong(sizeBytes);
    this.nextStripe = sizeBytes / layout.stripeBytes();
    if (tail.lengthBytes() > 0 && failure == null && room.take() == StripeRoom.Answer.TAKEN) {
      stripe = newStripe(tail.lengthBytes());
      tail.supply(stripe);
    }
  }

  /** A writer of a file that holds nothing yet. */
  public static StripeWriter ofNewFile(
      StripeContext context, FileWriteService sender, FailureListener listener) {
    return new StripeWriter(context, sender, 0, new TailStripe(context, sender, listener, 0));
  }

  /** A writer behind the end of a file at rest; fails as {@link StripeReader#read} does. */
  public static CompletableFuture<StripeWriter> append(
      StripeContext context, FileWriteService sender, long sizeBytes, FailureListener listener) {
    TailStripe tail = new TailStripe(context, sender, listener, sizeBytes);
    return tail.readIfNeeded()
        .thenApply(nothing -> new StripeWriter(context, sender, sizeBytes, tail));
  }

  /**
   * Appends the buffer's remaining bytes. They belong to the writer until the future is done; then
   * all of them have been taken over, but not yet been stored. Fails with what made the file fail.
   *
   * @throws IllegalStateException if another call is under way or the writer has been closed
   */
  public CompletableFuture<Void> write(ByteBuffer data) {
    begin();
    CompletableFuture<Void> written = new CompletableFuture<>();
    advance(data, written);
    return written;
  }

  /** How long the file is with what has been taken over. */
  public long positionBytes() {
    return positionBytes.get();
  }

  /** Every write up to here is complete on all components. */
  public CompletePoint complete() {
    return sender.complete();
  }

  /**
   * Sends what has been taken over, and waits until every component that the map calls present has
   * acknowledged it. With nothing new it completes at once. Then the manager may be told.
   *
   * @param onStableStorage and until all of it is on their media
   * @throws IllegalStateException if another call is under way or the writer has been closed
   */
  public CompletableFuture<WrittenFile> flush(boolean onStableStorage) {
    begin();
    return drain(new CompletableFuture<>(), onStableStorage);
  }

  /**
   * As {@link #flush}, and nothing more is written. May be called again for the same answer.
   *
   * @throws IllegalStateException if another call is under way
   */
  public CompletableFuture<WrittenFile> close() {
    CompletableFuture<WrittenFile> result = new CompletableFuture<>();
    synchronized (this) {
      if (closed != null) {
        return closed;
      }
      begin();
      closed = result;
    }
    return drain(result, false);
  }

  /** Gives the file up: nothing more is sent, memory comes back as calls under way end. */
  public void abandon() {
    fail(new WeftException(ErrorCode.CANCELLED, "the file was given up by its writer"));
  }

  private synchronized void begin() {
    if (busy) {
      throw new IllegalStateException("a call on this writer is still under way");
    }
    if (closed != null) {
      throw new IllegalStateException("the writer has been closed");
    }
    busy = true;
  }

  /** Takes over what fits; continues on the executor when there is room again. */
  private void advance(ByteBuffer data, CompletableFuture<Void> written) {
    try {
      if (!takeOver(data, () -> advance(data, written))) {
        return;
      }
    } catch (RuntimeException | Error e) {
      // Want of memory, for one. Perhaps no caller is there to catch it.
      fail(WeftException.of(e));
    }
    WeftException failed = finish();
    if (failed == null) {
      written.complete(null);
    } else {
      written.completeExceptionally(failed);
    }
  }

  /** False if {@code later} will run when there may be room for more. */
  private boolean takeOver(ByteBuffer data, Runnable later) {
    while (data.hasRemaining()) {
      if (stripe == null && !startStripe(later)) {
        return false;
      }
      if (stripe == null || isUnreadable()) {
        break;
      }
      if (stripe.isUnread() && !tail.mayStayUnread(stripe, data.remaining())) {
        readTail(later);
        return false;
      }
      positionBytes.addAndGet(stripe.fill(data));
      if (stripe.isFull()) {
        sealFullStripe();
      }
    }
    return true;
  }

  /**
   * Finds memory for the next stripe. False if {@code later} will run when there may be some; true,
   * without a stripe, if the file has failed.
   */
  private boolean startStripe(Runnable later) {
    StripeRoom.Answer answer = room.take();
    if (answer == StripeRoom.Answer.NONE) {
      // What waits for acknowledgements must first have been sent.
      sealRun();
      answer = room.takeOrWait(later);
    }
    if (answer == StripeRoom.Answer.TAKEN) {
      stripe = newStripe(0);
    }
    return answer != StripeRoom.Answer.NONE;
  }

  private StripeBuffer newStripe(int storedBytes) {
    return new StripeBuffer(layout, nextStripe++, storedBytes, context.pool(), room::freed);
  }

  /** What was stored of the stripe is not there, and will not be. */
  private synchronized boolean isUnreadable() {
    return stripe.isUnread() && failure != null;
  }

  private void readTail(Runnable later) {
    var unused = tail.read(stripe).whenComplete((nothing, thrown) -> goOn(thrown, later));
  }

  private void goOn(Throwable thrown, Runnable later) {
    if (thrown == null && !stripe.isUnread()) {
      context.execute(later);
      return;
    }
    // Nothing is left to be copied or encoded.
    if (thrown != null) {
      fail(WeftException.of(thrown));
    }
    later.run();
  }

  private void sealFullStripe() {
    StripeBuffer full = stripe;
    stripe = null;
    boolean lastOfRound = layout.stripesLeftInRound(full.stripe()) == 1;
    try {
      if (full.hasParts()) {
        sealRun();
        sendPart(full, false);
        return;
      }
      if (run == null) {
        run = newRun(false, 0);
      }
      encodePart(full);
      if (run.seqCount() == stripesPerRun || lastOfRound) {
        sealRun();
      }
    } finally {
      full.release();
    }
  }

  private void sendPart(StripeBuffer grown, boolean onStableStorage) {
    run = newRunOfPart(grown, onStableStorage);
    encodePart(grown);
    sealRun();
  }

  /** A part of a stripe is a run of its own. */
  private WriteRun newRunOfPart(StripeBuffer grown, boolean onStableStorage) {
    // The stripe's own room pays for its first parities; those of other parts come on top.
    long extraBytes = grown.hasParts() ? (long) layout.parityUnits() * layout.unitBytes() : 0;
    return newRun(onStableStorage, extraBytes);
  }

  private boolean isSmall() {
    return layout.isSmall(positionBytes());
  }

  private WriteRun newRun(boolean onStableStorage, long extraBytes) {
    context.pool().reserve(extraBytes);
    synchronized (this) {
      openRuns++;
    }
    return new WriteRun(layout, onStableStorage, () -> context.pool().unreserve(extraBytes));
  }

  /** Adds what is new in a stripe to the run. */
  private void encodePart(StripeBuffer grown) {
    StripePart part = grown.takePart(isSmall());
    run.add(part);
    try {
      part.encode(code);
    } catch (RuntimeException | Error e) {
      // The sender refuses the run then, and lets go of it.
      fail(WeftException.of(e));
    }
  }

  private void sealRun() {
    WriteRun full = run;
    run = null;
    if (full != null) {
      send(full);
    }
  }

  private void send(WriteRun full) {
    var unused = sender.send(full).whenComplete((nothing, thrown) -> runEnded(thrown));
  }

  private void runEnded(Throwable thrown) {
    if (thrown != null) {
      fail(WeftException.of(thrown));
      return;
    }
    synchronized (this) {
      openRuns--;
    }
    completeIfDrained();
  }

  /** Ends a call: the failure that it has to pass on, or null. */
  private WeftException finish() {
    WeftException failed;
    synchronized (this) {
      busy = false;
      failed = failure;
    }
    if (failed != null) {
      dropUnsent();
    }
    return failed;
  }

  /** Sends everything; {@code result} completes when it has been acknowledged. */
  private CompletableFuture<WrittenFile> drain(
      CompletableFuture<WrittenFile> result, boolean onStableStorage) {
    try {
      if (stripe != null && stripe.isUnread() && stripe.hasNews() && !isUnreadable()) {
        Runnable later = () -> drainRead(result, onStableStorage);
        if (!onStableStorage && tail.mayStayUnread(stripe, 0)) {
          var unused =
              tail.add(stripe, code).whenComplete((nothing, thrown) -> goOn(thrown, later));
        } else {
          readTail(later);
        }
        return result;
      }
    } catch (RuntimeException | Error e) {
      fail(WeftException.of(e));
    }
    drainRead(result, onStableStorage);
    return result;
  }

  /** What is new in the last stripe is stored, or the rest of the stripe has been read. */
  private void drainRead(CompletableFuture<WrittenFile> result, boolean onStableStorage) {
    boolean last;
    boolean failed;
    synchronized (this) {
      failed = failure != null;
      last = closed != null;
    }
    if (!failed) {
      try {
        sealAll(onStableStorage, last);
      } catch (RuntimeException | Error e) {
        fail(WeftException.of(e));
      }
    }
    synchronized (this) {
      durable = onStableStorage;
      draining = result;
    }
    completeIfDrained();
  }

  private void sealAll(boolean onStableStorage, boolean last) {
    sealRun();
    if (stripe != null && stripe.hasNews()) {
      sendPart(stripe, onStableStorage);
    }
    if (last && stripe != null) {
      stripe.release();
      stripe = null;
    }
  }

  private void completeIfDrained() {
    CompletableFuture<WrittenFile> result;
    WeftException failed;
    synchronized (this) {
      if (draining == null || (failure == null && openRuns > 0)) {
        return;
      }
      result = draining;
      draining = null;
      failed = failure == null ? sender.failure() : failure;
    }
    if (failed != null) {
      drained(result, failed);
      return;
    }
    CompletableFuture<Void> stored =
        durable ? sender.makeDurable() : CompletableFuture.completedFuture(null);
    var unused =
        stored
            .thenCompose(nothing -> sender.quiet())
            .whenComplete(
                (nothing, thrown) ->
                    drained(result, thrown == null ? null : WeftException.of(thrown)));
  }

  private void drained(CompletableFuture<WrittenFile> result, WeftException thrown) {
    if (thrown != null) {
      fail(thrown);
    }
    boolean last;
    WrittenFile written;
    synchronized (this) {
      last = closed != null;
      written = new WrittenFile(positionBytes(), sender.complete());
    }
    WeftException failed = finish();
    if (failed != null) {
      context.execute(() -> result.completeExceptionally(failed));
      return;
    }
    if (last) {
      sender.tellCompletionAtClose();
    } else if (!sender.terms().file().map().missing().isEmpty()) {
      // A client that reads the rest of a stripe beside us decodes it, and waits for this (P 5.6).
      sender.tellCompletion();
    }
    // Perhaps on an event loop, where nothing of what follows belongs.
    context.executeElsewhere(() -> result.complete(written));
  }

  /** Memory of stripes that will never be sent. Only while no call is under way. */
  private void dropUnsent() {
    StripeBuffer unsent;
    WriteRun unsealed;
    synchronized (this) {
      if (busy) {
        return;
      }
      unsent = stripe;
      unsealed = run;
      stripe = null;
      run = null;
    }
    if (unsealed != null) {
      // Perhaps this is what the sender tells.
      context.execute(() -> send(unsealed));
    }
    if (unsent != null) {
      unsent.release();
    }
  }

  private void fail(WeftException problem) {
    synchronized (this) {
      if (failure == null) {
        failure = problem;
      }
    }
    sender.fail(problem);
    if (!room.end()) {
      dropUnsent();
    }
    completeIfDrained();
  }
}
