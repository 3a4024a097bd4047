package org.weft.client.stripe.base;

import java.nio.ByteBuffer;
import java.util.List;
import org.weft.protocol.rpc.Payload;

/**
 * A buffer of the pool that one call fills and another one lets go of. Reserved beyond the pool's
 * limit if need be: a call never waits for memory that others hold. Either {@link #payload} or
 * {@link #giveBack} is called, once.
 */
public final class PooledBytes {
  private final UnitPool pool;
  private final ByteBuffer buffer;
  private final ByteBuffer memory;

  /**
   * @throws OutOfMemoryError if this process has no memory left
   */
  public PooledBytes(int lengthBytes, UnitPool pool) {
    int capacity = UnitPool.capacity(lengthBytes);
    this.pool = pool;
    pool.reserve(capacity);
    try {
      this.buffer = pool.take(capacity);
    } catch (OutOfMemoryError e) {
      pool.unreserve(capacity);
      throw e;
    }
    this.memory = buffer.slice(0, lengthBytes);
  }

  /** So long as was wanted; its position moves with what comes. */
  public ByteBuffer memory() {
    return memory;
  }

  /** What lies before the position. Releasing it gives the buffer back. */
  public Payload payload() {
    return Payload.of(List.of(memory.flip()), this::giveBack);
  }

  /** Nothing writes to it any more, and its bytes are not looked at. */
  public void giveBack() {
    pool.give(buffer);
    pool.unreserve(buffer.capacity());
  }
}
