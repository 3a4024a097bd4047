package org.weft.simulator.end;

import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.weft.osd.store.ObjectRead;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.StoredRange;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.BlockRun;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.simulator.world.World;

/** Reads the contents of OSDs' stores past all commands. */
final class RawComponents {
  private static final int BLOCK_BYTES = 4096;

  /**
   * A range of a component.
   *
   * @param bytes up to the end of the last block that is stored; behind it there are zeros
   * @param bad blocks, counted from the range's first, that do not fit their checksums
   */
  record Range(byte[] bytes, BitSet bad) {}

  private final World world;

  RawComponents(World world) {
    this.world = world;
  }

  PartitionId volume() {
    return world.homeVolume();
  }

  Optional<SimulatedOsd> node(OsdId osd) {
    return world.osds().stream()
        .filter(node -> node.isRunning() && node.osdId() == osd.value())
        .findFirst();
  }

  static Authority authority(ObjectStore store, PartitionId partition) {
    return Authority.ofManager(
        store.partition(partition).map(state -> Math.max(1, state.fenceEpoch())).orElse(1L));
  }

  /** Empty if there is no such object. */
  Optional<Range> read(SimulatedOsd node, ObjectName name, long offset, int length)
      throws WeftException {
    ObjectStore store = node.store();
    StoredRange result;
    try {
      result =
          store.read(
              new ObjectRead(name, authority(store, name.partition()), offset, length, false));
    } catch (WeftException e) {
      if (e.code() == ErrorCode.NO_SUCH_OBJECT) {
        return Optional.empty();
      }
      throw e;
    }
    try {
      return Optional.of(range(result, offset, length));
    } finally {
      result.payload().release();
    }
  }

  private static Range range(StoredRange result, long offset, int length) {
    ByteBuffer stored = ByteBuffer.allocate(result.payload().lengthBytes());
    result.payload().buffers().forEach(stored::put);
    long end =
        result.runs().stream()
            .mapToLong(run -> (run.firstBlock() + run.blockCount()) * BLOCK_BYTES)
            .max()
            .orElse(offset);
    byte[] bytes = new byte[(int) Math.max(0, Math.min(length, end - offset))];
    BitSet bad = new BitSet();
    CRC32C crc = new CRC32C();
    int place = 0;
    for (BlockRun run : result.runs()) {
      for (long block = run.firstBlock(); block < run.firstBlock() + run.blockCount(); block++) {
        crc.reset();
        crc.update(stored.array(), place * BLOCK_BYTES, BLOCK_BYTES);
        int at = (int) (block * BLOCK_BYTES - offset);
        if (at >= 0 && at < length) {
          System.arraycopy(stored.array(), place * BLOCK_BYTES, bytes, at, BLOCK_BYTES);
          bad.set(at / BLOCK_BYTES, (int) crc.getValue() != result.blockCrcs()[place]);
        }
        place++;
      }
    }
    return new Range(bytes, bad);
  }
}
