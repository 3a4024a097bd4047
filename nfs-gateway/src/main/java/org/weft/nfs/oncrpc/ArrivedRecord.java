package org.weft.nfs.oncrpc;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.weft.protocol.rpc.Payload;

/**
 * A whole record in the memory that it arrived in. It goes back once its first owner and all
 * payloads cut out of it have released it. Thread-safe but for the position of {@link #bytes}.
 */
final class ArrivedRecord {
  private final ByteBuf bytes;
  private final int lengthBytes;
  private final Runnable gone;
  private final AtomicInteger owners = new AtomicInteger(1);

  /**
   * Takes over the buffer's only reference.
   *
   * @param gone runs once, when the memory has gone back
   */
  ArrivedRecord(ByteBuf bytes, Runnable gone) {
    this.bytes = bytes;
    this.lengthBytes = bytes.readableBytes();
    this.gone = gone;
  }

  ByteBuf bytes() {
    return bytes;
  }

  int lengthBytes() {
    return lengthBytes;
  }

  /** A part of this record that has an owner of its own. */
  Payload share(ByteBuf part) {
    owners.incrementAndGet();
    return Payload.of(List.of(part.nioBuffer()), this::release);
  }

  /** The caller does not look at the record any more; each owner says so once. */
  void release() {
    int left = owners.decrementAndGet();
    if (left < 0) {
      throw new IllegalStateException("a record of " + lengthBytes + " bytes was released twice");
    }
    if (left == 0) {
      bytes.release();
      gone.run();
    }
  }
}
