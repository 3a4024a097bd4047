package org.weft.testkit.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.seam.SegmentFile;

/** What every folder of segment files does (P 8.1). */
abstract class SegmentDirectoryContract {
  private SegmentDirectory folder;

  /** An empty folder. */
  abstract SegmentDirectory openEmpty() throws IOException;

  @BeforeEach
  final void open() throws IOException {
    folder = openEmpty();
  }

  private static byte[] read(SegmentFile file, long offset, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    file.read(bytes, offset);
    assertEquals(0, bytes.remaining());
    return bytes.array();
  }

  private static void write(SegmentFile file, long offset, byte[]... parts) throws IOException {
    ByteBuffer[] buffers = new ByteBuffer[parts.length];
    for (int i = 0; i < parts.length; i++) {
      buffers[i] = ByteBuffer.wrap(parts[i]);
    }
    file.write(buffers, offset);
  }

  @Test
  void filesAreMadeFoundRenamedAndDeleted() throws IOException {
    assertEquals(List.of(), folder.list());
    folder.create("b").close();
    folder.create("a").close();
    folder.sync();
    assertEquals(List.of("a", "b"), folder.list());
    assertThrows(FileAlreadyExistsException.class, () -> folder.create("a"));
    assertThrows(NoSuchFileException.class, () -> folder.open("c"));
    folder.rename("a", "b");
    assertEquals(List.of("b"), folder.list());
    assertThrows(NoSuchFileException.class, () -> folder.rename("a", "b"));
    folder.delete("b");
    assertEquals(List.of(), folder.list());
    assertThrows(NoSuchFileException.class, () -> folder.delete("b"));
  }

  @Test
  void buffersAreWrittenOneAfterAnother() throws IOException {
    try (SegmentFile file = folder.create("a")) {
      write(file, 5000, new byte[] {1, 2}, new byte[0], new byte[] {3});
      assertEquals(5003, file.sizeBytes());
      assertArrayEquals(new byte[] {0, 1, 2, 3}, read(file, 4999, 4));
      assertThrows(EOFException.class, () -> read(file, 5000, 4));
    }
    try (SegmentFile file = folder.open("a")) {
      assertArrayEquals(new byte[] {3}, read(file, 5002, 1));
    }
  }

  @Test
  void filesGrowWithZerosAndAreCut() throws IOException {
    try (SegmentFile file = folder.create("a")) {
      write(file, 0, new byte[] {1, 2, 3});
      file.resize(10_000);
      assertEquals(10_000, file.sizeBytes());
      assertArrayEquals(new byte[] {3, 0}, read(file, 2, 2));
      assertArrayEquals(new byte[2], read(file, 9_998, 2));
      file.resize(8192);
      assertThrows(EOFException.class, () -> read(file, 8191, 2));
      file.resize(0);
      assertEquals(0, file.sizeBytes());
    }
  }

  @Test
  void payloadsReadTheirRangeAndAreReleasedOnce() throws IOException {
    try (SegmentFile file = folder.create("a")) {
      write(file, 0, new byte[] {1, 2, 3, 4, 5});
      AtomicInteger released = new AtomicInteger();
      Payload payload = file.payload(1, 3, released::incrementAndGet);
      assertEquals(3, payload.lengthBytes());
      ByteBuffer bytes = ByteBuffer.allocate(3);
      payload.buffers().forEach(bytes::put);
      assertArrayEquals(new byte[] {2, 3, 4}, bytes.array());
      payload.release();
      payload.release();
      assertEquals(1, released.get());
    }
  }

  @Test
  void filesHoldWhatWasWrittenLast() throws IOException {
    RandomGenerator random = new SplittableRandom(4);
    byte[] expected = new byte[50_000];
    try (SegmentFile file = folder.create("a")) {
      file.resize(expected.length);
      for (int round = 0; round < 300; round++) {
        byte[] data = new byte[1 + random.nextInt(9000)];
        random.nextBytes(data);
        int offset = random.nextInt(expected.length - data.length);
        System.arraycopy(data, 0, expected, offset, data.length);
        write(file, offset, data);
        if (round % 20 == 0) {
          file.sync();
        }
      }
      assertArrayEquals(expected, read(file, 0, expected.length));
    }
  }
}
