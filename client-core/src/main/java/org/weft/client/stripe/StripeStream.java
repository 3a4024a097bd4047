package org.weft.client.stripe;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.rpc.RpcException;

/**
 * Reads a file one piece after another and fetches ahead what will be asked for next. It starts
 * with little and fetches further ahead the longer it is read in order; memory stays within the
 * options' read-ahead and comes from the shared pool.
 *
 * <p>Calls come one after another, the next one when the last one's future is done; they may come
 * from different threads, and {@link #close} at any time.
 */
public final class StripeStream implements AutoCloseable {
  private static final int FIRST_CHUNK_BYTES = 256 << 10;
  private static final int CHUNKS_AHEAD = 4;

  private final StripeEngine engine;
  private final StripeReader reader;

  // Guarded by the monitor.
  private final Deque<Chunk> ahead = new ArrayDeque<>();
  private long positionBytes;
  private int chunkBytes = FIRST_CHUNK_BYTES;
  private boolean closed;

  StripeStream(StripeEngine engine, StripeReader reader, long positionBytes) {
    this.engine = engine;
    this.reader = reader;
    this.positionBytes = positionBytes;
  }

  public synchronized long positionBytes() {
    return positionBytes;
  }

  public long sizeBytes() {
    return reader.sizeBytes();
  }

  /** Goes on from another position; what was fetched is kept as far as it lies ahead. */
  public void seek(long newPositionBytes) {
    if (newPositionBytes < 0) {
      throw new IllegalArgumentException("a position cannot be negative: " + newPositionBytes);
    }
    synchronized (this) {
      boolean covered =
          !ahead.isEmpty()
              && newPositionBytes >= ahead.getFirst().startBytes
              && newPositionBytes < ahead.getLast().endBytes();
      if (!covered && newPositionBytes != positionBytes) {
        dropAll();
        chunkBytes = FIRST_CHUNK_BYTES;
      }
      positionBytes = newPositionBytes;
    }
  }

  /**
   * Reads at least one byte, and as many as are at hand, into the buffer, whose position moves. The
   * buffer belongs to the read until the future is done. Fails as {@link StripeReader#read} does;
   * the next call tries again.
   *
   * @return how many bytes were read; -1 at the end of the file
   */
  public CompletableFuture<Integer> read(ByteBuffer target) {
    Chunk chunk;
    synchronized (this) {
      if (closed) {
        throw new IllegalStateException("the stream has been closed");
      }
      if (!target.hasRemaining()) {
        return CompletableFuture.completedFuture(0);
      }
      if (positionBytes >= reader.sizeBytes()) {
        return CompletableFuture.completedFuture(-1);
      }
      dropPassed();
      fetchAhead();
      chunk = ahead.getFirst();
    }
    return chunk.fetched.handle(
        (count, thrown) -> {
          if (thrown != null) {
            synchronized (this) {
              dropAll();
            }
            throw new java.util.concurrent.CompletionException(RpcException.of(thrown));
          }
          return take(target);
        });
  }

  /** Copies from all chunks that have come, in order. */
  private synchronized int take(ByteBuffer target) {
    int before = target.remaining();
    while (target.hasRemaining() && !ahead.isEmpty() && ahead.getFirst().isReadable()) {
      Chunk chunk = ahead.getFirst();
      int index = (int) (positionBytes - chunk.startBytes);
      int count = Math.min(target.remaining(), chunk.lengthBytes - index);
      target.put(target.position(), chunk.buffer, index, count);
      target.position(target.position() + count);
      positionBytes += count;
      if (positionBytes == chunk.endBytes()) {
        ahead.removeFirst().giveBack();
        chunkBytes = Math.min(2 * chunkBytes, longestChunk());
      }
    }
    return before - target.remaining();
  }

  private int longestChunk() {
    int share = engine.options().readAheadBytes() / CHUNKS_AHEAD;
    return Math.max(1, Math.min(share, engine.options().sliceBytes()));
  }

  private void dropPassed() {
    while (!ahead.isEmpty() && ahead.getFirst().endBytes() <= positionBytes) {
      ahead.removeFirst().drop();
    }
  }

  private void dropAll() {
    ahead.forEach(Chunk::drop);
    ahead.clear();
  }

  /** Keeps a few chunks under way; at least the one that holds the position. */
  private void fetchAhead() {
    long next = ahead.isEmpty() ? positionBytes : ahead.getLast().endBytes();
    while (ahead.size() < CHUNKS_AHEAD && next < reader.sizeBytes()) {
      int length = (int) (endOfChunk(next) - next);
      if (ahead.isEmpty()) {
        engine.pool().reserve(capacity(length));
      } else if (!engine.pool().tryReserve(capacity(length))) {
        return;
      }
      Chunk chunk = new Chunk(next, length);
      ahead.addLast(chunk);
      next = chunk.endBytes();
    }
  }

  /** Chunks end where stripes do, once they are longer than a stripe. */
  private long endOfChunk(long startBytes) {
    long end = startBytes + Math.min(chunkBytes, longestChunk());
    long aligned = end - end % reader.stripeBytes();
    return Math.min(reader.sizeBytes(), aligned > startBytes ? aligned : end);
  }

  /** Powers of two, so that the pool can use buffers again. */
  private static int capacity(int lengthBytes) {
    return Math.max(4096, Integer.highestOneBit(2 * lengthBytes - 1));
  }

  /** Gives memory back; a read under way ends on its own. */
  @Override
  public synchronized void close() {
    closed = true;
    dropAll();
  }

  /** A part of the file, fetched or on its way. */
  private final class Chunk {
    private final long startBytes;
    private final int lengthBytes;
    private final ByteBuffer buffer;
    private final CompletableFuture<Integer> fetched;

    Chunk(long startBytes, int lengthBytes) {
      this.startBytes = startBytes;
      this.lengthBytes = lengthBytes;
      this.buffer = engine.pool().take(capacity(lengthBytes));
      this.fetched = reader.read(startBytes, buffer.slice(0, lengthBytes));
    }

    long endBytes() {
      return startBytes + lengthBytes;
    }

    boolean isReadable() {
      return fetched.isDone() && !fetched.isCompletedExceptionally();
    }

    /** Not needed any more, although it may still be on its way. */
    void drop() {
      var unused = fetched.whenComplete((count, thrown) -> giveBack());
    }

    void giveBack() {
      engine.pool().give(buffer);
      engine.pool().unreserve(capacity(lengthBytes));
    }
  }
}
