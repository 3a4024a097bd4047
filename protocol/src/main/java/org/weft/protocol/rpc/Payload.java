package org.weft.protocol.rpc;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * The raw bytes behind a frame's body. They are never inside the body and never copied on the heap
 * by the transport. A payload has one owner, which releases it once: giving it to a call or a reply
 * gives it away.
 */
public interface Payload {
  /** No bytes. */
  Payload EMPTY = of();

  int lengthBytes();

  /**
   * The bytes, as read-only views that are valid until {@link #release}. A payload that stands for
   * a range of a file reads it here.
   */
  List<ByteBuffer> buffers();

  /** Gives the memory back, or ends the pin on the file's range. */
  void release();

  /** Bytes in buffers that are not changed until the payload is released; their positions stay. */
  static Payload of(ByteBuffer... buffers) {
    return of(List.of(buffers), () -> {});
  }

  /**
   * Like {@link #of(ByteBuffer...)}; {@code released} runs once when the bytes are not needed any
   * more.
   */
  static Payload of(List<ByteBuffer> buffers, Runnable released) {
    return new BufferPayload(buffers, released);
  }
}
