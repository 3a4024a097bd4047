package org.weft.osd.store.value;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Bytes that are to be written to a component, one behind another.
 *
 * @param offsetBytes where they go
 * @param data may be empty
 * @param blockCrcs CRC32C of the bytes sent of each 4 KiB block touched
 * @param lost it is not known what these whole blocks must hold. They read as damaged from now on,
 *     and the bytes are zeros. Only a manager says so (P 5.9)
 */
public record ByteSpan(long offsetBytes, List<ByteBuffer> data, int[] blockCrcs, boolean lost) {
  public ByteSpan {
    data = List.copyOf(data);
  }

  /** Known bytes. */
  public ByteSpan(long offsetBytes, List<ByteBuffer> data, int[] blockCrcs) {
    this(offsetBytes, data, blockCrcs, false);
  }

  /** How many they are. */
  public int lengthBytes() {
    long bytes = 0;
    for (ByteBuffer buffer : data) {
      bytes += buffer.remaining();
    }
    return Math.toIntExact(bytes);
  }
}
