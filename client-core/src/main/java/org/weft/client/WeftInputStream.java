package org.weft.client;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A file being read, for code that blocks: a stream with a position, which is read ahead, and
 * positional reads beside it. The stream's own position is not thread-safe; {@link #read(long,
 * byte[], int, int)} and {@link #readFully(long, byte[], int, int)} are.
 *
 * <p>The end of the file is where it was when the file was opened. A caller that follows a growing
 * file calls {@link #refresh} when it has come to the end, and goes on reading.
 */
public final class WeftInputStream extends InputStream {
  private static final int SMALL_READ_BYTES = 8 << 10;

  private final WeftInput input;
  private WeftInput.Cursor cursor;

  /**
   * What small reads are served from where the cursor had nothing at hand: the bytes before its
   * position.
   */
  private final ByteBuffer small = ByteBuffer.allocate(SMALL_READ_BYTES).limit(0);

  private int mostAheadBytes = Integer.MAX_VALUE;
  private boolean closed;

  /** The input is closed with the stream. */
  public WeftInputStream(WeftInput input) {
    this.input = input;
    this.cursor = input.cursor();
  }

  /** Where the next byte comes from. */
  public long positionBytes() {
    return cursor.positionBytes() - small.remaining();
  }

  /** Length of the file when it was opened, or refreshed last. */
  public long sizeBytes() {
    return input.status().sizeBytes();
  }

  /** Asks how long the file is by now; what came to be is read by this stream, too. */
  public long refresh() throws IOException {
    requireOpen();
    return Blocking.await(input.refresh());
  }

  /** The file as it was when it was opened, or refreshed last. */
  public FileStatus status() {
    return input.status();
  }

  /**
   * Goes to a position, up to the file's end.
   *
   * @throws EOFException if it lies before the beginning or behind the end
   */
  public void seek(long position) throws IOException {
    requireOpen();
    if (position < 0 || position > sizeBytes()) {
      throw new EOFException(
          input.status().path()
              + ": cannot seek to "
              + position
              + ", the file has "
              + sizeBytes()
              + " bytes");
    }
    long ahead = position - positionBytes();
    if (ahead >= 0 && ahead <= small.remaining()) {
      small.position(small.position() + (int) ahead);
    } else {
      small.limit(small.position());
      cursor.seek(position);
    }
  }

  /**
   * From the next read on, fetches no more than so many bytes ahead of the position, and never more
   * than the client was configured with. 0: only what was asked for. Small reads are served from a
   * few KiB all the same.
   */
  public void readAhead(int mostBytes) throws IOException {
    requireOpen();
    if (mostBytes < 0) {
      throw new IllegalArgumentException("read-ahead cannot be negative: " + mostBytes);
    }
    mostAheadBytes = mostBytes;
    cursor.readAhead(mostBytes);
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    requireOpen();
    // Nearly all reads of a file in order end here: what follows is the way of those that wait.
    int count = small.hasRemaining() ? 0 : cursor.readArrived(target, offset, length);
    return count > 0 ? count : read(ByteBuffer.wrap(target, offset, length));
  }

  /**
   * Reads as {@link #read(byte[], int, int)} does, and moves the buffer's position. A read that
   * fails or is interrupted moves neither position, and the next read begins at the same byte.
   */
  public int read(ByteBuffer target) throws IOException {
    requireOpen();
    if (!target.hasRemaining()) {
      return 0;
    }
    if (!small.hasRemaining()) {
      if (target.remaining() >= SMALL_READ_BYTES) {
        return readDirectly(target);
      }
      if (!fillSmall()) {
        return -1;
      }
    }
    int copied = Math.min(target.remaining(), small.remaining());
    target.put(small.slice(small.position(), copied));
    small.position(small.position() + copied);
    return copied;
  }

  private int readDirectly(ByteBuffer target) throws IOException {
    int start = target.position();
    int count = 0;
    try {
      count = cursor.read(target);
    } finally {
      target.position(start + Math.max(0, count));
    }
    return count;
  }

  /** False at the end of the file. */
  private boolean fillSmall() throws IOException {
    small.clear();
    int count = 0;
    try {
      count = cursor.read(small);
    } finally {
      // Bytes that a failed read left in the buffer do not count: the cursor has not moved.
      small.position(0).limit(Math.max(0, count));
    }
    return count >= 0;
  }

  /**
   * Reads at a position, without moving the stream's; see {@link WeftInput#readAndWait}.
   * Thread-safe.
   */
  public int read(long position, byte[] target, int offset, int length) throws IOException {
    requireOpen();
    return input.readAndWait(position, ByteBuffer.wrap(target, offset, length));
  }

  /**
   * Reads that many bytes at a position, without moving the stream's. Thread-safe.
   *
   * @throws EOFException if the file ends before
   */
  public void readFully(long position, byte[] target, int offset, int length) throws IOException {
    int count = read(position, target, offset, length);
    if (count < length) {
      throw new EOFException(
          input.status().path()
              + ": "
              + length
              + " bytes at "
              + position
              + " reach behind the end at "
              + sizeBytes());
    }
  }

  @Override
  public long skip(long count) throws IOException {
    long skipped = Math.max(0, Math.min(count, sizeBytes() - positionBytes()));
    seek(positionBytes() + skipped);
    return skipped;
  }

  /** Bytes up to the end as it is known: 0 there, until {@link #refresh} finds more. */
  @Override
  public int available() throws IOException {
    requireOpen();
    return (int) Math.min(Integer.MAX_VALUE, Math.max(0, sizeBytes() - positionBytes()));
  }

  /** Gives back what was fetched ahead; the position stays, and the next read fetches anew. */
  public void unbuffer() {
    if (closed) {
      return;
    }
    long position = positionBytes();
    small.limit(small.position());
    cursor.close();
    cursor = input.cursor();
    cursor.readAhead(mostAheadBytes);
    cursor.seek(position);
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException(input.status().path() + ": the stream is closed");
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      cursor.close();
      input.close();
    }
  }
}
