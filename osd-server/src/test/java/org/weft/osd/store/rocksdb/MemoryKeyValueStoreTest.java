package org.weft.osd.store.rocksdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.weft.protocol.seam.KeyValueStore;
import org.weft.testkit.storage.MemoryKeyValueStore;
import org.weft.testkit.storage.StorageFaults;

/** The store in memory keeps the contract, and loses what it may lose. */
class MemoryKeyValueStoreTest extends KeyValueStoreContract {
  @Override
  KeyValueStore openEmpty() {
    return new MemoryKeyValueStore(new StorageFaults());
  }

  @Override
  KeyValueStore openAgain(KeyValueStore closed) {
    return ((MemoryKeyValueStore) closed).afterProcessDeath(new StorageFaults());
  }

  @Test
  void aPowerLossKeepsAPrefixOfUnsyncedBatches() throws IOException {
    TreeSet<Integer> seen = new TreeSet<>();
    for (int seed = 0; seed < 200; seed++) {
      MemoryKeyValueStore store = new MemoryKeyValueStore(new StorageFaults());
      for (int i = 1; i <= 5; i++) {
        byte[] number = {(byte) i};
        store.write(new KeyValueStore.Batch().put(number, number), i == 2);
      }
      MemoryKeyValueStore survivor =
          store.afterPowerLoss(new StorageFaults(), new SplittableRandom(seed));
      int count = 0;
      for (int i = 1; i <= 5; i++) {
        if (survivor.get(new byte[] {(byte) i}) != null) {
          count++;
          assertEquals(i, count, "a hole in the prefix");
        }
      }
      assertTrue(count >= 2, "a synced batch was lost");
      seen.add(count);
    }
    assertEquals(4, seen.size());
  }

  @Test
  void operationsFailWhereTheFaultsSay() throws IOException {
    StorageFaults faults = new StorageFaults();
    MemoryKeyValueStore store = new MemoryKeyValueStore(faults);
    store.get(new byte[] {1});
    faults.losePowerAt(3);
    store.get(new byte[] {1});
    assertThrows(IOException.class, () -> store.get(new byte[] {1}));
    assertEquals(3, faults.operations());
  }
}
