package org.weft.osd.store.rocksdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.seam.KeyValueStore;
import org.weft.testkit.storage.MemoryKeyValueStore;
import org.weft.testkit.storage.StorageFaults;

/** RocksDB keeps the contract, and does what the store in memory does. */
class RocksKeyValueStoreTest extends KeyValueStoreContract {
  @TempDir Path folder;

  @Override
  KeyValueStore openEmpty() throws IOException {
    return RocksKeyValueStore.open(folder);
  }

  @Override
  KeyValueStore openAgain(KeyValueStore closed) throws IOException {
    return RocksKeyValueStore.open(folder);
  }

  @Test
  void aFolderIsOpenOnce(@TempDir Path other) throws IOException {
    try (KeyValueStore first = RocksKeyValueStore.open(other)) {
      RpcException refused = assertThrows(RpcException.class, () -> RocksKeyValueStore.open(other));
      assertEquals(ErrorCode.UNAVAILABLE, refused.code());
      assertTrue(refused.getMessage().contains(other.toString()), refused.getMessage());
      assertThrows(RpcException.class, () -> RocksKeyValueStore.openReadOnly(other));
      first.write(new KeyValueStore.Batch().put(new byte[] {1}, new byte[] {2}), false);
    }
    try (KeyValueStore reader = RocksKeyValueStore.openReadOnly(other)) {
      assertArrayEquals(new byte[] {2}, reader.get(new byte[] {1}));
      assertThrows(
          IOException.class,
          () -> reader.write(new KeyValueStore.Batch().put(new byte[] {1}, new byte[] {3}), false));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void bothStoresDoTheSame(long seed, @TempDir Path other) throws IOException {
    RandomGenerator random = new SplittableRandom(seed);
    KeyValueStore rocks = RocksKeyValueStore.open(other);
    MemoryKeyValueStore memory = new MemoryKeyValueStore(new StorageFaults());
    for (int step = 0; step < 2_000; step++) {
      switch (random.nextInt(20)) {
        case 0 -> compareScan(rocks, memory, bytes(random, 3), bytes(random, 3));
        case 1 -> compareScan(rocks, memory, new byte[0], new byte[] {(byte) 0xff});
        case 2 -> {
          if (random.nextInt(30) == 0) {
            rocks.close();
            rocks = RocksKeyValueStore.open(other);
          }
        }
        case 3 -> {
          if (random.nextInt(5) == 0) {
            rocks.sync();
            memory.sync();
          }
        }
        case 4, 5, 6, 7, 8 -> {
          byte[] key = bytes(random, 3);
          assertArrayEquals(memory.get(key), rocks.get(key));
        }
        default -> {
          KeyValueStore.Batch batch = batch(random);
          boolean sync = random.nextInt(50) == 0;
          rocks.write(batch, sync);
          memory.write(batch, sync);
        }
      }
    }
    compareScan(rocks, memory, new byte[0], new byte[] {(byte) 0xff});
    rocks.close();
  }

  private static KeyValueStore.Batch batch(RandomGenerator random) {
    KeyValueStore.Batch batch = new KeyValueStore.Batch();
    for (int i = random.nextInt(5); i >= 0; i--) {
      byte[] key = bytes(random, 3);
      if (random.nextInt(3) == 0) {
        batch.remove(key);
      } else {
        batch.put(key, bytes(random, 300));
      }
    }
    return batch;
  }

  /** Few different ones, so that keys are met again; never starting with 0xff. */
  private static byte[] bytes(RandomGenerator random, int maxLength) {
    byte[] bytes = new byte[1 + random.nextInt(maxLength)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (random.nextInt(6) * 50);
    }
    return bytes;
  }

  private static void compareScan(KeyValueStore rocks, KeyValueStore memory, byte[] from, byte[] to)
      throws IOException {
    try (KeyValueStore.Cursor a = rocks.scan(from, to);
        KeyValueStore.Cursor b = memory.scan(from, to)) {
      while (b.next()) {
        assertTrue(a.next());
        assertArrayEquals(b.key(), a.key());
        assertArrayEquals(b.value(), a.value());
      }
      assertFalse(a.next());
    }
  }
}
