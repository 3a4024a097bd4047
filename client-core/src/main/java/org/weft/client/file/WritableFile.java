package org.weft.client.file;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.base.References;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.FileAttributes;

/**
 * A file that is open for writing and reading at any positions. What each call promises is said
 * where users see it: {@code org.weft.client.WeftFile}. Thread-safe; never blocks.
 */
public interface WritableFile<S> {
  /** Which file this is; never used again for another. */
  long objectId();

  /** False while the grant has been given back to others. */
  default boolean isGranted() {
    return true;
  }

  /** True once that is done: all that was written is published, and on stable storage. */
  default boolean isLent() {
    return false;
  }

  /** True once a failure has ended the writing. */
  boolean hasFailed();

  /** Length, with what was written and gathered. */
  long sizeBytes();

  /**
   * The same for a caller that knows more of the file. What was written before its last cut counts
   * no more, where another client made that cut and this one has not heard of it.
   *
   * @param cuts how often the file was cut by now
   */
  default long writtenBytes(int cuts) {
    return sizeBytes();
  }

  /** Writes what remains in the buffer at a position. */
  CompletableFuture<Void> write(long positionBytes, ByteBuffer data);

  /**
   * The same, where whole stripes may be kept in the buffer's memory and written later, if the file
   * gathers writes.
   *
   * @param memory of this buffer and no other; the caller stays its owner until the future is done
   */
  CompletableFuture<Void> write(long positionBytes, ByteBuffer data, References memory);

  /** Reads at a position; gives how many bytes were read, -1 at or behind the end. */
  CompletableFuture<Integer> read(long positionBytes, ByteBuffer target);

  /** Sets the length, and publishes it. */
  CompletableFuture<Void> setLength(long sizeBytes);

  /** Lets a range read as zeros and gives its space back. */
  CompletableFuture<Void> punch(long positionBytes, long lengthBytes);

  /** Publishes the length. */
  CompletableFuture<Void> hflush();

  /** As {@link #hflush}, and everything is on stable storage. */
  CompletableFuture<Void> hsync();

  /**
   * The same.
   *
   * @return the file as its manager shows it from then on; empty if that did not have to be told
   */
  CompletableFuture<Optional<FileAttributes>> sync();

  /** {@link #write} and {@link #sync} in one call: a few bytes have less to wait for. */
  CompletableFuture<Optional<FileAttributes>> writeAndSync(long positionBytes, ByteBuffer data);

  /** Publishes the length and gives the grant back. */
  CompletableFuture<S> close();

  /** Gives up. */
  CompletableFuture<Void> abort();

  /** Sets the length and closes the file. If that fails the file is given up, for others. */
  default CompletableFuture<S> resize(long sizeBytes) {
    return setLength(sizeBytes)
        .thenCompose(nothing -> close())
        .exceptionallyCompose(
            thrown ->
                abort()
                    .handle((nothing, unheard) -> null)
                    .thenCompose(over -> CompletableFuture.failedFuture(WeftException.of(thrown))));
  }
}
