package org.weft.protocol.rpc;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Bytes in memory. */
final class BufferPayload implements Payload {
  private final List<ByteBuffer> buffers;
  private final int lengthBytes;
  private final AtomicReference<Runnable> released;

  BufferPayload(List<ByteBuffer> buffers, Runnable released) {
    List<ByteBuffer> views = new ArrayList<>(buffers.size());
    long length = 0;
    for (ByteBuffer buffer : buffers) {
      views.add(buffer.asReadOnlyBuffer());
      length += buffer.remaining();
    }
    this.buffers = views;
    this.lengthBytes = Math.toIntExact(length);
    this.released = new AtomicReference<>(released);
  }

  @Override
  public int lengthBytes() {
    return lengthBytes;
  }

  @Override
  public List<ByteBuffer> buffers() {
    List<ByteBuffer> views = new ArrayList<>(buffers.size());
    for (ByteBuffer buffer : buffers) {
      views.add(buffer.duplicate());
    }
    return views;
  }

  @Override
  public void release() {
    Runnable action = released.getAndSet(null);
    if (action != null) {
      action.run();
    }
  }
}
