package org.weft.protocol.transport.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory that payloads arrive in. Some of what is given back is kept for the next payloads. The
 * allocator beneath returns a whole chunk to the system as soon as nothing of it is in use. Fresh
 * memory from the system costs a page fault for every page.
 *
 * <p>Event loops take it, and must not wait for memory. So where little direct memory is left,
 * payloads take the slower heap. What is left is for the small buffers that sockets are read into
 * and written from, which cannot be of the heap.
 *
 * <p>Thread-safe.
 */
public final class PayloadMemory {
  /** Smaller ones are the allocator's affair alone. */
  static final int MIN_BYTES = 64 << 10;

  /** Sizes between two powers of two, so that little is wasted. */
  private static final int STEPS = 4;

  private static final Logger LOG = LoggerFactory.getLogger(PayloadMemory.class);

  private final ByteBufAllocator allocator;
  private final long mostKeptBytes;
  private final LongSupplier directLeftBytes;

  /** What the allocator asks the JVM for at a time. */
  private final long chunkBytes;

  /** A chunk for each event loop. */
  private final long spareBytes;

  private final SortedMap<Integer, Deque<ByteBuf>> keptBySize = new TreeMap<>();
  private long keptBytes;
  private boolean closed;

  /**
   * @param mostKeptBytes of buffers that are not in use
   */
  public PayloadMemory(ByteBufAllocator allocator, long mostKeptBytes) {
    this(allocator, mostKeptBytes, DirectMemory::leftBytes);
  }

  /**
   * Memory of a process that has so much.
   *
   * @param directLeftBytes of direct memory, which others use as well
   */
  public PayloadMemory(
      ByteBufAllocator allocator, long mostKeptBytes, LongSupplier directLeftBytes) {
    this.allocator = allocator;
    this.mostKeptBytes = mostKeptBytes;
    this.directLeftBytes = directLeftBytes;
    if (allocator instanceof PooledByteBufAllocator pool) {
      this.chunkBytes = pool.metric().chunkSize();
      this.spareBytes = chunkBytes * pool.metric().numDirectArenas();
    } else {
      this.chunkBytes = 0;
      this.spareBytes = 0;
    }
  }

  /**
   * An empty buffer with room for exactly that many bytes. It goes back by {@link #give}, or is
   * released as any other.
   *
   * @throws OutOfMemoryError if the heap has none left either
   */
  public ByteBuf take(int bytes) {
    if (bytes < MIN_BYTES) {
      return fresh(bytes, bytes);
    }
    int size = sizeFor(bytes);
    ByteBuf buffer = kept(size);
    if (buffer == null) {
      buffer = fresh(size, size);
    }
    return buffer.clear().capacity(bytes);
  }

  /**
   * An empty buffer with room for so many bytes at first, to be released as any other.
   *
   * @throws OutOfMemoryError as {@link #take}
   */
  public ByteBuf room(int bytes) {
    return fresh(bytes, Integer.MAX_VALUE);
  }

  private ByteBuf fresh(int bytes, int mostBytes) {
    long leftBytes = directLeftBytes.getAsLong();
    if (leftBytes - Math.max(bytes, chunkBytes) < spareBytes) {
      LOG.debug("{} bytes of direct memory are left: {} are of the heap", leftBytes, bytes);
      return allocator.heapBuffer(bytes, mostBytes);
    }
    try {
      return allocator.directBuffer(bytes, mostBytes);
    } catch (OutOfMemoryError e) {
      // Others have taken it meanwhile.
      LOG.debug("no direct memory for {} bytes, taken from the heap: {}", bytes, e.getMessage());
      return allocator.heapBuffer(bytes, mostBytes);
    }
  }

  private static int sizeFor(int bytes) {
    int step = Math.max(1, Integer.highestOneBit(bytes - 1) / STEPS);
    return (bytes + step - 1) / step * step;
  }

  private synchronized ByteBuf kept(int size) {
    Deque<ByteBuf> kept = keptBySize.get(size);
    ByteBuf buffer = kept == null ? null : kept.pollLast();
    keptBytes -= buffer == null ? 0 : size;
    return buffer;
  }

  /** Takes back a buffer that is not used any more. */
  void give(ByteBuf buffer) {
    if (buffer.maxCapacity() < MIN_BYTES || buffer.refCnt() != 1 || !keep(buffer)) {
      buffer.release();
    }
  }

  private synchronized boolean keep(ByteBuf buffer) {
    int size = buffer.maxCapacity();
    if (closed || !buffer.isDirect() || keptBytes + size > mostKeptBytes) {
      return false;
    }
    keptBySize.computeIfAbsent(size, bytes -> new ArrayDeque<>()).addLast(buffer);
    keptBytes += size;
    return true;
  }

  /** Bytes of buffers that wait for payloads. */
  synchronized long keptBytes() {
    return keptBytes;
  }

  /** Keeps nothing any more. */
  public synchronized void close() {
    closed = true;
    keptBySize.values().forEach(kept -> kept.forEach(ByteBuf::release));
    keptBySize.clear();
    keptBytes = 0;
  }
}
