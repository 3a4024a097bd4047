package org.weft.client.stripe.base;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.transport.memory.DirectMemory;

/**
 * Direct buffers for all streams of a client. Memory is reserved first, within the limit or, by a
 * stream that holds nothing else, beyond it. So no stream ever waits for another one's memory, and
 * none can block another for good. Thread-safe.
 */
public final class UnitPool {
  private static final Logger LOG = LoggerFactory.getLogger(UnitPool.class);

  /** Of direct memory: several threads may allocate at the same time. */
  private static final long MIN_LEFT_BYTES = 8L << 20;

  private static final int MIN_BYTES = 4_096;

  private final long limitBytes;
  private final IntFunction<ByteBuffer> allocation;
  private final AtomicLong reservedBytes = new AtomicLong();

  // Guarded by the monitor.
  private final SortedMap<Integer, Deque<ByteBuffer>> freeBySize = new TreeMap<>();
  private long takenBytes;
  private long freeBytes;

  public UnitPool(long limitBytes) {
    this(limitBytes, UnitPool::allocate);
  }

  /**
   * A pool of other memory than that of this process.
   *
   * @param allocation makes a buffer of so many bytes, or throws OutOfMemoryError
   */
  public UnitPool(long limitBytes, IntFunction<ByteBuffer> allocation) {
    this.limitBytes = limitBytes;
    this.allocation = allocation;
  }

  /** Of a buffer for so many bytes: powers of two, so that it can be used again. */
  public static int capacity(int lengthBytes) {
    return Math.max(MIN_BYTES, Integer.highestOneBit(2 * lengthBytes - 1));
  }

  /** Reserves if the limit allows it. */
  public boolean tryReserve(long bytes) {
    long most = limitBytes - bytes;
    return reservedBytes.getAndUpdate(held -> held <= most ? held + bytes : held) <= most;
  }

  /** Reserves, beyond the limit if need be. */
  public void reserve(long bytes) {
    reservedBytes.addAndGet(bytes);
  }

  public void unreserve(long bytes) {
    reservedBytes.addAndGet(-bytes);
  }

  /**
   * A buffer of that capacity with any content, out of what the caller has reserved.
   *
   * @throws OutOfMemoryError if this process has none left, whatever was reserved
   */
  public ByteBuffer take(int bytes) {
    synchronized (this) {
      takenBytes += bytes;
      Deque<ByteBuffer> free = freeBySize.get(bytes);
      ByteBuffer kept = free == null ? null : free.pollLast();
      if (kept != null) {
        freeBytes -= bytes;
        return kept.clear();
      }
      dropSpare();
    }
    try {
      return allocation.apply(bytes);
    } catch (OutOfMemoryError e) {
      synchronized (this) {
        takenBytes -= bytes;
      }
      throw e;
    }
  }

  /**
   * Free buffers of other sizes go, so that they and those that are out keep within the limit. The
   * largest go first; the garbage collector gives their memory back.
   */
  private void dropSpare() {
    while (freeBytes > 0 && takenBytes + freeBytes > limitBytes) {
      int bytes = freeBySize.lastKey();
      if (freeBySize.get(bytes).pollFirst() == null) {
        freeBySize.remove(bytes);
      } else {
        freeBytes -= bytes;
      }
    }
  }

  private static ByteBuffer allocate(int bytes) {
    return allocate(bytes, DirectMemory.leftBytes());
  }

  /**
   * Where little direct memory is left, the JVM has its allocation wait for the garbage collector.
   * Event loops and timers take buffers, too, and must not wait: the heap does as well, slower.
   *
   * @param leftBytes of direct memory, which the transport uses as well
   */
  static ByteBuffer allocate(int bytes, long leftBytes) {
    if (leftBytes - bytes < MIN_LEFT_BYTES) {
      LOG.debug("{} bytes of direct memory are left: {} are of the heap", leftBytes, bytes);
      return ByteBuffer.allocate(bytes);
    }
    try {
      return ByteBuffer.allocateDirect(bytes);
    } catch (OutOfMemoryError e) {
      // Others have taken it meanwhile.
      LOG.debug(
          "no direct memory left for {} bytes, taken from the heap: {}", bytes, e.getMessage());
      return ByteBuffer.allocate(bytes);
    }
  }

  /**
   * Takes a buffer back. No thread may look at it any more. One of the heap is not kept: there is
   * direct memory again by then.
   */
  public synchronized void give(ByteBuffer buffer) {
    int bytes = buffer.capacity();
    takenBytes -= bytes;
    if (buffer.isDirect() && takenBytes + freeBytes + bytes <= limitBytes) {
      freeBySize.computeIfAbsent(bytes, size -> new ArrayDeque<>()).addLast(buffer);
      freeBytes += bytes;
    }
  }

  /** Bytes reserved now; 0 once all streams have ended. */
  public long reservedBytes() {
    return reservedBytes.get();
  }

  /** Bytes of buffers that are out; 0 once all streams have ended. */
  public synchronized long takenBytes() {
    return takenBytes;
  }
}
