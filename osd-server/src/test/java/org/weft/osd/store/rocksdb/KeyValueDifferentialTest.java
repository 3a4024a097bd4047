package org.weft.osd.store.rocksdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.protocol.seam.KeyValueStore;
import org.weft.testkit.storage.MemoryKeyValueStore;
import org.weft.testkit.storage.StorageFaults;

/**
 * The store in memory and RocksDB do the same under random operations, with scans that stay open
 * while others write (P 8.1); and the store in memory loses with the power what it may lose. Other
 * courses with {@code -Dweft.storage.seed}, more with {@code -Dweft.storage.seeds}.
 */
class KeyValueDifferentialTest {
  private static final long FIRST_SEED = Long.getLong("weft.storage.seed", 1);
  private static final long SEEDS = Long.getLong("weft.storage.seeds", 8);
  private static final int STEPS = 1_500;
  private static final byte[] MIN_KEY = {};
  private static final byte[] MAX_KEY = {(byte) 0xff, 0};

  /** The same scan in both. */
  private record Scans(KeyValueStore.Cursor rocks, KeyValueStore.Cursor memory) {
    /** False at the end. */
    boolean step(String where) throws IOException {
      boolean more = memory.next();
      assertEquals(more, rocks.next(), where);
      if (more) {
        assertArrayEquals(memory.key(), rocks.key(), where);
        assertArrayEquals(memory.value(), rocks.value(), where);
      }
      return more;
    }

    void close() {
      rocks.close();
      memory.close();
    }
  }

  @TempDir Path folder;

  static LongStream seeds() {
    return LongStream.range(FIRST_SEED, FIRST_SEED + SEEDS);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void theFakeTablesBehaveAsRocksDb(long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    KeyValueStore rocks = RocksKeyValueStore.open(folder);
    MemoryKeyValueStore memory = new MemoryKeyValueStore(new StorageFaults());
    List<Scans> open = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      String where = "seed " + seed + ", step " + step;
      switch (random.nextInt(24)) {
        case 0 -> {
          byte[] from = random.nextInt(4) == 0 ? MIN_KEY : bytes(random, 3);
          byte[] to = random.nextInt(4) == 0 ? MAX_KEY : bytes(random, 3);
          open.add(new Scans(rocks.scan(from, to), memory.scan(from, to)));
          if (open.size() > 4) {
            open.remove(0).close();
          }
        }
        case 1, 2, 3, 4, 5 -> {
          if (!open.isEmpty()) {
            Scans scans = open.get(random.nextInt(open.size()));
            if (!scans.step(where)) {
              open.remove(scans);
              scans.close();
            }
          }
        }
        case 6, 7, 8, 9 -> {
          byte[] key = bytes(random, 3);
          assertArrayEquals(memory.get(key), rocks.get(key), where);
        }
        case 10 -> {
          rocks.sync();
          memory.sync();
        }
        case 11 -> {
          if (random.nextInt(20) == 0) {
            // Another process after a clean stop: no scan is open, and nothing is lost.
            open.forEach(Scans::close);
            open.clear();
            rocks.close();
            rocks = RocksKeyValueStore.open(folder);
            memory.close();
            memory = memory.afterProcessDeath(new StorageFaults());
            sameContents(rocks, memory, where);
          }
        }
        default -> {
          KeyValueStore.Batch batch = batch(random);
          boolean sync = random.nextInt(50) == 0;
          rocks.write(batch, sync);
          memory.write(batch, sync);
        }
      }
    }
    sameContents(rocks, memory, "seed " + seed);
    open.forEach(Scans::close);
    rocks.close();
  }

  private static void sameContents(KeyValueStore rocks, KeyValueStore memory, String where)
      throws IOException {
    Scans all = new Scans(rocks.scan(MIN_KEY, MAX_KEY), memory.scan(MIN_KEY, MAX_KEY));
    boolean more = true;
    while (more) {
      more = all.step(where);
    }
    all.close();
  }

  private static KeyValueStore.Batch batch(SplittableRandom random) {
    KeyValueStore.Batch batch = new KeyValueStore.Batch();
    int changes = random.nextInt(20) == 0 ? 40 : random.nextInt(6);
    for (int i = 0; i < changes; i++) {
      byte[] key = bytes(random, 3);
      if (random.nextInt(3) == 0) {
        batch.remove(key);
      } else {
        byte[] value = new byte[random.nextInt(8) == 0 ? 0 : random.nextInt(5_000)];
        random.nextBytes(value);
        batch.put(key, value);
      }
    }
    return batch;
  }

  /** Few different ones, so that keys are met again. */
  private static byte[] bytes(SplittableRandom random, int maxLength) {
    byte[] bytes = new byte[1 + random.nextInt(maxLength)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (random.nextInt(6) * 51);
    }
    return bytes;
  }

  /** Also one that strikes again, or after a process died: what was synced stays. */
  @ParameterizedTest
  @MethodSource("seeds")
  void aPowerLossLeavesThePrefixOfSomeBatch(long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    MemoryKeyValueStore store = new MemoryKeyValueStore(new StorageFaults());
    // What there was after each batch since the last sync, that one first.
    List<List<ByteBuffer>> pasts = new ArrayList<>(List.of(contents(store)));
    boolean lost = false;
    for (int loss = 0; loss < 30; loss++) {
      for (int step = random.nextInt(12); step >= 0; step--) {
        if (random.nextInt(6) == 0) {
          store = store.afterProcessDeath(new StorageFaults());
        }
        boolean sync = random.nextInt(6) == 0;
        store.write(batch(random), sync);
        pasts.add(contents(store));
        if (sync || random.nextInt(10) == 0) {
          store.sync();
          pasts.subList(0, pasts.size() - 1).clear();
        }
      }
      store = store.afterPowerLoss(new StorageFaults(), random);
      List<ByteBuffer> left = contents(store);
      assertTrue(pasts.contains(left), "seed " + seed + ": no prefix of the batches");
      lost |= !left.equals(pasts.get(pasts.size() - 1));
      pasts.clear();
      pasts.add(left);
    }
    assertTrue(lost, "nothing was ever lost");
  }

  private static List<ByteBuffer> contents(KeyValueStore store) throws IOException {
    List<ByteBuffer> entries = new ArrayList<>();
    try (KeyValueStore.Cursor cursor = store.scan(MIN_KEY, MAX_KEY)) {
      while (cursor.next()) {
        entries.add(ByteBuffer.wrap(cursor.key()));
        entries.add(ByteBuffer.wrap(cursor.value()));
      }
    }
    return entries;
  }
}
