package org.weft.protocol.seam;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.weft.protocol.rpc.Payload;

/**
 * A file that is read and written at offsets. Thread-safe.
 *
 * <p>After {@link #write} a crash of the process loses nothing. A crash of the machine keeps any
 * subset of the unsynced blocks, torn at 4 KiB or 512 bytes. After {@link #sync} every earlier
 * write is durable.
 */
public interface SegmentFile extends AutoCloseable {
  long sizeBytes() throws IOException;

  /**
   * Fills the buffer from the offset; a file that ends before is an {@link java.io.EOFException}.
   */
  void read(ByteBuffer target, long offsetBytes) throws IOException;

  /**
   * As {@link #read}, past all caches where the system can: what is found is what the medium holds,
   * and no cache is filled with it. For a buffer from {@link ByteBuffer#allocateDirect}, and whole
   * blocks of 4 KiB.
   */
  default void readFromMedium(ByteBuffer target, long offsetBytes) throws IOException {
    read(target, offsetBytes);
  }

  /** Writes all that remains in the buffers, one after another, from the offset on. */
  void write(ByteBuffer[] sources, long offsetBytes) throws IOException;

  /** Grows the file with space that is really allocated, or cuts it. */
  void resize(long sizeBytes) throws IOException;

  /** Makes all that was written durable (fdatasync). */
  void sync() throws IOException;

  /**
   * A range of the file as a payload that leaves by the shortest way, without a copy on the heap
   * where the transport can. The bytes are read when they are sent: the range must not change
   * before {@code released} runs, once, when the payload was sent or given up.
   */
  Payload payload(long offsetBytes, int lengthBytes, Runnable released);

  @Override
  void close() throws IOException;
}
