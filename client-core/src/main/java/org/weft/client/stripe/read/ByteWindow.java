package org.weft.client.stripe.read;

import java.nio.ByteBuffer;

/** Bytes that lie in one piece and are read in order; none at first. Not thread-safe. */
final class ByteWindow {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private ByteBuffer buffer = NOTHING;
  private int next;
  private int end;

  /** Shows the bytes of a buffer from one index to another; its position means nothing. */
  void show(ByteBuffer shown, int fromIndex, int toIndex) {
    buffer = shown;
    next = fromIndex;
    end = toIndex;
  }

  /** Shows nothing, and lets go of the buffer. */
  void close() {
    show(NOTHING, 0, 0);
  }

  boolean isEmpty() {
    return next == end;
  }

  /** Copies the next bytes, as many as there are and are wanted, and says how many these were. */
  int copy(byte[] target, int offset, int mostBytes) {
    int count = Math.min(mostBytes, end - next);
    buffer.get(next, target, offset, count);
    next += count;
    return count;
  }

  /** The same to where the target stands, whose position moves. */
  int copy(ByteBuffer target, int mostBytes) {
    int count = Math.min(mostBytes, end - next);
    target.put(target.position(), buffer, next, count);
    target.position(target.position() + count);
    next += count;
    return count;
  }
}
