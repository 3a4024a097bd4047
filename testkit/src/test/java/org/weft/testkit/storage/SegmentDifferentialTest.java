package org.weft.testkit.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.seam.SegmentFile;
import org.weft.protocol.system.FileSegmentDirectory;

/**
 * The folder in memory and one of the file system do the same under random operations (P 8.1), also
 * through files that were removed or replaced while they were open. Other courses with {@code
 * -Dweft.storage.seed}, more with {@code -Dweft.storage.seeds}.
 */
class SegmentDifferentialTest {
  private static final long FIRST_SEED = Long.getLong("weft.storage.seed", 1);
  private static final long SEEDS = Long.getLong("weft.storage.seeds", 20);
  private static final int STEPS = 400;
  private static final int MAX_BYTES = 40_000;
  private static final int SECTOR = 512;
  private static final List<String> NAMES = List.of("a", "b", "c");

  /** The same file in both folders. */
  private record Open(SegmentFile real, SegmentFile memory) {}

  /** What is done to either. */
  @FunctionalInterface
  private interface Operation<T> {
    Object on(T target) throws IOException;
  }

  @TempDir Path path;

  static LongStream seeds() {
    return LongStream.range(FIRST_SEED, FIRST_SEED + SEEDS);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void theFakeFolderBehavesAsTheRealOne(long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    SegmentDirectory real = new FileSegmentDirectory(path);
    MemorySegmentDirectory memory = new MemorySegmentDirectory(new StorageFaults());
    List<Open> open = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      if (random.nextInt(100) == 0) {
        // Another process: nothing is lost, and nothing is open.
        close(open);
        real = new FileSegmentDirectory(path);
        memory = memory.afterProcessDeath(new StorageFaults());
      }
      if (open.isEmpty() || random.nextInt(6) == 0) {
        inFolder(random, real, memory, open, seed + ", step " + step);
      } else {
        inFile(random, open.get(random.nextInt(open.size())), seed + ", step " + step);
      }
    }
    for (String name : real.list()) {
      try (SegmentFile one = real.open(name);
          SegmentFile other = memory.open(name)) {
        same(one, other, SegmentDifferentialTest::all, name);
      }
    }
    close(open);
  }

  private static void close(List<Open> open) throws IOException {
    for (Open files : open) {
      files.real().close();
      files.memory().close();
    }
    open.clear();
  }

  private static void inFolder(
      SplittableRandom random,
      SegmentDirectory real,
      SegmentDirectory memory,
      List<Open> open,
      String where)
      throws IOException {
    String name = NAMES.get(random.nextInt(NAMES.size()));
    String other = NAMES.get(random.nextInt(NAMES.size()));
    switch (random.nextInt(8)) {
      case 0, 1 -> opened(real, memory, open, folder -> folder.create(name), where);
      case 2, 3 -> opened(real, memory, open, folder -> folder.open(name), where);
      case 4 -> same(real, memory, folder -> done(() -> folder.delete(name)), where);
      case 5 -> same(real, memory, folder -> done(() -> folder.rename(name, other)), where);
      case 6 -> same(real, memory, folder -> done(folder::sync), where);
      default -> same(real, memory, SegmentDirectory::list, where);
    }
  }

  private static void opened(
      SegmentDirectory real,
      SegmentDirectory memory,
      List<Open> open,
      Operation<SegmentDirectory> opening,
      String where)
      throws IOException {
    Object one = outcome(real, opening);
    Object other = outcome(memory, opening);
    if (one instanceof SegmentFile file && other instanceof SegmentFile fake) {
      open.add(new Open(file, fake));
      if (open.size() > 6) {
        Open oldest = open.remove(0);
        oldest.real().close();
        oldest.memory().close();
      }
    } else {
      assertEquals(one, other, where);
    }
  }

  private static void inFile(SplittableRandom random, Open files, String where) {
    int offset = random.nextInt(MAX_BYTES);
    switch (random.nextInt(10)) {
      case 0, 1, 2, 3 -> {
        byte[][] parts = new byte[1 + random.nextInt(3)][];
        for (int i = 0; i < parts.length; i++) {
          parts[i] = new byte[random.nextInt(9_000)];
          random.nextBytes(parts[i]);
        }
        same(files.real(), files.memory(), file -> written(file, parts, offset), where);
      }
      case 4, 5, 6 -> {
        int length = random.nextInt(10_000);
        same(files.real(), files.memory(), file -> read(file, offset, length), where);
      }
      case 7 -> {
        long size = random.nextInt(4) == 0 ? 0 : random.nextInt(MAX_BYTES);
        same(files.real(), files.memory(), file -> done(() -> file.resize(size)), where);
      }
      case 8 -> same(files.real(), files.memory(), file -> done(file::sync), where);
      default -> {
        same(files.real(), files.memory(), SegmentFile::sizeBytes, where);
        same(files.real(), files.memory(), SegmentDifferentialTest::sent, where);
      }
    }
  }

  private static Object written(SegmentFile file, byte[][] parts, long offset) throws IOException {
    ByteBuffer[] buffers = Arrays.stream(parts).map(ByteBuffer::wrap).toArray(ByteBuffer[]::new);
    file.write(buffers, offset);
    for (ByteBuffer buffer : buffers) {
      assertEquals(0, buffer.remaining());
    }
    return "written";
  }

  private static Object read(SegmentFile file, long offset, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    file.read(bytes, offset);
    assertEquals(0, bytes.remaining());
    return ByteBuffer.wrap(bytes.array());
  }

  private static Object all(SegmentFile file) throws IOException {
    return read(file, 0, Math.toIntExact(file.sizeBytes()));
  }

  private static Object sent(SegmentFile file) throws IOException {
    int size = Math.toIntExact(file.sizeBytes());
    if (size == 0) {
      return "nothing to send";
    }
    int[] released = new int[1];
    Payload payload = file.payload(size / 3, size - size / 3, () -> released[0]++);
    ByteBuffer bytes = ByteBuffer.allocate(payload.lengthBytes());
    payload.buffers().forEach(bytes::put);
    payload.release();
    assertEquals(1, released[0]);
    return bytes.flip();
  }

  /** Something that gives nothing. */
  @FunctionalInterface
  private interface Action {
    void run() throws IOException;
  }

  private static Object done(Action action) throws IOException {
    action.run();
    return "done";
  }

  private static <T> void same(T real, T memory, Operation<T> operation, String where) {
    Object wanted = outcome(real, operation);
    Object got = outcome(memory, operation);
    assertEquals(wanted, got, () -> "seed " + where);
  }

  /** What came of it; of a failure its kind. */
  private static <T> Object outcome(T target, Operation<T> operation) {
    try {
      return operation.on(target);
    } catch (NoSuchFileException | FileAlreadyExistsException | EOFException e) {
      return e.getClass();
    } catch (IOException e) {
      throw new AssertionError("an unexpected failure", e);
    }
  }

  /**
   * After a power loss each sector holds what some write since the last sync, or that sync, left
   * there: nothing else, nothing torn inside, nothing synced lost.
   */
  @ParameterizedTest
  @MethodSource("seeds")
  void aPowerLossLeavesOfEachSectorOneOfItsPasts(long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    MemorySegmentDirectory folder = new MemorySegmentDirectory(new StorageFaults());
    SegmentFile file = folder.create("a");
    folder.sync();
    int sectors = 64;
    file.resize(sectors * SECTOR);
    file.sync();
    List<List<ByteBuffer>> pasts = new ArrayList<>();
    for (int i = 0; i < sectors; i++) {
      pasts.add(new ArrayList<>(List.of(ByteBuffer.wrap(new byte[SECTOR]))));
    }
    boolean changed = false;
    for (int loss = 0; loss < 5; loss++) {
      for (int step = 0; step < 40; step++) {
        if (random.nextInt(15) == 0) {
          file.sync();
          pasts.forEach(past -> past.subList(0, past.size() - 1).clear());
          continue;
        }
        if (random.nextInt(20) == 0) {
          folder = folder.afterProcessDeath(new StorageFaults());
          file = folder.open("a");
        }
        int from = random.nextInt(sectors);
        byte[] data = new byte[SECTOR * (1 + random.nextInt(Math.min(20, sectors - from)))];
        random.nextBytes(data);
        file.write(new ByteBuffer[] {ByteBuffer.wrap(data)}, (long) from * SECTOR);
        for (int i = 0; i < data.length / SECTOR; i++) {
          pasts.get(from + i).add(ByteBuffer.wrap(data, i * SECTOR, SECTOR).slice());
        }
      }
      folder = folder.afterPowerLoss(new StorageFaults(), random);
      file = folder.open("a");
      byte[] left = folder.contents("a");
      for (int i = 0; i < sectors; i++) {
        List<ByteBuffer> past = pasts.get(i);
        ByteBuffer now = ByteBuffer.wrap(left, i * SECTOR, SECTOR).slice();
        int sector = i;
        assertTrue(past.contains(now), () -> "seed " + seed + ": sector " + sector + " is foreign");
        changed |= !now.equals(past.get(past.size() - 1));
        past.clear();
        past.add(now);
      }
    }
    assertTrue(changed, "nothing was ever lost");
  }
}
