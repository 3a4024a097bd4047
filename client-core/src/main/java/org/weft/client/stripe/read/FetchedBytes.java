package org.weft.client.stripe.read;

import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.weft.client.stripe.base.UnitPool;
import org.weft.protocol.rpc.Payload;

/**
 * The bytes that a stream has fetched ahead. Bytes stay in the payloads that they came in. What was
 * decoded, was never written, or came in pieces lies in a buffer of the pool, which is taken when
 * it is first needed.
 *
 * <p>Threads put bytes here beside each other, and any thread gives all of it back. One thread at a
 * time reads bytes, and only once everything has come. A future that is done says so to the reader,
 * and orders it behind all threads that put something here.
 *
 * <p>Payloads are memory that the garbage collector does not know. If a stream was never closed,
 * its payloads are given back when the stream has become unreachable.
 */
final class FetchedBytes implements ReadTarget {
  // The JDK's own thread: one that is made here would hold this class's loader for ever.
  private static final Cleaner CLEANER = Cleaner.create();

  private static final int INITIAL_PARTS = 16;

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
    this(lengthBytes, new Held(capacityBytes, true, pool));
  }

  private FetchedBytes(int lengthBytes, Held held) {
    this.lengthBytes = lengthBytes;
    this.held = held;
    this.whenUnreachable = CLEANER.register(this, held);
  }

  /** Nothing yet; room for a buffer is reserved when one is needed, beyond the limit if need be. */
  static FetchedBytes unreserved(int lengthBytes, UnitPool pool) {
    return new FetchedBytes(lengthBytes, new Held(UnitPool.capacity(lengthBytes), false, pool));
  }

  /**
   * All bytes where they lie; to be called once they have come. Releasing the payload releases all
   * memory.
   */
  Payload payload() {
    return Payload.of(held.views(lengthBytes), this::giveBack);
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

  /** Has the window show the byte at the index, and those behind it that lie in the same piece. */
  void show(int index, ByteWindow window) {
    held.show(index, lengthBytes, window);
  }

  /** Lets go of all memory; nothing is put here or copied any more. */
  void giveBack() {
    whenUnreachable.clean();
  }

  /** All memory, without a reference to the object that owns it. */
  private static final class Held implements Runnable {
    private final int capacityBytes;
    private final UnitPool pool;

    // Guarded by this until everything has come.
    private boolean reserved;

    /** What stays in payloads, by its place here; they come in that order as a rule. */
    private int[] starts = new int[INITIAL_PARTS];

    private ArrivedBytes[] parts = new ArrivedBytes[INITIAL_PARTS];
    private int count;
    private ByteBuffer buffer;

    /** Of the one reader. */
    private final ByteWindow copied = new ByteWindow();

    Held(int capacityBytes, boolean reserved, UnitPool pool) {
      this.capacityBytes = capacityBytes;
      this.reserved = reserved;
      this.pool = pool;
    }

    synchronized ByteBuffer buffer() {
      if (buffer == null) {
        if (!reserved) {
          pool.reserve(capacityBytes);
          reserved = true;
        }
        buffer = pool.take(capacityBytes);
      }
      return buffer;
    }

    List<ByteBuffer> views(int endIndex) {
      List<ByteBuffer> views = new ArrayList<>(count + 1);
      int at = 0;
      while (at < endIndex) {
        int place = partAt(at);
        int inPart = place < 0 ? 0 : at - starts[place];
        if (place >= 0 && inPart < parts[place].lengthBytes()) {
          ArrivedBytes part = parts[place];
          int length = Math.min(part.lengthBytes() - inPart, endIndex - at);
          views.add(part.buffer().slice(part.index() + inPart, length));
          at += length;
        } else {
          int next = place + 1 < count ? Math.min(endIndex, starts[place + 1]) : endIndex;
          views.add(buffer.slice(at, next - at));
          at = next;
        }
      }
      return views;
    }

    synchronized void keep(int index, ArrivedBytes bytes) {
      if (count == starts.length) {
        starts = Arrays.copyOf(starts, 2 * count);
        parts = Arrays.copyOf(parts, 2 * count);
      }
      int place = count;
      while (place > 0 && starts[place - 1] > index) {
        starts[place] = starts[place - 1];
        parts[place] = parts[place - 1];
        place--;
      }
      starts[place] = index;
      parts[place] = bytes;
      count++;
    }

    /** The last part that begins there or before; -1 if none does. */
    private int partAt(int index) {
      int found = Arrays.binarySearch(starts, 0, count, index);
      return found >= 0 ? found : -found - 2;
    }

    void show(int index, int endIndex, ByteWindow window) {
      int place = partAt(index);
      int inPart = place < 0 ? 0 : index - starts[place];
      if (place >= 0 && inPart < parts[place].lengthBytes()) {
        ArrivedBytes part = parts[place];
        window.show(part.buffer(), part.index() + inPart, part.index() + part.lengthBytes());
      } else {
        window.show(buffer, index, place + 1 < count ? starts[place + 1] : endIndex);
      }
    }

    void copy(int from, int to, ByteBuffer target) {
      int at = from;
      try {
        while (at < to) {
          show(at, to, copied);
          at += copied.copy(target, to - at);
        }
      } finally {
        copied.close();
      }
    }

    @Override
    public synchronized void run() {
      for (int place = 0; place < count; place++) {
        parts[place].release();
        parts[place] = null;
      }
      count = 0;
      if (buffer != null) {
        pool.give(buffer);
        buffer = null;
      }
      if (reserved) {
        pool.unreserve(capacityBytes);
        reserved = false;
      }
    }
  }
}
