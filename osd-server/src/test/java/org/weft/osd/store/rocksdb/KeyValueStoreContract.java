package org.weft.osd.store.rocksdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.seam.KeyValueStore;

/** What every key-value store does (P 8.1). */
abstract class KeyValueStoreContract {
  private KeyValueStore store;

  /** An empty store. */
  abstract KeyValueStore openEmpty() throws IOException;

  /** The same store after it was closed. */
  abstract KeyValueStore openAgain(KeyValueStore closed) throws IOException;

  @BeforeEach
  final void open() throws IOException {
    store = openEmpty();
  }

  @AfterEach
  final void close() throws IOException {
    store.close();
  }

  private static byte[] key(int... bytes) {
    byte[] key = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      key[i] = (byte) bytes[i];
    }
    return key;
  }

  private List<Byte> values(byte[] from, byte[] to) throws IOException {
    List<Byte> values = new ArrayList<>();
    try (KeyValueStore.Cursor cursor = store.scan(from, to)) {
      while (cursor.next()) {
        values.add(cursor.value()[0]);
      }
    }
    return values;
  }

  @Test
  void absentKeysAreNull() throws IOException {
    assertNull(store.get(key(1)));
  }

  @Test
  void laterChangesOfABatchWin() throws IOException {
    store.write(
        new KeyValueStore.Batch()
            .put(key(1), key(1))
            .remove(key(1))
            .put(key(2), key(2))
            .put(key(1), key(3))
            .put(key(4), key(4))
            .remove(key(4)),
        false);
    assertArrayEquals(key(3), store.get(key(1)));
    assertArrayEquals(key(2), store.get(key(2)));
    assertNull(store.get(key(4)));
  }

  @Test
  void emptyValuesAreKept() throws IOException {
    store.write(new KeyValueStore.Batch().put(key(1), key()), true);
    assertArrayEquals(key(), store.get(key(1)));
  }

  @Test
  void theLastKeyOfARangeIsFound() throws IOException {
    assertNull(store.lastKey(key(1), key(9)));
    store.write(
        new KeyValueStore.Batch()
            .put(key(2), key())
            .put(key(3, 0x7f), key())
            .put(key(3, 0x80), key())
            .put(key(6), key()),
        true);
    assertArrayEquals(key(6), store.lastKey(key(1), key(9)));
    assertArrayEquals(key(3, 0x80), store.lastKey(key(1), key(6)));
    assertArrayEquals(key(3, 0x80), store.lastKey(key(3, 0x80), key(4)));
    assertArrayEquals(key(3, 0x7f), store.lastKey(key(3), key(3, 0x80)));
    assertNull(store.lastKey(key(4), key(6)));
    store.write(new KeyValueStore.Batch().remove(key(3, 0x80)).remove(key(6)), false);
    assertArrayEquals(key(3, 0x7f), store.lastKey(key(1), key(9)));
  }

  @Test
  void keysCompareAsUnsignedBytes() throws IOException {
    KeyValueStore.Batch batch = new KeyValueStore.Batch();
    batch.put(key(0x80), key(3)).put(key(0x7f, 0xff), key(2)).put(key(0x7f), key(1));
    batch.put(key(0xff), key(5)).put(key(0x80, 0), key(4));
    store.write(batch, false);
    assertEquals(List.of((byte) 1, (byte) 2, (byte) 3, (byte) 4), values(key(), key(0xff)));
    assertEquals(List.of((byte) 2, (byte) 3), values(key(0x7f, 0), key(0x80, 0)));
    assertEquals(List.of(), values(key(0x81), key(0x82)));
    assertEquals(List.of(), values(key(0x82), key(0x81)));
  }

  @Test
  void aScanSeesTheStoreAsItWas() throws IOException {
    store.write(new KeyValueStore.Batch().put(key(1), key(1)).put(key(2), key(2)), false);
    try (KeyValueStore.Cursor cursor = store.scan(key(0), key(9))) {
      store.write(new KeyValueStore.Batch().remove(key(2)).put(key(3), key(3)), false);
      assertTrue(cursor.next());
      assertArrayEquals(key(1), cursor.key());
      assertTrue(cursor.next());
      assertArrayEquals(key(2), cursor.key());
      assertFalse(cursor.next());
    }
  }

  @Test
  void writtenKeysSurviveAReopening() throws IOException {
    store.write(new KeyValueStore.Batch().put(key(1), key(1)), false);
    store.write(new KeyValueStore.Batch().put(key(2), key(2)), true);
    store.sync();
    store.close();
    store = openAgain(store);
    assertEquals(List.of((byte) 1, (byte) 2), values(key(0), key(9)));
  }

  @Test
  void keysAndValuesOfAllLengthsAreKept() throws IOException {
    int[] lengths = {0, 1, 127, 128, 129, 16_383, 16_384, 16_385, 2_097_151, 2_097_152};
    KeyValueStore.Batch batch = new KeyValueStore.Batch();
    for (int length : lengths) {
      byte[] value = new byte[length];
      Arrays.fill(value, (byte) length);
      batch.put(key(1, length >> 16, length >> 8, length), value);
      byte[] key = new byte[length + 1];
      key[0] = 2;
      batch.put(key, key(length)).remove(new byte[length + 2]);
    }
    store.write(batch, false);
    for (int opening = 0; opening < 2; opening++) {
      for (int length : lengths) {
        byte[] value = store.get(key(1, length >> 16, length >> 8, length));
        assertEquals(length, value.length);
        assertTrue(length == 0 || value[length - 1] == (byte) length);
        byte[] key = new byte[length + 1];
        key[0] = 2;
        assertArrayEquals(key(length), store.get(key));
      }
      store.close();
      store = openAgain(store);
    }
  }

  @Test
  void aClosedStoreSaysSo() throws IOException {
    store.close();
    assertThrows(IOException.class, () -> store.get(key(1)));
    assertThrows(IOException.class, () -> store.scan(key(1), key(2)));
    assertThrows(
        IOException.class, () -> store.write(new KeyValueStore.Batch().put(key(1), key(1)), false));
    assertThrows(IOException.class, store::sync);
    store.close();
  }
}
