package org.weft.osd.store.rocksdb;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.weft.protocol.seam.KeyValueStore;

/**
 * A batch as RocksDB writes it in its log, so that it crosses into native code once and not with
 * each change. Little-endian; lengths are base 128, the least bits first:
 *
 * <pre>
 *  0 u64: 0 | how many changes u32
 * 12 of each change: 1 | length of the key | key | length of the value | value
 *                 or 0 | length of the key | key, which goes
 * </pre>
 */
final class BatchBytes {
  private static final int HEADER_BYTES = 12;
  private static final int LENGTH_BITS = 7;
  private static final int MORE = 1 << LENGTH_BITS;
  private static final byte REMOVED = 0;
  private static final byte PUT = 1;

  private BatchBytes() {}

  static byte[] of(KeyValueStore.Batch batch) {
    int length = HEADER_BYTES;
    for (KeyValueStore.Batch.Change change : batch.changes()) {
      length = Math.addExact(length, 1 + sizeOf(change.key()));
      length = Math.addExact(length, change.value() == null ? 0 : sizeOf(change.value()));
    }
    ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(0).putInt(batch.changes().size());
    for (KeyValueStore.Batch.Change change : batch.changes()) {
      bytes.put(change.value() == null ? REMOVED : PUT);
      put(bytes, change.key());
      if (change.value() != null) {
        put(bytes, change.value());
      }
    }
    return bytes.array();
  }

  private static int sizeOf(byte[] string) {
    int lengthBits = Integer.SIZE - Integer.numberOfLeadingZeros(string.length | 1);
    return Math.addExact(string.length, (lengthBits + LENGTH_BITS - 1) / LENGTH_BITS);
  }

  private static void put(ByteBuffer bytes, byte[] string) {
    int rest = string.length;
    while (rest >= MORE) {
      bytes.put((byte) (rest | MORE));
      rest >>>= LENGTH_BITS;
    }
    bytes.put((byte) rest).put(string);
  }
}
