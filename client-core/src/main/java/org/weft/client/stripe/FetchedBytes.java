package org.weft.client.stripe;

import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What a stream has fetched ahead. Bytes stay in the payloads that they came in; what was decoded,
 * was never written, or came in pieces lies in a buffer of the pool, which is taken when it is
 * first needed. Thread-safe.
 *
 * <p>Payloads are memory that the garbage collector does not know: of streams that nobody has
 * closed it is given back when they have become unreachable.
 */
final class FetchedBytes implements ReadTarget {
  // The JDK's own thread: one that is made here would hold this class's loader for ever.
  private static final Cleaner CLEANER = Cleaner.create();

  private final int lengthBytes;
  private final Held held;
  private final Cleaner.Cleanable whenUnreachable;

  /**
   * Nothing yet.
   *
   * @param capacityBytes of the buffer, if one is needed; the caller has reserved as much, and it
   *     is given back with the rest
   */
  FetchedBytes(int lengthBytes, int capacityBytes, UnitPool pool) {
    this.lengthBytes = lengthBytes;
    this.held = new Held(capacityBytes, pool);
    this.whenUnreachable = CLEANER.register(this, held);
  }

  @Override
  public int lengthBytes() {
    return lengthBytes;
  }

  @Override
  public ByteBuffer memory(int index, int length) {
    return held.buffer().slice(index, length);
  }

  @Override
  public boolean keepsArrived() {
    return true;
  }

  @Override
  public void keep(int index, ArrivedBytes bytes) {
    held.keep(index, bytes);
  }

  /** Copies bytes to where the target stands, and moves its position. Everything has come. */
  void copy(int index, int count, ByteBuffer target) {
    held.copy(index, index + count, target);
  }

  /** Lets go of all memory; nothing is put here or copied any more. */
  void giveBack() {
    whenUnreachable.clean();
  }

  /** All memory, without the way to whom it belongs. */
  private static final class Held implements Runnable {
    private final int capacityBytes;
    private final UnitPool pool;
    private final NavigableMap<Integer, ArrivedBytes> arrived = new TreeMap<>();
    private ByteBuffer buffer;

    Held(int capacityBytes, UnitPool pool) {
      this.capacityBytes = capacityBytes;
      this.pool = pool;
    }

    synchronized ByteBuffer buffer() {
      if (buffer == null) {
        buffer = pool.take(capacityBytes);
      }
      return buffer;
    }

    synchronized void keep(int index, ArrivedBytes bytes) {
      arrived.put(index, bytes);
    }

    synchronized void copy(int from, int to, ByteBuffer target) {
      int at = from;
      while (at < to) {
        Map.Entry<Integer, ArrivedBytes> part = arrived.floorEntry(at);
        int inPart = part == null ? 0 : at - part.getKey();
        int count;
        if (part != null && inPart < part.getValue().lengthBytes()) {
          ArrivedBytes bytes = part.getValue();
          count = Math.min(to - at, bytes.lengthBytes() - inPart);
          target.put(target.position(), bytes.buffer(), bytes.index() + inPart, count);
        } else {
          Integer next = arrived.higherKey(at);
          count = (next == null ? to : Math.min(to, next)) - at;
          target.put(target.position(), buffer, at, count);
        }
        target.position(target.position() + count);
        at += count;
      }
    }

    @Override
    public synchronized void run() {
      arrived.values().forEach(ArrivedBytes::release);
      arrived.clear();
      if (buffer != null) {
        pool.give(buffer);
        buffer = null;
      }
      pool.unreserve(capacityBytes);
    }
  }
}
