package org.weft.osd.store.format;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.weft.osd.store.PartitionState;
import org.weft.osd.store.value.WorkingKey;
import org.weft.protocol.id.PartitionId;

/**
 * A partition.
 *
 * <pre>
 *  0 version u8 = 2 | fence epoch u64 | create floor u64 | purge round u64
 * 25 key count u16 | for each key: version u32 | key (32 bytes)
 * </pre>
 *
 * <p>Version 1 has no purge round: none was known.
 */
public final class PartitionCodec {
  /** More keys of one partition are refused. */
  public static final int MAX_KEYS = 64;

  private static final byte VERSION = 2;
  private static final byte WITHOUT_PURGE_ROUND = 1;
  private static final int FIXED_BYTES = 27;
  private static final int KEY_BYTES = Integer.BYTES + WorkingKey.KEY_BYTES;

  private PartitionCodec() {}

  public static byte[] encode(PartitionState state) {
    ByteBuffer out = ByteBuffer.allocate(FIXED_BYTES + state.keys().size() * KEY_BYTES);
    out.put(VERSION).putLong(state.fenceEpoch()).putLong(state.createFloor());
    out.putLong(state.purgeRound());
    out.putShort((short) state.keys().size());
    for (WorkingKey key : state.keys()) {
      out.putInt(key.version()).put(key.key());
    }
    return out.array();
  }

  public static PartitionState decode(PartitionId id, byte[] value) throws FormatException {
    boolean old = value.length > 0 && value[0] == WITHOUT_PURGE_ROUND;
    return ValueReader.read(
        "partition " + id,
        value,
        old ? WITHOUT_PURGE_ROUND : VERSION,
        in -> {
          long fence = in.getLong();
          long floor = in.getLong();
          long purgeRound = old ? 0 : in.getLong();
          int count = ValueReader.bounded("keys", in.getShort() & 0xffff, MAX_KEYS);
          List<WorkingKey> keys = new ArrayList<>(count);
          for (int i = 0; i < count; i++) {
            int version = in.getInt();
            byte[] key = new byte[WorkingKey.KEY_BYTES];
            in.get(key);
            keys.add(new WorkingKey(version, key));
          }
          return new PartitionState(id, keys, fence, floor, purgeRound);
        });
  }
}
