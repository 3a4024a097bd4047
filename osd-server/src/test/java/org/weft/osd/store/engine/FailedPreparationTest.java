package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.weft.osd.store.engine.Requests.BLOCK;
import static org.weft.osd.store.engine.Requests.object;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.read;
import static org.weft.osd.store.engine.Requests.write;

import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.weft.osd.store.format.StoreKeys;
import org.weft.protocol.seam.KeyValueStore;

/** A fault of the store while one mutation of several is prepared costs the others nothing. */
class FailedPreparationTest {
  private static final int BLOCKS = 3;

  /** Tables that meet a fault of the program where they are asked for one object. */
  private static final class FaultyTables extends TablesBetween {
    private boolean faulty;

    FaultyTables(KeyValueStore tables) {
      super(tables);
    }

    @Override
    public byte[] get(byte[] key) throws IOException {
      if (faulty && Arrays.equals(key, StoreKeys.object(object(2)))) {
        throw new IllegalStateException("a broken invariant");
      }
      return super.get(key);
    }
  }

  @Test
  void blocksOfEarlierMutationsAreGivenBack() throws Exception {
    Rig rig = Rig.small();
    for (int object = 1; object <= 2; object++) {
      rig.apply(write(object, 0, random(object, BLOCKS * BLOCK)).build());
    }
    rig.stop();
    FaultyTables tables = new FaultyTables(rig.tables);
    rig.open(tables);
    long usedBytes = rig.store.status().usedBytes();
    tables.faulty = true;
    assertThrows(
        IllegalStateException.class,
        () ->
            rig.applyAll(
                write(1, 0, random(3, BLOCKS * BLOCK)).by(100, 2).complete(1).build(),
                write(2, 0, random(4, BLOCKS * BLOCK)).by(100, 2).complete(1).build()));
    assertEquals(usedBytes, rig.store.status().usedBytes());
    tables.faulty = false;
    assertArrayEquals(random(1, BLOCKS * BLOCK), read(rig.store, 1, 0, BLOCKS * BLOCK));
    rig.stop();
    rig.assertSound();
  }
}
