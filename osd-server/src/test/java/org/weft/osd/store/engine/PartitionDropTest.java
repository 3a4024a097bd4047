package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.store.engine.Requests.BLOCK;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.removal;
import static org.weft.osd.store.engine.Requests.write;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.mutation.PartitionDrop;
import org.weft.osd.store.mutation.PartitionUpdate;
import org.weft.osd.store.value.WorkingKey;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.PartitionId;

/** A partition that is gone from the cluster goes from the store, whatever interrupts it. */
class PartitionDropTest {
  private static final PartitionId OTHER = new PartitionId(9);
  private static final int OBJECTS = 150;

  private static void fill(Rig rig) {
    rig.apply(new PartitionUpdate(OTHER, List.of(new WorkingKey(1, new byte[32])), 1));
    for (int object = 1; object <= OBJECTS; object++) {
      rig.apply(write(object, 0, random(object, 2 * BLOCK)).by(100, 1).build());
    }
    // Its extents fill more pages than one commit frees.
    for (int part = 0; part < 8; part++) {
      rig.apply(
          write(1_000, part * 1_600L * BLOCK, random(part, 3 * BLOCK)).by(100, part + 1).build());
    }
    for (int object = 2_000; object < 2_700; object++) {
      rig.apply(removal(object, 200));
    }
  }

  @Test
  void aDropRemovesItsPartitionAlone() throws Exception {
    Rig rig = Rig.small();
    fill(rig);
    int commits = 1;
    while (rig.apply(new PartitionDrop(Rig.PARTITION)).existed()) {
      commits++;
      assertTrue(rig.store.partition(Rig.PARTITION).orElseThrow().keys().isEmpty());
    }
    assertTrue(commits > OBJECTS / 64, "some with each commit, got " + commits);
    assertTrue(rig.store.partition(Rig.PARTITION).isEmpty());
    assertTrue(rig.store.partition(OTHER).isPresent());
    assertEquals(0, rig.store.status().objects());
    rig.refuse(ErrorCode.NO_SUCH_PARTITION, write(1, 0, random(1, BLOCK)).by(300, 1).build());
    assertFalse(rig.apply(new PartitionDrop(Rig.PARTITION)).existed());
    rig.time.runUntil("the blocks are free", () -> freed(rig));
    rig.restart();
    assertTrue(rig.store.partition(Rig.PARTITION).isEmpty());
    assertEquals(0, rig.store.status().objects());
    rig.stop();
    rig.assertSound();
  }

  private static boolean freed(Rig rig) {
    rig.await(rig.store.checkpointNow());
    return rig.store.status().usedBytes() == 0;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void aDropInterruptedByKillsIsFinishedLater(long seed) throws Exception {
    Rig rig = new Rig(seed, StoreOptions.ofCapacity(Rig.CAPACITY_BYTES));
    fill(rig);
    SplittableRandom random = new SplittableRandom(seed);
    boolean more = true;
    while (more) {
      more = rig.apply(new PartitionDrop(Rig.PARTITION)).existed();
      switch (random.nextInt(4)) {
        case 0 -> rig.restart();
        case 1 -> {
          rig.losePower();
          rig.open();
        }
        default -> {}
      }
      assertEquals(more, rig.store.partition(Rig.PARTITION).isPresent());
    }
    assertEquals(0, rig.store.status().objects());
    rig.time.runUntil("the blocks are free", () -> freed(rig));
    rig.stop();
    rig.assertSound();
  }
}
