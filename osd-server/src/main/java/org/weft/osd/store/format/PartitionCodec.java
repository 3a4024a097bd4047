package org.weft.osd.store.format;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.weft.osd.store.PartitionState;
import org.weft.osd.store.WorkingKey;
import org.weft.protocol.id.PartitionId;

/**
 * A partition.
 *
 * <pre>
 *  0 version u8 = 1 | fence epoch u64 | create floor u64
 * 17 key count u16 | for each key: version u32 | key (32 bytes)
 * </pre>
 */
public final class PartitionCodec {
  /** More keys of one partition are refused. */
  public static final int MAX_KEYS = 64;

  private static final byte VERSION = 1;
  private static final int FIXED_BYTES = 19;
  private static final int KEY_BYTES = Integer.BYTES + WorkingKey.KEY_BYTES;

  private PartitionCodec() {}

  public static byte[] encode(PartitionState state) {
    ByteBuffer out = ByteBuffer.allocate(FIXED_BYTES + state.keys().size() * KEY_BYTES);
    out.put(VERSION).putLong(state.fenceEpoch()).putLong(state.createFloor());
    out.putShort((short) state.keys().size());
    for (WorkingKey key : state.keys()) {
      out.putInt(key.version()).put(key.key());
    }
    return out.array();
  }

  public static PartitionState decode(PartitionId id, byte[] value) throws FormatException {
    return ValueReader.read(
        "partition " + id,
        value,
        VERSION,
        in -> {
          long fence = in.getLong();
          long floor = in.getLong();
          int count = ValueReader.bounded("keys", in.getShort() & 0xffff, MAX_KEYS);
          List<WorkingKey> keys = new ArrayList<>(count);
          for (int i = 0; i < count; i++) {
            int version = in.getInt();
            byte[] key = new byte[WorkingKey.KEY_BYTES];
            in.get(key);
            keys.add(new WorkingKey(version, key));
          }
          return new PartitionState(id, keys, fence, floor);
        });
  }
}
