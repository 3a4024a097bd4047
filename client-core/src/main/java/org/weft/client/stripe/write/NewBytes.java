package org.weft.client.stripe.write;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * The new bytes of a range of a file, in one buffer or several. Each buffer but the first begins
 * where a stripe does, so those of one stripe lie in one piece.
 *
 * @param fromBytes where the first byte goes, in the file
 * @param buffers one behind the other; their positions stay
 */
record NewBytes(long fromBytes, List<ByteBuffer> buffers) {
  NewBytes {
    buffers = List.copyOf(buffers);
  }

  static long lengthBytes(List<ByteBuffer> buffers) {
    return buffers.stream().mapToLong(ByteBuffer::remaining).sum();
  }

  /** From a place in the file up to the end of the buffer that has it. */
  ByteBuffer from(long fileBytes) {
    long at = fileBytes - fromBytes;
    for (ByteBuffer each : buffers) {
      if (at < each.remaining()) {
        int index = each.position() + (int) at;
        return each.slice(index, each.limit() - index);
      }
      at -= each.remaining();
    }
    throw new IllegalArgumentException("byte " + fileBytes + " of the file is not among them");
  }
}
