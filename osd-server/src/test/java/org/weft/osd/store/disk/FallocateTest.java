package org.weft.osd.store.disk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.protocol.seam.SegmentFile;
import org.weft.protocol.system.FileSegmentDirectory;

class FallocateTest {
  private static final int BYTES = 1 << 20;

  @TempDir private Path folder;

  private final Fallocate fallocate = new Fallocate();

  private void requireSupport() throws IOException {
    Path probe = Files.createFile(folder.resolve("probe"));
    assumeTrue(
        fallocate.allocate(probe, 0, 4096), "the file system of " + folder + " has no fallocate");
  }

  /** Space that the disk has given to the file. */
  private static long takenBytes(Path file) throws IOException, InterruptedException {
    Process stat = new ProcessBuilder("stat", "--format=%b", file.toString()).start();
    String blocks = new String(stat.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, stat.waitFor());
    return Long.parseLong(blocks.strip()) * 512;
  }

  @Test
  void aSegmentThatGrowsHasItsSpaceAndReadsAsZeros() throws Exception {
    requireSupport();
    FileSegmentDirectory directory = new FileSegmentDirectory(folder, fallocate);
    byte[] written = "here".getBytes(StandardCharsets.UTF_8);
    try (SegmentFile segment = directory.create("segment")) {
      segment.write(new ByteBuffer[] {ByteBuffer.wrap(written)}, 0);
      segment.resize(BYTES);
      assertEquals(BYTES, segment.sizeBytes());
      assertTrue(takenBytes(folder.resolve("segment")) >= BYTES);
      ByteBuffer content = ByteBuffer.allocate(BYTES);
      segment.read(content, 0);
      byte[] expected = new byte[BYTES];
      System.arraycopy(written, 0, expected, 0, written.length);
      assertArrayEquals(expected, content.array());
      segment.write(new ByteBuffer[] {ByteBuffer.wrap(written)}, BYTES - written.length);
      segment.sync();
      ByteBuffer end = ByteBuffer.allocate(written.length);
      segment.read(end, BYTES - written.length);
      assertArrayEquals(written, end.array());
      segment.resize(10);
      assertEquals(10, segment.sizeBytes());
    }
  }

  @Test
  void aMissingFileIsNotAllocated() throws IOException {
    assertFalse(fallocate.allocate(folder.resolve("nothing"), 0, BYTES));
    assertFalse(fallocate.allocate(folder, 0, BYTES), "a folder");
  }

  /** No file may be so long: nothing is taken. */
  @Test
  void aRefusalOfTheDiskIsAnError() throws IOException {
    requireSupport();
    Path file = Files.createFile(folder.resolve("file"));
    IOException failure =
        assertThrows(
            IOException.class,
            () -> fallocate.allocate(file, Long.MAX_VALUE - BYTES, Long.MAX_VALUE - 1));
    assertTrue(failure.getMessage().contains(file.toString()), failure.getMessage());
    assertEquals(0, Files.size(file));
  }
}
