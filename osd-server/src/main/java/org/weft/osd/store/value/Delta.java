package org.weft.osd.store.value;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Old ⊕ new of whole blocks (P 5.3): XORed onto what is stored it makes one of the other. The bytes
 * are the receiver's own.
 *
 * @param offsetBytes a multiple of 4 KiB
 * @param blockCrcs CRC32C of each block
 */
public record Delta(long offsetBytes, List<ByteBuffer> data, int[] blockCrcs) {
  public Delta {
    data = List.copyOf(data);
  }
}
