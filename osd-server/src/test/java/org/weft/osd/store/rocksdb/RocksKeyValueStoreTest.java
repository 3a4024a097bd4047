package org.weft.osd.store.rocksdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.KeyValueStore;

/** RocksDB keeps the contract. */
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
      WeftException refused =
          assertThrows(WeftException.class, () -> RocksKeyValueStore.open(other));
      assertEquals(ErrorCode.UNAVAILABLE, refused.code());
      assertTrue(refused.getMessage().contains(other.toString()), refused.getMessage());
      assertThrows(WeftException.class, () -> RocksKeyValueStore.openReadOnly(other));
      first.write(new KeyValueStore.Batch().put(new byte[] {1}, new byte[] {2}), false);
    }
    try (KeyValueStore reader = RocksKeyValueStore.openReadOnly(other)) {
      assertArrayEquals(new byte[] {2}, reader.get(new byte[] {1}));
      assertThrows(
          IOException.class,
          () -> reader.write(new KeyValueStore.Batch().put(new byte[] {1}, new byte[] {3}), false));
    }
  }
}
