package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.store.engine.Requests.BLOCK;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.read;
import static org.weft.osd.store.engine.Requests.write;

import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.testkit.storage.StorageFaults;

/** A longer write is committed while one that takes itself for the last is prepared. */
class AppendRaceTest {
  private static final int LONGER = 3000;
  private static final int SHORTER = 1500;

  private final Rig rig;
  private int reads;

  AppendRaceTest() throws Exception {
    rig = Rig.small();
    rig.apply(write(1, 0, random(1, 1000)).build());
    rig.restart();
  }

  /**
   * @param moment of the preparation: it looks up the object, its pending list, and its extents
   */
  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void aCommitDuringAnotherWritesPreparationKeepsItsBytes(int moment) throws Exception {
    byte[] longer = random(2, LONGER);
    byte[] shorter = random(3, SHORTER);
    rig.faults.failWhere(
        next -> {
          if (next.kind() == StorageFaults.Kind.KEY_READ && ++reads == moment) {
            rig.apply(write(1, 0, longer).by(100, 2).complete(1).build());
          }
          return false;
        },
        "");
    rig.apply(write(1, 0, shorter).by(100, 3).complete(2).build());
    assertTrue(reads >= moment);
    byte[] expected = Arrays.copyOf(longer, BLOCK);
    System.arraycopy(shorter, 0, expected, 0, SHORTER);
    assertArrayEquals(expected, read(rig.store, 1, 0, BLOCK));
  }
}
