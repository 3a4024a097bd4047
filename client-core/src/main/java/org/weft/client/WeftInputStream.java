package org.weft.client;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.layout.Layout;

/**
 * A file being read, for code that blocks: a stream with a position, read ahead once it is read in
 * sequence, and positional reads beside it. The stream's own position is not thread-safe; {@link
 * #read(long, byte[], int, int)} and {@link #readFully(long, byte[], int, int)} are.
 */
public final class WeftInputStream extends InputStream {
  private static final int CHUNK_BYTES = 2 << 20;
  private static final int FREE_LIMIT = 8;

  /** A range fetched, or being fetched. */
  private record Chunk(
      long offsetBytes, byte[] memory, int length, CompletableFuture<Integer> fetched) {
    long endBytes() {
      return offsetBytes + length;
    }
  }

  private final WeftInput input;
  private final long sizeBytes;
  private final ReadAhead readAhead;
  private final Deque<Chunk> chunks = new ArrayDeque<>();
  private final Deque<byte[]> free = new ArrayDeque<>();
  private long positionBytes;
  private boolean closed;

  /**
   * @param readAheadBytes fetched before they are asked for, at most
   */
  public WeftInputStream(WeftInput input, int readAheadBytes) {
    this.input = input;
    this.sizeBytes = input.status().sizeBytes();
    int unit = input.status().layout().map(Layout::unitBytes).orElse(Layout.DEFAULT_UNIT_BYTES);
    this.readAhead = new ReadAhead(unit, CHUNK_BYTES, readAheadBytes);
  }

  /** Where the next byte comes from. */
  public long positionBytes() {
    return positionBytes;
  }

  /** Length of the file when it was opened. */
  public long sizeBytes() {
    return sizeBytes;
  }

  /** The file as it was when it was opened. */
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
    if (position < 0 || position > sizeBytes) {
      throw new EOFException(
          input.status().path()
              + ": cannot seek to "
              + position
              + ", the file has "
              + sizeBytes
              + " bytes");
    }
    positionBytes = position;
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
    if (length == 0) {
      return 0;
    }
    if (positionBytes >= sizeBytes) {
      return -1;
    }
    Chunk chunk = chunkAt(positionBytes, length);
    int inChunk = (int) (positionBytes - chunk.offsetBytes);
    int copied = Math.min(length, chunk.length - inChunk);
    System.arraycopy(chunk.memory, inChunk, target, offset, copied);
    positionBytes += copied;
    return copied;
  }

  /** The fetched chunk that holds the position; what lies ahead is being fetched. */
  private Chunk chunkAt(long position, int wantedBytes) throws IOException {
    while (!chunks.isEmpty() && chunks.peek().endBytes() <= position) {
      recycle(chunks.poll());
    }
    if (!chunks.isEmpty() && position < chunks.peek().offsetBytes) {
      dropAll();
    }
    if (chunks.isEmpty()) {
      fetch(position, wantedBytes);
    }
    long aheadEnd = Math.min(sizeBytes, position + readAhead.aheadBytes());
    while (chunks.peekLast().endBytes() < aheadEnd) {
      fetch(chunks.peekLast().endBytes(), 0);
    }
    Chunk chunk = chunks.peek();
    try {
      var unused = Blocking.await(chunk.fetched);
    } catch (IOException e) {
      dropAll();
      throw e;
    }
    return chunk;
  }

  private void fetch(long offsetBytes, int wantedBytes) {
    int length =
        (int) Math.min(readAhead.chunkAt(offsetBytes, wantedBytes), sizeBytes - offsetBytes);
    byte[] spare = free.peek() != null && free.peek().length >= length ? free.poll() : null;
    byte[] memory = spare == null ? new byte[length] : spare;
    CompletableFuture<Integer> fetched =
        input.read(offsetBytes, ByteBuffer.wrap(memory, 0, length));
    chunks.add(new Chunk(offsetBytes, memory, length, fetched));
  }

  private void recycle(Chunk chunk) {
    boolean full = chunk.memory.length == CHUNK_BYTES;
    if (full && chunk.fetched.isDone() && free.size() < FREE_LIMIT) {
      free.push(chunk.memory);
    }
  }

  /** Memory of chunks still under way is not used again: somebody writes into it. */
  private void dropAll() {
    chunks.forEach(chunk -> chunk.fetched.cancel(false));
    chunks.clear();
    readAhead.jumped();
  }

  /** Reads at a position, without moving the stream's; see {@link WeftInput#read}. Thread-safe. */
  public int read(long position, byte[] target, int offset, int length) throws IOException {
    requireOpen();
    return Blocking.await(input.read(position, ByteBuffer.wrap(target, offset, length)));
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
              + sizeBytes);
    }
  }

  @Override
  public long skip(long count) throws IOException {
    requireOpen();
    long skipped = Math.max(0, Math.min(count, sizeBytes - positionBytes));
    positionBytes += skipped;
    return skipped;
  }

  /** Bytes that can be read without waiting. */
  @Override
  public int available() throws IOException {
    requireOpen();
    Chunk first = chunks.peek();
    boolean ready =
        first != null
            && first.fetched.isDone()
            && positionBytes >= first.offsetBytes
            && positionBytes < first.endBytes();
    return ready ? (int) (first.endBytes() - positionBytes) : 0;
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException(input.status().path() + ": the stream is closed");
    }
  }

  @Override
  public void close() {
    closed = true;
    dropAll();
    free.clear();
  }
}
