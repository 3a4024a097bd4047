package org.weft.client.stripe.read;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.UnitPool;
import org.weft.protocol.error.WeftException;

/**
 * Reads a file one piece after another and fetches ahead what is foreseen: see {@link
 * AccessPattern}. Memory stays within the options' read-ahead and is reserved in the shared pool.
 * Bytes are copied once, from the payloads that they came in to the caller's buffer.
 *
 * <p>Calls come one after another, the next one when the last one's future is done. They may come
 * from different threads, and {@link #close} at any time.
 */
public final class StripeStream implements AutoCloseable {
  private static final int CHUNKS_AHEAD = 4;

  private final StripeContext context;
  private final StripeReader reader;
  private final long likelyEndBytes;
  private final AtomicLong heldBytes = new AtomicLong();

  // Guarded by the monitor.
  private final AccessPattern pattern;
  private final List<Chunk> chunks = new ArrayList<>();
  private final ByteWindow window = new ByteWindow();

  /** What the position lies in and has come; null if that is not known. */
  private Chunk current;

  private int mostAheadBytes;
  private long positionBytes;
  private boolean closed;

  /**
   * A stream.
   *
   * @param expected how it will be read
   * @param likelyEndBytes nothing behind it is fetched before it is asked for
   */
  StripeStream(
      StripeContext context,
      StripeReader reader,
      long positionBytes,
      ExpectedPattern expected,
      long likelyEndBytes) {
    this.context = context;
    this.reader = reader;
    this.positionBytes = positionBytes;
    this.likelyEndBytes = Math.min(likelyEndBytes, reader.sizeBytes());
    this.mostAheadBytes = context.options().readAheadBytes();
    this.pattern = new AccessPattern(expected, mostAheadBytes, positionBytes);
  }

  public synchronized long positionBytes() {
    return positionBytes;
  }

  public long sizeBytes() {
    return reader.sizeBytes();
  }

  /** Goes on from another position; what was fetched is kept as far as it is still foreseen. */
  public void seek(long newPositionBytes) {
    if (newPositionBytes < 0) {
      throw new IllegalArgumentException("a position cannot be negative: " + newPositionBytes);
    }
    synchronized (this) {
      if (newPositionBytes != positionBytes) {
        pattern.seek(newPositionBytes);
        positionBytes = newPositionBytes;
        leaveChunk();
      }
    }
  }

  /**
   * From the next read on, fetches no more than so many bytes ahead, and never more than the
   * options say. Zero means that only what was asked for is fetched.
   */
  public synchronized void readAhead(int mostBytes) {
    if (mostBytes < 0) {
      throw new IllegalArgumentException("read-ahead cannot be negative: " + mostBytes);
    }
    mostAheadBytes = Math.min(mostBytes, context.options().readAheadBytes());
    pattern.foreseeAtMost(mostAheadBytes);
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
      fetch(target.remaining());
      chunk = chunkAt(positionBytes);
    }
    // More is not copied on an event loop, where what was waited for arrives.
    boolean here =
        chunk.fetched.isDone() || chunk.lengthBytes <= ComponentRead.MAX_EVENT_LOOP_BYTES;
    return chunk.fetched.handleAsync(
        (nothing, thrown) -> taken(thrown, target),
        here ? Runnable::run : context::executeElsewhere);
  }

  /**
   * Copies bytes that have come from the position on, and moves it: the way of nearly all reads in
   * order. It serves what one chunk has whole. For more, and once a chunk has ended, {@link #read}
   * is to be called. That goes on with the next chunks, and has those fetched that such reads need.
   *
   * @return {@code length}; or 0, and then nothing was copied and {@link #read} is to be called
   */
  public synchronized int readArrived(byte[] target, int offset, int length) {
    if (current == null || length > current.endBytes - positionBytes) {
      return 0;
    }
    int copied = 0;
    while (copied < length) {
      if (window.isEmpty()) {
        current.bytes.show((int) (positionBytes - current.startBytes), window);
      }
      int count = window.copy(target, offset + copied, length - copied);
      positionBytes += count;
      pattern.read(count);
      copied += count;
    }
    if (positionBytes == current.endBytes) {
      passed(current);
    }
    return copied;
  }

  /** All of it was read. */
  private void passed(Chunk chunk) {
    leaveChunk();
    if (!pattern.isBackward()) {
      chunks.remove(chunk);
      chunk.giveBack();
    }
  }

  private void leaveChunk() {
    current = null;
    window.close();
  }

  /** Copies from all chunks that have come, in order. */
  private synchronized int taken(Throwable thrown, ByteBuffer target) {
    if (thrown != null) {
      dropAll();
      throw new CompletionException(WeftException.of(thrown));
    }
    int before = target.remaining();
    Chunk chunk = chunkAt(positionBytes);
    while (target.hasRemaining() && chunk != null && chunk.isReadable()) {
      int index = (int) (positionBytes - chunk.startBytes);
      int count = Math.min(target.remaining(), chunk.lengthBytes - index);
      chunk.bytes.copy(index, count, target);
      positionBytes += count;
      pattern.read(count);
      if (positionBytes == chunk.endBytes) {
        passed(chunk);
      }
      chunk = chunkAt(positionBytes);
    }
    leaveChunk();
    current = chunk != null && chunk.isReadable() ? chunk : null;
    return before - target.remaining();
  }

  private Chunk chunkAt(long offsetBytes) {
    for (Chunk chunk : chunks) {
      if (offsetBytes >= chunk.startBytes && offsetBytes < chunk.endBytes) {
        return chunk;
      }
    }
    return null;
  }

  private void dropAll() {
    leaveChunk();
    chunks.forEach(Chunk::drop);
    chunks.clear();
  }

  /** Sees to it that what is asked for, and what is foreseen, is there or under way. */
  private void fetch(int wantedBytes) {
    long from = positionBytes - pattern.behindBytes();
    long to = positionBytes + wantedBytes + pattern.aheadBytes();
    for (Chunk chunk : List.copyOf(chunks)) {
      boolean isWanted = chunk.startBytes < to && chunk.endBytes > from;
      if (!isWanted && !isStrideAhead(chunk)) {
        leaveChunk();
        chunks.remove(chunk);
        chunk.drop();
      }
    }
    fetchOnward(wantedBytes, to);
    if (pattern.isBackward()) {
      fetchBackward(Math.max(0, from));
    } else {
      fetchStrides();
    }
  }

  /**
   * From the position on; at least what it lies in, of what is not asked for what there is room.
   */
  private void fetchOnward(int wantedBytes, long to) {
    long askedEnd = positionBytes + wantedBytes;
    long end = Math.min(reader.sizeBytes(), Math.max(askedEnd, Math.min(to, likelyEndBytes)));
    int length = chunkBytes(wantedBytes, end - positionBytes);
    long next = positionBytes;
    while (next < end) {
      Chunk there = chunkAt(next);
      if (there == null) {
        boolean isFirst = next == positionBytes;
        there = tryFetch(next, Math.min(endOfChunk(next, length), startBehind(next)), isFirst);
      }
      if (there == null) {
        return;
      }
      next = there.endBytes;
    }
  }

  /**
   * Long enough that a few make up what is foreseen, and not so long that much is fetched which is
   * not.
   */
  private int chunkBytes(int wantedBytes, long foreseenBytes) {
    long least = Math.min(AccessPattern.FIRST_BYTES, foreseenBytes);
    long share = Math.max(wantedBytes, foreseenBytes / CHUNKS_AHEAD);
    return (int) Math.max(1, Math.min(Math.max(least, share), longestChunk()));
  }

  private int longestChunk() {
    int share = context.options().readAheadBytes() / CHUNKS_AHEAD;
    return Math.max(1, Math.min(share, context.options().sliceBytes()));
  }

  /** Chunks end where stripes do, once they are longer than a stripe. */
  private long endOfChunk(long startBytes, int lengthBytes) {
    long end = startBytes + lengthBytes;
    boolean isLong = lengthBytes >= reader.stripeBytes();
    return Math.min(reader.sizeBytes(), isLong ? end - end % reader.stripeBytes() : end);
  }

  /** Where what has been fetched begins again. */
  private long startBehind(long offsetBytes) {
    long start = Long.MAX_VALUE;
    for (Chunk chunk : chunks) {
      if (chunk.startBytes > offsetBytes) {
        start = Math.min(start, chunk.startBytes);
      }
    }
    return start;
  }

  private void fetchBackward(long from) {
    int length = chunkBytes(1, pattern.behindBytes());
    long end = positionBytes;
    Chunk there = chunkAt(end);
    while (there != null && there.startBytes > from) {
      end = there.startBytes;
      Chunk before = chunkAt(end - 1);
      there = before != null ? before : tryFetch(Math.max(from, end - length), end, false);
    }
  }

  private void fetchStrides() {
    for (int ahead = 1; ahead <= pattern.stridesAhead(); ahead++) {
      long start = pattern.runStart() + ahead * pattern.distance();
      if (start < 0 || start >= reader.sizeBytes()) {
        return;
      }
      long end = start + Math.min(pattern.strideBytes(), longestChunk());
      boolean isThere = chunkAt(start) != null;
      if (!isThere && tryFetch(start, Math.min(end, reader.sizeBytes()), false) == null) {
        return;
      }
    }
  }

  private boolean isStrideAhead(Chunk chunk) {
    if (pattern.stridesAhead() == 0) {
      return false;
    }
    long from = chunk.startBytes - pattern.runStart();
    long ahead = from / pattern.distance();
    return from % pattern.distance() == 0 && ahead >= 0 && ahead <= pattern.stridesAhead();
  }

  /**
   * Fetches a range; null if there is no memory for what has not been asked for yet.
   *
   * @param isAsked a read waits for it
   */
  private Chunk tryFetch(long start, long end, boolean isAsked) {
    int length = (int) (end - start);
    int bytes = UnitPool.capacity(length);
    if (isAsked) {
      context.pool().reserve(bytes);
    } else if (heldBytes.get() + bytes > mostAheadBytes || !context.pool().tryReserve(bytes)) {
      return null;
    }
    FetchedBytes memory;
    try {
      memory = new FetchedBytes(length, bytes, context.pool());
    } catch (RuntimeException | Error e) {
      context.pool().unreserve(bytes);
      throw e;
    }
    Chunk chunk;
    try {
      chunk = new Chunk(start, length, memory);
      chunks.add(chunk);
    } catch (RuntimeException | Error e) {
      // Nothing has been asked for yet.
      memory.giveBack();
      throw e;
    }
    heldBytes.addAndGet(bytes);
    chunk.fetch();
    return chunk;
  }

  /**
   * Gives memory back. A read under way ends on its own; once this has returned, it writes nothing
   * to its buffer any more.
   */
  @Override
  public synchronized void close() {
    closed = true;
    dropAll();
  }

  /** A part of the file, fetched or on its way. */
  private final class Chunk {
    private final long startBytes;
    private final long endBytes;
    private final int lengthBytes;
    private final FetchedBytes bytes;
    private final CompletableFuture<Void> fetched = new CompletableFuture<>();

    Chunk(long startBytes, int lengthBytes, FetchedBytes bytes) {
      this.startBytes = startBytes;
      this.endBytes = startBytes + lengthBytes;
      this.lengthBytes = lengthBytes;
      this.bytes = bytes;
    }

    /** Begins to fetch. Never throws; the memory is given back when no thread writes to it. */
    void fetch() {
      try {
        reader.read(startBytes, bytes, fetched);
      } catch (RuntimeException | Error e) {
        fetched.completeExceptionally(e);
      }
    }

    boolean isReadable() {
      return fetched.isDone() && !fetched.isCompletedExceptionally();
    }

    /** Not needed any more, although it may still be on its way. */
    void drop() {
      var unused = fetched.whenComplete((nothing, thrown) -> giveBack());
    }

    void giveBack() {
      bytes.giveBack();
      heldBytes.addAndGet(-UnitPool.capacity(lengthBytes));
    }
  }
}
