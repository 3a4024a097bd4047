package org.weft.osd.store.rocksdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.KeyValueStore;

/** What RocksDB takes for the end of its log, and is damage, is found (P 5.9). */
class LogDamageTest {
  private static final int VALUE_BYTES = 1_000;

  @TempDir Path folder;
  private int copies;
  private int next;
  private int syncedUpTo;
  private long syncedBytes;

  private static byte[] key(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  private static byte[] value(int number) {
    byte[] value = new byte[VALUE_BYTES];
    new SplittableRandom(number).nextBytes(value);
    return value;
  }

  private void write(KeyValueStore store, int count) throws IOException {
    for (int end = next + count; next < end; next++) {
      store.write(new KeyValueStore.Batch().put(key(next), value(next)), false);
    }
  }

  private static void assertThere(KeyValueStore store, int end) throws IOException {
    for (int number = 0; number < end; number++) {
      assertArrayEquals(value(number), store.get(key(number)), "number " + number);
    }
  }

  private Path tables() {
    return folder.resolve("tables");
  }

  /** What a process finds that starts after the one that has the store open was killed. */
  private Path killed() throws IOException {
    Path copy = folder.resolve("copy-" + copies++);
    Files.createDirectory(copy);
    try (Stream<Path> files = Files.list(tables())) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    return copy;
  }

  private static Path log(Path tables) throws IOException {
    try (Stream<Path> files = Files.list(tables)) {
      List<Path> logs =
          files.filter(file -> file.getFileName().toString().matches("\\d+\\.log")).toList();
      assertEquals(1, logs.size(), logs.toString());
      return logs.get(0);
    }
  }

  private static void flip(Path file, long offset) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(offset);
      int old = bytes.read();
      bytes.seek(offset);
      bytes.write(old ^ 0x10);
    }
  }

  private static void cut(Path file, long size) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.setLength(size);
    }
  }

  /** One hundred changes that are durable, and one hundred that are not; then a kill. */
  private Path written() throws IOException {
    try (KeyValueStore store = RocksKeyValueStore.open(tables())) {
      write(store, 100);
      store.sync();
      syncedUpTo = next;
      syncedBytes = Files.size(log(tables()));
      write(store, 100);
      return killed();
    }
  }

  private static void assertRefused(Path tables) {
    WeftException refused =
        assertThrows(WeftException.class, () -> RocksKeyValueStore.open(tables).close());
    assertEquals(ErrorCode.BAD_MEDIA, refused.code());
    assertTrue(refused.getMessage().contains("log-mark"), refused.getMessage());
  }

  @Test
  void killsAndStopsLoseNoLogRecords() throws IOException {
    for (int round = 0; round < 6; round++) {
      Path killed;
      try (KeyValueStore store = RocksKeyValueStore.open(tables())) {
        assertFalse(store.hasLostEnd(), "round " + round);
        assertThere(store, next);
        write(store, 1 + round * 7);
        if (round % 3 == 0) {
          store.sync();
        } else if (round % 3 == 1) {
          store.write(new KeyValueStore.Batch().put(key(next), value(next++)), true);
        }
        killed = killed();
      }
      try (KeyValueStore store = RocksKeyValueStore.open(killed)) {
        assertFalse(store.hasLostEnd(), "round " + round);
        assertThere(store, next);
      }
    }
  }

  /** More than the write buffers hold: tables are written, and logs end. */
  @Test
  void switchesOfLogFilesLoseNoRecords() throws IOException {
    byte[] large = new byte[1 << 20];
    try (KeyValueStore store = RocksKeyValueStore.open(tables())) {
      for (int number = 0; number < 40; number++) {
        new SplittableRandom(number).nextBytes(large);
        store.write(new KeyValueStore.Batch().put(key(number), large), false);
      }
    }
    try (KeyValueStore store = RocksKeyValueStore.open(tables())) {
      assertFalse(store.hasLostEnd());
      assertArrayEquals(large, store.get(key(39)));
    }
  }

  @Test
  void aDamagedEndIsToldUntilItIsForgotten() throws IOException {
    Path tables = written();
    flip(log(tables), (syncedBytes + Files.size(log(tables))) / 2);
    try (KeyValueStore store = RocksKeyValueStore.openReadOnly(tables)) {
      assertTrue(store.hasLostEnd());
    }
    for (int opening = 0; opening < 2; opening++) {
      try (KeyValueStore store = RocksKeyValueStore.open(tables)) {
        assertTrue(store.hasLostEnd(), "opening " + opening);
        assertThere(store, syncedUpTo);
        assertNull(store.get(key(next - 1)), "what is behind it is not found either");
        // More than were lost.
        for (int number = 0; number < 150; number++) {
          store.write(new KeyValueStore.Batch().put(new byte[] {7, 7}, value(number)), true);
        }
      }
    }
    try (KeyValueStore store = RocksKeyValueStore.open(tables)) {
      store.forgetLostEnd();
      assertFalse(store.hasLostEnd());
      store.write(new KeyValueStore.Batch().put(key(next), value(next)), false);
    }
    try (KeyValueStore store = RocksKeyValueStore.open(tables)) {
      assertFalse(store.hasLostEnd());
    }
  }

  @Test
  void aLogThatIsCutShortHasLostItsEnd() throws IOException {
    Path tables = written();
    // Between two records or in one: to RocksDB both are an end like any other.
    cut(log(tables), syncedBytes);
    try (KeyValueStore store = RocksKeyValueStore.open(tables)) {
      assertTrue(store.hasLostEnd());
      assertThere(store, syncedUpTo);
    }
  }

  @Test
  void aStoreThatLacksDurableChangesIsRefusedUnchanged() throws IOException {
    Path tables = written();
    long place = syncedBytes / 2;
    flip(log(tables), place);
    long before = Files.size(log(tables));
    assertRefused(tables);
    assertRefused(tables);
    assertEquals(before, Files.size(log(tables)));
    // It was the cable.
    flip(log(tables), place);
    try (KeyValueStore store = RocksKeyValueStore.open(tables)) {
      assertFalse(store.hasLostEnd());
      assertThere(store, next);
    }
  }

  @Test
  void anOrderlyStopIsDurableToTheLast() throws IOException {
    try (KeyValueStore store = RocksKeyValueStore.open(tables())) {
      write(store, 50);
      store.sync();
    }
    Path log = log(tables());
    cut(log, Files.size(log) - VALUE_BYTES / 2);
    assertRefused(tables());
  }

  @Test
  void anOperatorThatNeedsWhatIsLeftTakesTheMarkAway() throws IOException {
    Path tables = written();
    flip(log(tables), syncedBytes / 2);
    assertRefused(tables);
    Files.delete(LogMark.fileIn(tables));
    try (KeyValueStore store = RocksKeyValueStore.open(tables)) {
      assertTrue(store.hasLostEnd(), "it is older than it was");
      assertArrayEquals(value(0), store.get(key(0)));
    }
  }

  @Test
  void aDamagedMarkIsNoReasonToBelieveTheLog() throws IOException {
    Path tables = written();
    Files.write(LogMark.fileIn(tables), new byte[4096]);
    try (KeyValueStore store = RocksKeyValueStore.open(tables)) {
      assertTrue(store.hasLostEnd());
      assertThere(store, next);
    }
  }
}
