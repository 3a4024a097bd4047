package org.weft.it.simulation.scenario;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.weft.osd.store.BadBlock;
import org.weft.osd.store.ObjectRead;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.StoredRange;
import org.weft.osd.store.mutation.ObjectWrite;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.ByteSpan;
import org.weft.osd.store.value.FileLength;
import org.weft.osd.store.value.ObjectCreation;
import org.weft.osd.store.value.WriteNumbers;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.seam.SegmentFile;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.testkit.storage.MemorySegmentDirectory;

/** Harms single blocks of objects in the stores of a stage. */
final class RottenBlocks {
  private static final long ROOT_VOLUME = 1;
  private static final int BLOCK = 4096;

  private final Stage stage;

  RottenBlocks(Stage stage) {
    this.stage = stage;
  }

  private static ObjectName name(long objectId) {
    return ObjectName.of(ROOT_VOLUME, objectId);
  }

  private static Authority authority(ObjectStore store) {
    long epoch =
        store.partition(name(1).partition()).map(each -> Math.max(1, each.fenceEpoch())).orElse(1L);
    return Authority.ofManager(epoch);
  }

  /** A bit of the block flips on the disk. */
  void rot(SimulatedOsd osd, long objectId, long block) throws WeftException, IOException {
    harm(osd, objectId, block, (file, offset) -> osd.segments().rot(file, offset + 17));
  }

  /** Reads of the block fail, until it is written. */
  void makeUnreadable(SimulatedOsd osd, long objectId, long block)
      throws WeftException, IOException {
    harm(osd, objectId, block, osd.segments()::makeUnreadable);
  }

  private interface Harm {
    void at(String file, long offsetBytes) throws IOException;
  }

  private void harm(SimulatedOsd osd, long objectId, long block, Harm harm)
      throws WeftException, IOException {
    byte[] stored = stored(osd, objectId, block);
    MemorySegmentDirectory segments = osd.segments();
    int places = 0;
    for (String file : segments.list()) {
      for (long place : segments.storedBlocks(file)) {
        try (SegmentFile segment = segments.open(file)) {
          ByteBuffer bytes = ByteBuffer.allocate(BLOCK);
          try {
            segment.read(bytes, place * BLOCK);
          } catch (IOException e) {
            // Harmed before.
            continue;
          }
          if (Arrays.equals(stored, bytes.array())) {
            harm.at(file, place * BLOCK);
            places++;
          }
        }
      }
    }
    if (places == 0) {
      throw new AssertionError(
          "block " + block + " of " + objectId + " is nowhere on " + osd.name());
    }
  }

  /** The block holds other bytes, with a checksum that is right. */
  void replace(SimulatedOsd osd, long objectId, long block, byte[] bytes) throws WeftException {
    ObjectStore store = osd.store();
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    stage.call(
        store
            .apply(
                new ObjectWrite(
                    name(objectId),
                    Authority.ofManager(
                        authority(store).epoch(), Lsn.of(authority(store).epoch(), 0).value()),
                    new ByteSpan(
                        block * BLOCK,
                        List.of(ByteBuffer.wrap(bytes)),
                        new int[] {(int) crc.getValue()}),
                    new WriteNumbers(1 + block, 1, List.of(), 0),
                    new FileLength(0, 0),
                    ObjectCreation.NONE,
                    true))
            .toCompletableFuture());
  }

  private static byte[] stored(SimulatedOsd osd, long objectId, long block) throws WeftException {
    ObjectStore store = osd.store();
    StoredRange result =
        store.read(new ObjectRead(name(objectId), authority(store), block * BLOCK, BLOCK, false));
    try {
      ByteBuffer bytes = ByteBuffer.allocate(BLOCK);
      result.payload().buffers().forEach(bytes::put);
      return bytes.array();
    } finally {
      result.payload().release();
    }
  }

  /** Below which number the object takes no write. */
  long version(SimulatedOsd osd, long objectId) throws WeftException {
    return osd.store().listPending(name(objectId), authority(osd.store())).version();
  }

  /** The store gives these bytes for the block. */
  boolean holds(SimulatedOsd osd, long objectId, long block, byte[] bytes) {
    try {
      return Arrays.equals(stored(osd, objectId, block), bytes);
    } catch (WeftException e) {
      throw new AssertionError(osd.name() + ": " + e, e);
    }
  }

  /** The store does not give the block back as it was written. */
  boolean isBad(SimulatedOsd osd, long objectId, long block) {
    try {
      return osd.store().medium().isBad(new BadBlock(name(objectId), block, false));
    } catch (WeftException e) {
      throw new AssertionError(osd.name() + ": " + e, e);
    }
  }
}
