package org.weft.protocol.rpc;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Bytes in memory. */
final class BufferPayload implements Payload {
  private final List<ByteBuffer> buffers;
  private final int lengthBytes;
  private final AtomicReference<Runnable> released;

  BufferPayload(List<ByteBuffer> buffers, Runnable released) {
    this.buffers = buffers.stream().map(ByteBuffer::asReadOnlyBuffer).toList();
    this.lengthBytes = Math.toIntExact(buffers.stream().mapToLong(ByteBuffer::remaining).sum());
    this.released = new AtomicReference<>(released);
  }

  @Override
  public int lengthBytes() {
    return lengthBytes;
  }

  @Override
  public List<ByteBuffer> buffers() {
    return buffers.stream().map(ByteBuffer::duplicate).toList();
  }

  @Override
  public void release() {
    Runnable action = released.getAndSet(null);
    if (action != null) {
      action.run();
    }
  }
}
