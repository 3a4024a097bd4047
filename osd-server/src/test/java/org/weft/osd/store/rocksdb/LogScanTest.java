package org.weft.osd.store.rocksdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.protocol.seam.KeyValueStore;

/** The log is read as RocksDB reads it, and never believed further than that. */
class LogScanTest {
  private static final int MAX_COPIES = 20;

  @TempDir Path folder;
  private final SplittableRandom random = new SplittableRandom(5);
  private int copies;

  private KeyValueStore.Batch batch(int changes, int valueBytes) {
    KeyValueStore.Batch batch = new KeyValueStore.Batch();
    for (int i = 0; i < changes; i++) {
      byte[] value = new byte[valueBytes];
      random.nextBytes(value);
      batch.put(ByteBuffer.allocate(8).putLong(random.nextLong()).array(), value);
    }
    return batch;
  }

  private Path tables() {
    return folder.resolve("tables");
  }

  /** RocksDB removes in the background what it needs no more: then another copy is made. */
  private Path copy() throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        return copyOnce();
      } catch (NoSuchFileException e) {
        if (attempt == MAX_COPIES) {
          throw e;
        }
      }
    }
  }

  private Path copyOnce() throws IOException {
    Path copy = Files.createDirectory(folder.resolve("copy-" + copies++));
    try (Stream<Path> files = Files.list(tables())) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    return copy;
  }

  private static long written(Path tables) throws IOException {
    return LogMark.read(tables).orElseThrow().written();
  }

  private static List<Path> logs(Path tables) throws IOException {
    try (Stream<Path> files = Files.list(tables)) {
      return files.filter(file -> file.toString().endsWith(".log")).sorted().toList();
    }
  }

  @Test
  void everyChangeIsCountedWhateverItsSizeAndWhereverItEnds() throws IOException {
    try (KeyValueStore store = RocksKeyValueStore.open(tables())) {
      int[] sizes = {1, 100, 4_000, 32_700, 32_740, 32_768, 40_000, 70_000, 300_000};
      for (int round = 0; round < 40; round++) {
        int size = sizes[round % sizes.length] + random.nextInt(20);
        store.write(batch(1 + round % 3, size), round % 5 == 0);
        Path copy = copy();
        assertEquals(written(copy), LogScan.lastNumber(copy), "round " + round);
      }
    }
    assertEquals(written(tables()), LogScan.lastNumber(tables()));
  }

  @Test
  void severalLogsAreOne() throws IOException {
    try (KeyValueStore store = RocksKeyValueStore.open(tables())) {
      for (int i = 0; i < 12; i++) {
        store.write(batch(1, 1 << 20), false);
        Path copy = copy();
        assertEquals(written(copy), LogScan.lastNumber(copy), "batch " + i);
      }
    }
  }

  @Test
  void recordsBehindDamageAreNotBelieved() throws IOException {
    try (KeyValueStore store = RocksKeyValueStore.open(tables())) {
      for (int i = 0; i < 200; i++) {
        store.write(batch(1, 500), false);
      }
      long all = written(tables());
      for (int i = 0; i < 40; i++) {
        Path copy = copy();
        Path log = logs(copy).get(logs(copy).size() - 1);
        long place = random.nextLong(Files.size(log));
        try (RandomAccessFile bytes = new RandomAccessFile(log.toFile(), "rw")) {
          if (i % 2 == 0) {
            bytes.setLength(place);
          } else {
            bytes.seek(place);
            int old = bytes.read();
            bytes.seek(place);
            bytes.write(old ^ 1 << random.nextInt(8));
          }
        }
        long found = LogScan.lastNumber(copy);
        assertTrue(found < all, "damage at " + place + " is not seen: " + found);
        try (RocksKeyValueStore damaged = RocksKeyValueStore.openReadOnly(copy)) {
          assertTrue(damaged.hasLostEnd(), "RocksDB has it all");
          assertTrue(damaged.lastChange() >= found, "RocksDB has less than " + found);
        }
      }
    }
  }

  @Test
  void aMissingLogHasNoRecords() throws IOException {
    assertEquals(0, LogScan.lastNumber(Files.createDirectory(folder.resolve("empty"))));
  }
}
