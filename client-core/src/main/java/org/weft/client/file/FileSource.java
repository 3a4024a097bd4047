package org.weft.client.file;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.read.LentBuffer;
import org.weft.protocol.rpc.Payload;

/** Gives the bytes of a file being read; any number of calls at a time. */
public interface FileSource {
  /** The file from a position on, fetched ahead; one call at a time. */
  interface Stream extends AutoCloseable {
    /** Goes on from another position. */
    void seek(long positionBytes);

    /** Fetches no more than so many bytes ahead, nor more than is configured; 0: none. */
    void readAhead(int mostBytes);

    /**
     * Reads at least one byte, and as many as are at hand, into the buffer, whose position moves.
     * The buffer belongs to the read until the future is done; after a failure its position is as
     * before.
     *
     * @return how many bytes were read; -1 at or behind the end
     */
    CompletableFuture<Integer> read(ByteBuffer target);

    /**
     * Copies bytes that have come from the position on, and moves it. Waits for nothing and asks
     * for nothing. After an exception it is not known where the stream is.
     *
     * @return how many bytes were copied; 0 if {@link #read} is to be called, which may have as
     *     much at hand
     */
    int readArrived(byte[] target, int offset, int length);

    /** Gives memory back. After it has returned, no read writes to its buffer any more. */
    @Override
    void close();
  }

  /**
   * Fills the buffer from the offset, as far as the file reaches. It belongs to the read until the
   * future is done, or the caller has taken it back.
   *
   * @return how many bytes were read; -1 at or behind the end
   */
  CompletableFuture<Integer> read(long offsetBytes, LentBuffer target);

  /**
   * Reads from the offset, as far as the file reaches, and gives the bytes where they lie: most are
   * not copied.
   *
   * @return to be released by the caller; empty at or behind the end
   */
  CompletableFuture<Payload> bytes(long offsetBytes, int lengthBytes);

  /** Reads from that position on. */
  Stream stream(long positionBytes);
}
