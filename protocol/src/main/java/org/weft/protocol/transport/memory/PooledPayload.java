package org.weft.protocol.transport.memory;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.weft.protocol.rpc.Payload;

/** Bytes as they came from the wire, in pooled memory outside the heap. Thread-safe. */
public final class PooledPayload implements Payload {
  private final ByteBuf bytes;
  private final PayloadMemory memory;
  private final int lengthBytes;
  private final AtomicBoolean released = new AtomicBoolean();

  /** Takes over the buffer's only reference; it goes back to that memory. */
  public PooledPayload(ByteBuf bytes, PayloadMemory memory) {
    this.bytes = bytes;
    this.memory = memory;
    this.lengthBytes = bytes.readableBytes();
  }

  @Override
  public int lengthBytes() {
    return lengthBytes;
  }

  @Override
  public List<ByteBuffer> buffers() {
    if (released.get()) {
      throw new IllegalStateException("this payload of " + lengthBytes + " bytes was released");
    }
    return List.of(bytes.nioBuffer().asReadOnlyBuffer());
  }

  @Override
  public void release() {
    if (released.compareAndSet(false, true)) {
      memory.give(bytes);
    }
  }
}
