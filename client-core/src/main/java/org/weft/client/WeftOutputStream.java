package org.weft.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.error.WeftException;

/**
 * A file being written, for code that blocks. Small writes are gathered; large ones go straight on.
 * {@link #flush} makes nothing visible to others: {@link #hflush} and {@link #hsync} do. Not
 * thread-safe.
 *
 * <p>{@link #close} publishes the file. A write that fails gives the file up, whatever the reason.
 * What was published stays, and every later call fails with the same reason. So does {@link
 * #close}, when the manager knows. {@link #abort} gives up.
 *
 * <p>A call whose thread is interrupted goes on: it returns when it is done, and leaves the thread
 * interrupted. If it is not done after ten seconds, or the thread is interrupted again, it throws
 * {@link InterruptedIOException}. A write or a flush then gives the file up: what was published
 * stays, and {@link #close} fails, when the manager knows. A close goes on without its caller, and
 * may be called again.
 */
public final class WeftOutputStream extends OutputStream {
  private static final int GATHER_BYTES = 256 << 10;

  /** An OSD that stands still is given up sooner than that. */
  private static final long MAX_AFTER_INTERRUPT_MILLIS = 10_000;

  private final WeftOutput output;
  private final ByteBuffer gathered = ByteBuffer.allocate(GATHER_BYTES);
  private FileStatus status;
  private boolean aborted;

  /** Not null: a write failed, and the file was given up. */
  private WeftException writeFailure;

  /** Not null: a write failed, or a call was broken off; completes when the manager knows. */
  private CompletableFuture<Void> givenUp;

  /** The output is closed with the stream. */
  public WeftOutputStream(WeftOutput output) {
    this.output = output;
  }

  /**
   * The stream; a file does not stay open for writing because there is no memory for its stream.
   */
  static WeftOutputStream over(WeftOutput output) {
    try {
      return new WeftOutputStream(output);
    } catch (RuntimeException | Error e) {
      var unused = output.abort();
      throw e;
    }
  }

  @Override
  public void write(int b) throws IOException {
    requireOpen();
    if (!gathered.hasRemaining()) {
      handOver();
    }
    gather();
    gathered.put((byte) b);
  }

  private void gather() {
    if (gathered.position() == 0) {
      output.holdsBytes(true);
    }
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    requireOpen();
    if (length > gathered.remaining()) {
      handOver();
    }
    if (length >= GATHER_BYTES) {
      send(ByteBuffer.wrap(bytes, offset, length));
    } else if (length > 0) {
      gather();
      gathered.put(bytes, offset, length);
    }
  }

  /** The asynchronous output beneath, for a caller that gives the file up without waiting. */
  public WeftOutput asynchronous() {
    return output;
  }

  private void handOver() throws IOException {
    if (gathered.position() > 0) {
      send(gathered.flip());
      gathered.clear();
      output.holdsBytes(false);
    }
  }

  /**
   * Writes. The output may go on after a write that it refused. This stream cannot, because bytes
   * that it took before would be missing in the middle of the file.
   */
  private void send(ByteBuffer data) throws IOException {
    try {
      await(output.write(data));
    } catch (WeftException e) {
      writeFailure = e;
      givenUp = output.abort();
      throw e;
    } catch (RuntimeException | Error e) {
      writeFailure = WeftException.of(e);
      givenUp = output.abort();
      throw e;
    }
  }

  /**
   * Waits for a call. A call that is broken off goes on, and it is unknown what becomes of its
   * bytes. Nothing can follow it, and the file is given up.
   */
  private void await(CompletableFuture<Void> call) throws IOException {
    try {
      var unused = Blocking.awaitThoughInterrupted(call, MAX_AFTER_INTERRUPT_MILLIS);
    } catch (InterruptedIOException e) {
      givenUp = output.abort();
      throw e;
    }
  }

  private IOException wasGivenUp() {
    if (writeFailure != null) {
      return new WeftException(writeFailure.code(), writeFailure.getMessage(), writeFailure);
    }
    return new IOException(
        output.path()
            + ": the file was given up when a call on it was interrupted; write it again");
  }

  private void requireOpen() throws IOException {
    if (givenUp != null) {
      throw wasGivenUp();
    }
    if (status != null || aborted) {
      throw new IOException(output.path() + ": the stream is closed");
    }
  }

  /** How long the file is with what was written so far. */
  public long positionBytes() {
    return output.positionBytes() + gathered.position();
  }

  /** Makes everything written so far visible to others; see {@link WeftOutput#hflush}. */
  public void hflush() throws IOException {
    requireOpen();
    handOver();
    await(output.hflush());
  }

  /** The same, and has it on stable storage; see {@link WeftOutput#hsync}. */
  public void hsync() throws IOException {
    requireOpen();
    handOver();
    await(output.hsync());
  }

  /**
   * Waits until every byte is on every component, and publishes the file.
   *
   * @throws InterruptedIOException if the wait was broken off; the file is closed without its
   *     caller, and closing again waits for that
   */
  @Override
  public void close() throws IOException {
    if (status != null || aborted) {
      return;
    }
    if (givenUp == null) {
      handOver();
      status = Blocking.awaitThoughInterrupted(output.close(), MAX_AFTER_INTERRUPT_MILLIS);
    } else {
      IOException failure = wasGivenUp();
      try {
        awaitGivingUp(givenUp);
      } catch (IOException e) {
        failure.addSuppressed(e);
      }
      throw failure;
    }
  }

  /** Waits, so that the next client to open the file finds it closed. */
  private static void awaitGivingUp(CompletableFuture<Void> call) throws IOException {
    var unused = Blocking.awaitThoughInterrupted(call, MAX_AFTER_INTERRUPT_MILLIS);
  }

  /** The published file; after {@link #close} only. */
  public FileStatus status() {
    if (status == null) {
      throw new IllegalStateException(output.path() + ": the stream has not been closed");
    }
    return status;
  }

  /** Gives up because of a failure, which gets to know of one here. */
  void abandon(Throwable reason) {
    try {
      abort();
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }

  /** Gives up; see {@link WeftOutput#abort}. A later close does nothing. */
  public void abort() throws IOException {
    if (status == null && !aborted) {
      aborted = true;
      awaitGivingUp(output.abort());
    }
  }
}
