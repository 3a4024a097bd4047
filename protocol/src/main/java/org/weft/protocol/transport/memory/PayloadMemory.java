package org.weft.protocol.transport.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Memory that payloads arrive in. Some of what is given back is kept for the next ones: the
 * allocator beneath returns whole chunks to the system as soon as nothing of them is in use, and
 * memory that comes fresh from there costs page faults for every page. Thread-safe.
 */
public final class PayloadMemory {
  /** Smaller ones are the allocator's affair alone. */
  static final int LEAST_BYTES = 64 << 10;

  /** Sizes between two powers of two, so that little is wasted. */
  private static final int STEPS = 4;

  private final ByteBufAllocator allocator;
  private final long mostKeptBytes;
  private final SortedMap<Integer, Deque<ByteBuf>> keptBySize = new TreeMap<>();
  private long keptBytes;
  private boolean closed;

  /**
   * @param mostKeptBytes of buffers that are not in use
   */
  public PayloadMemory(ByteBufAllocator allocator, long mostKeptBytes) {
    this.allocator = allocator;
    this.mostKeptBytes = mostKeptBytes;
  }

  /**
   * An empty buffer with room for exactly that many bytes. It goes back by {@link #give}, or is
   * released as any other.
   */
  public ByteBuf take(int bytes) {
    if (bytes < LEAST_BYTES) {
      return allocator.directBuffer(bytes, bytes);
    }
    int size = sizeFor(bytes);
    ByteBuf buffer = kept(size);
    if (buffer == null) {
      buffer = allocator.directBuffer(size, size);
    }
    return buffer.clear().capacity(bytes);
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
    if (buffer.maxCapacity() < LEAST_BYTES || buffer.refCnt() != 1 || !keep(buffer)) {
      buffer.release();
    }
  }

  private synchronized boolean keep(ByteBuf buffer) {
    int size = buffer.maxCapacity();
    if (closed || keptBytes + size > mostKeptBytes) {
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
