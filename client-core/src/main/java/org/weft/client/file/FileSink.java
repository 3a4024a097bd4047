package org.weft.client.file;

import java.nio.ByteBuffer;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.base.CompletePoint;

/** Takes the bytes of a file being written; one call at a time. */
public interface FileSink {
  /**
   * What was written.
   *
   * @param complete the last write sequence number that is complete on every component
   * @param fresh some of it was acknowledged since the call began that says so: the grant was in
   *     force then
   * @param changed bytes that may lie within the length that was published last were written since
   * @param cuts how often the file had been cut when it had that length; empty: no other client can
   *     have cut it since
   */
  record Written(
      long sizeBytes, CompletePoint complete, boolean fresh, boolean changed, OptionalInt cuts) {
    /** Of which bytes were added at the end, if at all. */
    Written(long sizeBytes, CompletePoint complete, boolean fresh) {
      this(sizeBytes, complete, fresh, false, OptionalInt.empty());
    }

    /** Of which it is not known whether the grant is still in force. */
    Written(long sizeBytes, CompletePoint complete) {
      this(sizeBytes, complete, false);
    }
  }

  /**
   * Appends what remains in the buffer, and moves its position to its limit. Completes when the
   * buffer may be used again, which is not when the bytes have arrived; fails when any write so far
   * has failed.
   */
  CompletableFuture<Void> write(ByteBuffer data);

  /**
   * Writes what is still held back, and goes on afterwards; completes when every component has
   * acknowledged everything.
   *
   * @param onStableStorage and has it there
   */
  CompletableFuture<Written> flush(boolean onStableStorage);

  /** Writes what is still held back; completes when every component has acknowledged everything. */
  CompletableFuture<Written> finish();

  /** Ends all writing, and gives the buffers back. */
  void drop();

  /** False while the grant is given back, because others wanted the file. */
  default boolean isGranted() {
    return true;
  }

  /** True once it has been given back, with all that was written. */
  default boolean isLent() {
    return false;
  }

  /**
   * True if nothing is lost by a call that found others to write the file: it may be made again.
   */
  default boolean mayAskAgain() {
    return false;
  }
}
