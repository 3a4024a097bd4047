package org.weft.protocol.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.rpc.FilePayload;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.seam.SegmentFile;

class FileSegmentTest {
  @TempDir Path folder;

  private FileSegmentDirectory directory() throws IOException {
    return new FileSegmentDirectory(folder.resolve("data/segments"));
  }

  private static byte[] bytes(int count, long seed) {
    byte[] bytes = new byte[count];
    new SplittableRandom(seed).nextBytes(bytes);
    return bytes;
  }

  private static byte[] read(SegmentFile file, long offset, int count) throws IOException {
    ByteBuffer target = ByteBuffer.allocate(count);
    file.read(target, offset);
    return target.array();
  }

  @Test
  void buffersAreWrittenOneAfterAnother() throws Exception {
    try (SegmentFile file = directory().create("s")) {
      byte[] bytes = bytes(100_000, 1);
      ByteBuffer direct = ByteBuffer.allocateDirect(50_000).put(bytes, 30_000, 50_000).flip();
      ByteBuffer[] parts = {
        ByteBuffer.wrap(bytes, 0, 30_000),
        direct,
        ByteBuffer.allocate(0),
        ByteBuffer.wrap(bytes, 80_000, 20_000)
      };
      file.write(parts, 5_000);
      for (ByteBuffer part : parts) {
        assertEquals(0, part.remaining());
      }
      assertEquals(105_000, file.sizeBytes());
      assertArrayEquals(bytes, read(file, 5_000, 100_000));
      assertArrayEquals(new byte[5_000], read(file, 0, 5_000));
      file.sync();
    }
  }

  @Test
  void readingPastTheEndIsToldWithTheNumbers() throws Exception {
    try (SegmentFile file = directory().create("s")) {
      file.resize(100);
      EOFException failure = assertThrows(EOFException.class, () -> read(file, 60, 50));
      assertTrue(
          failure.getMessage().contains("ends at 100, 10 bytes were still wanted"),
          failure.getMessage());
    }
  }

  @Test
  void growthAllocatesBlocksAndKeepsTheOldBytes() throws Exception {
    try (SegmentFile file = directory().create("s")) {
      byte[] bytes = bytes(10_000, 2);
      file.write(new ByteBuffer[] {ByteBuffer.wrap(bytes)}, 0);
      long freeBefore = Files.getFileStore(folder).getUsableSpace();
      file.resize(20 << 20);
      file.sync();
      assertEquals(20 << 20, file.sizeBytes());
      assertArrayEquals(bytes, read(file, 0, 10_000));
      assertArrayEquals(new byte[1 << 20], read(file, 19 << 20, 1 << 20));
      assertTrue(blocks("data/segments/s") >= (20 << 20) / 512, "a sparse file");
      assertTrue(freeBefore > 0);
      file.resize(4_000);
      assertEquals(4_000, file.sizeBytes());
      assertArrayEquals(Arrays.copyOf(bytes, 4_000), read(file, 0, 4_000));
    }
  }

  /** What the file takes on its device, in units of 512 bytes, as stat(1) sees it. */
  private long blocks(String name) throws IOException {
    Process stat = new ProcessBuilder("stat", "-c", "%b", folder.resolve(name).toString()).start();
    return Long.parseLong(
        new String(stat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).trim());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void randomWritesReadBackAsInMemory(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    byte[] model = new byte[200_000];
    try (SegmentFile file = directory().create("s")) {
      file.resize(model.length);
      for (int i = 0; i < 200; i++) {
        int length = random.nextInt(20_000);
        int offset = random.nextInt(model.length - length);
        byte[] bytes = bytes(length, random.nextLong());
        int cut = length == 0 ? 0 : random.nextInt(length);
        file.write(
            new ByteBuffer[] {
              ByteBuffer.wrap(bytes, 0, cut), ByteBuffer.wrap(bytes, cut, length - cut)
            },
            offset);
        System.arraycopy(bytes, 0, model, offset, length);
      }
      assertArrayEquals(model, read(file, 0, model.length));
    }
  }

  @Test
  void payloadStandsForItsRangeAndIsReleasedOnce() throws Exception {
    AtomicInteger released = new AtomicInteger();
    try (SegmentFile file = directory().create("s")) {
      byte[] bytes = bytes(50_000, 3);
      file.write(new ByteBuffer[] {ByteBuffer.wrap(bytes)}, 0);
      Payload payload = file.payload(10_000, 20_000, released::incrementAndGet);
      FilePayload.Range range = ((FilePayload) payload).ranges().get(0);
      assertEquals(10_000, range.offsetBytes());
      assertEquals(20_000, range.lengthBytes());
      assertEquals(
          ByteBuffer.wrap(bytes, 10_000, 20_000).asReadOnlyBuffer(), payload.buffers().get(0));
      payload.release();
      payload.release();
      assertEquals(1, released.get());
    }
  }

  @Test
  void aFileGrowsByWhatCanPreallocateOrByZeros() throws Exception {
    List<String> asked = new ArrayList<>();
    Preallocation whatCannot =
        (file, from, to) -> {
          asked.add(file.getFileName() + " " + from + " to " + to);
          if (asked.size() == 3) {
            throw new IOException("No space left on device");
          }
          return false;
        };
    Path where = folder.resolve("data/segments");
    try (SegmentFile file = new FileSegmentDirectory(where, whatCannot).create("s")) {
      file.resize(5_000);
      file.resize(9_000);
      assertThrows(IOException.class, () -> file.resize(10_000));
      assertEquals(9_000, file.sizeBytes());
      file.resize(4_000);
      assertEquals(4_000, file.sizeBytes());
      assertArrayEquals(new byte[4_000], read(file, 0, 4_000));
    }
    assertEquals(List.of("s 0 to 5000", "s 5000 to 9000", "s 9000 to 10000"), asked);
  }

  @Test
  void directoryCreatesListsRenamesAndDeletes() throws Exception {
    FileSegmentDirectory directory = directory();
    for (String name : List.of("b", "a", "c")) {
      directory.create(name).close();
    }
    Files.createDirectory(folder.resolve("data/segments/sub"));
    assertEquals(List.of("a", "b", "c"), directory.list());
    assertThrows(FileAlreadyExistsException.class, () -> directory.create("a"));
    assertThrows(NoSuchFileException.class, () -> directory.open("x"));
    try (SegmentFile file = directory.open("a")) {
      file.resize(3);
    }
    directory.rename("a", "b");
    directory.delete("c");
    directory.sync();
    assertEquals(List.of("b"), directory.list());
    try (SegmentFile file = directory.open("b")) {
      assertEquals(3, file.sizeBytes());
    }
    assertThrows(NoSuchFileException.class, () -> directory.rename("x", "b"));
    assertThrows(NoSuchFileException.class, () -> directory.delete("x"));
    assertEquals(List.of("b"), directory().list());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "a/b", "/etc/passwd"})
  void onlyPlainNamesAreTaken(String name) throws Exception {
    FileSegmentDirectory directory = directory();
    assertThrows(IllegalArgumentException.class, () -> directory.create(name));
  }

  @Test
  void theMediumHoldsWhatWasWrittenSyncedOrNot() throws IOException {
    try (SegmentFile file = directory().create("medium")) {
      byte[] bytes = bytes(16 * 4096, 3);
      file.write(new ByteBuffer[] {ByteBuffer.wrap(bytes)}, 0);
      for (int round = 0; round < 2; round++) {
        ByteBuffer aligned = ByteBuffer.allocateDirect(9 * 4096).alignedSlice(4096);
        file.readFromMedium(aligned.limit(8 * 4096), 4 * 4096);
        assertEquals(8 * 4096, aligned.position());
        assertEquals(ByteBuffer.wrap(bytes, 4 * 4096, 8 * 4096), aligned.flip());
        file.sync();
      }
      // What no disk reads by itself is read all the same.
      ByteBuffer anywhere = ByteBuffer.allocate(100);
      file.readFromMedium(anywhere, 50);
      assertEquals(ByteBuffer.wrap(bytes, 50, 100), anywhere.flip());
      ByteBuffer beyond = ByteBuffer.allocateDirect(3 * 4096).alignedSlice(4096);
      assertThrows(IOException.class, () -> file.readFromMedium(beyond.limit(2 * 4096), 15 * 4096));
    }
  }
}
