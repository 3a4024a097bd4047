package org.weft.client.stripe;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.weft.client.raid.ErasureCode;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/**
 * Writes a whole file, from its beginning to its end, as a stream (P 4.2, 4.3, 5.3).
 *
 * <p>Full stripes are gathered into runs, one WRITE for each component; parity is computed while
 * the caller fills the next stripe. A file that ends within its first unit is stored as m + 1
 * copies of it. Memory stays within a window: past it the future of {@link #write} waits for
 * acknowledgements. What is acknowledged by the components is in the kernels of all of them
 * (write-back) or on their media (write-through); nobody has been told of it before {@link #close}
 * has completed and the manager knows.
 *
 * <p>Calls come one after another, the next one when the last one's future is done; they may come
 * from different threads. {@link #abandon} may come at any time. After a failure every call fails
 * with it, and the file is to be closed as abandoned.
 */
public final class StripeWriter {
  private final StripeEngine engine;
  private final Layout layout;
  private final ErasureCode code;
  private final FailureListener listener;
  private final RunSender sender;
  private final long stripeMemoryBytes;
  private final int stripesPerRun;

  // Owned by the call under way; handed on through the monitor.
  private StripeBuffer stripe;
  private WriteRun run;
  private long nextStripe;

  // Guarded by the monitor.
  private long positionBytes;
  private long heldBytes;
  private int openRuns;
  private boolean busy;
  private Runnable waitingForRoom;
  private CompletableFuture<WrittenFile> closed;
  private boolean answered;
  private RpcException failure;

  StripeWriter(StripeEngine engine, StripedFile file, WriteGrant grant, FailureListener listener) {
    this.engine = engine;
    this.layout = file.layout();
    this.code = new ErasureCode(layout.dataUnits(), layout.parityUnits());
    this.listener = listener;
    this.sender = new RunSender(engine, file, grant, new Progress());
    this.stripeMemoryBytes = (long) layout.width() * layout.unitBytes();
    long fittingStripes = engine.options().windowBytes() / (4 * stripeMemoryBytes);
    int wantedStripes = engine.options().runBytes() / layout.unitBytes();
    this.stripesPerRun = (int) Math.max(1, Math.min(wantedStripes, fittingStripes));
    this.failure = tooManyMissing(file);
  }

  private static RpcException tooManyMissing(StripedFile file) {
    Layout layout = file.layout();
    for (int group = 0; group < layout.groups(); group++) {
      int first = group * layout.width();
      List<Integer> missing =
          IntStream.range(first, first + layout.width())
              .filter(file.map()::isMissing)
              .boxed()
              .toList();
      if (missing.size() > layout.parityUnits()) {
        return new RpcException(
            ErrorCode.TOO_MANY_LOST,
            "cannot write %s: components %s are missing and its code bears the loss of %d; write a new file"
                .formatted(file.name(), missing, layout.parityUnits()));
      }
    }
    return null;
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

  /** How many bytes have been taken over. */
  public synchronized long positionBytes() {
    return positionBytes;
  }

  /**
   * Sends the rest and waits until every component that the map calls present has acknowledged.
   * Then the manager may be told. May be called again for the same answer.
   *
   * @throws IllegalStateException if a write is under way
   */
  public CompletableFuture<WrittenFile> close() {
    synchronized (this) {
      if (closed != null) {
        return closed;
      }
    }
    begin();
    CompletableFuture<WrittenFile> result = new CompletableFuture<>();
    boolean failed;
    synchronized (this) {
      closed = result;
      failed = failure != null;
    }
    if (!failed) {
      sealRun();
      sealLastStripe();
    }
    finish();
    return result;
  }

  /** Gives the file up: nothing more is sent, memory comes back as calls under way end. */
  public void abandon() {
    fail(new RpcException(ErrorCode.CANCELLED, "the file was given up by its writer"));
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
    while (data.hasRemaining()) {
      if (stripe == null && !startStripe(() -> advance(data, written))) {
        return;
      }
      if (stripe == null) {
        break;
      }
      long taken = stripe.fill(data);
      synchronized (this) {
        positionBytes += taken;
      }
      if (stripe.isFull()) {
        sealFullStripe();
      }
    }
    RpcException failed = finish();
    if (failed == null) {
      written.complete(null);
    } else {
      written.completeExceptionally(failed);
    }
  }

  /**
   * Finds memory for the next stripe. False if {@code later} will run when there may be some; true,
   * without a stripe, if the file has failed.
   */
  private boolean startStripe(Runnable later) {
    if (!takeRoom()) {
      // What waits for acknowledgements must first have been sent.
      sealRun();
      synchronized (this) {
        if (failure == null && !takeRoom()) {
          waitingForRoom = later;
          return false;
        }
      }
    }
    if (!hasFailed()) {
      stripe = new StripeBuffer(layout, nextStripe++, engine.pool());
    }
    return true;
  }

  /** A stream that holds nothing always gets its one stripe: see {@link UnitPool}. */
  private synchronized boolean takeRoom() {
    if (failure != null) {
      return true;
    }
    if (heldBytes == 0) {
      engine.pool().reserve(stripeMemoryBytes);
    } else if (heldBytes + stripeMemoryBytes > engine.options().windowBytes()
        || !engine.pool().tryReserve(stripeMemoryBytes)) {
      return false;
    }
    heldBytes += stripeMemoryBytes;
    return true;
  }

  private void sealFullStripe() {
    if (run == null) {
      run = newRun(false);
    }
    StripeBuffer full = stripe;
    stripe = null;
    encodeInto(run, full);
    boolean lastOfRound = (full.stripe() + 1) % layout.groupDepth() == 0;
    if (run.stripeCount() == stripesPerRun || lastOfRound) {
      sealRun();
    }
  }

  /** The stripe at the end of the file: small, or with fewer participants than those before it. */
  private void sealLastStripe() {
    if (stripe == null) {
      return;
    }
    boolean small = stripe.stripe() == 0 && layout.isSmall(stripe.filledBytes());
    run = newRun(small);
    StripeBuffer last = stripe;
    stripe = null;
    encodeInto(run, last);
    sealRun();
  }

  private WriteRun newRun(boolean small) {
    synchronized (this) {
      openRuns++;
    }
    return new WriteRun(layout, small, stripeMemoryBytes, this::memoryFreed);
  }

  private void encodeInto(WriteRun target, StripeBuffer full) {
    target.add(full);
    engine.execute(
        () -> {
          try {
            if (target.encode(full, code)) {
              send(target);
            }
          } catch (RuntimeException e) {
            fail(RpcException.of(e));
          }
        });
  }

  private void sealRun() {
    WriteRun full = run;
    run = null;
    seal(full);
  }

  private void seal(WriteRun full) {
    if (full != null && full.seal()) {
      engine.execute(() -> send(full));
    }
  }

  private void send(WriteRun full) {
    try {
      sender.send(full);
    } catch (RuntimeException e) {
      fail(RpcException.of(e));
    }
  }

  /** Ends a call: the failure that it has to pass on, or null. */
  private RpcException finish() {
    RpcException failed;
    synchronized (this) {
      busy = false;
      failed = failure;
    }
    if (failed != null) {
      dropUnsent();
    }
    completeIfClosed();
    return failed;
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
    seal(unsealed);
    if (unsent != null) {
      unsent.release();
      memoryFreed(stripeMemoryBytes);
    }
  }

  private void memoryFreed(long bytes) {
    engine.pool().unreserve(bytes);
    Runnable resumed;
    synchronized (this) {
      heldBytes -= bytes;
      resumed = waitingForRoom;
      waitingForRoom = null;
    }
    if (resumed != null) {
      engine.executeElsewhere(resumed);
    }
  }

  private void fail(RpcException problem) {
    Runnable resumed;
    synchronized (this) {
      if (failure == null) {
        failure = problem;
      }
      resumed = waitingForRoom;
      waitingForRoom = null;
    }
    if (resumed != null) {
      engine.executeElsewhere(resumed);
    } else {
      dropUnsent();
    }
    completeIfClosed();
  }

  private synchronized boolean hasFailed() {
    return failure != null;
  }

  private void completeIfClosed() {
    CompletableFuture<WrittenFile> result;
    RpcException failed;
    long sizeBytes;
    synchronized (this) {
      boolean done = failure != null || openRuns == 0;
      if (closed == null || busy || answered || !done) {
        return;
      }
      answered = true;
      result = closed;
      failed = failure;
      sizeBytes = positionBytes;
    }
    if (failed != null) {
      engine.execute(() -> result.completeExceptionally(failed));
    } else {
      sender.sendCompletion(sizeBytes);
      engine.execute(() -> result.complete(new WrittenFile(sizeBytes, nextStripe)));
    }
  }

  private final class Progress implements RunSender.Outcome {
    @Override
    public void runComplete() {
      synchronized (StripeWriter.this) {
        openRuns--;
      }
      completeIfClosed();
    }

    @Override
    public void failed(ComponentFailure report, RpcException problem) {
      fail(problem);
      listener.failed(report);
    }

    @Override
    public boolean hasFailed() {
      return StripeWriter.this.hasFailed();
    }
  }
}
