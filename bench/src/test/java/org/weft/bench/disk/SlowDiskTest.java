package org.weft.bench.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.seam.SegmentFile;
import org.weft.protocol.system.FileSegmentDirectory;

class SlowDiskTest {
  private static final long SECOND = 1_000_000_000;

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - SECOND);

  @Test
  void requestsAreServedOneAfterAnother() {
    long begun = now.get();
    DiskRate disk = new DiskRate(1_000, now::get);

    assertEquals(SECOND, disk.reserve(1_000) - begun);
    assertEquals(3 * SECOND, disk.reserve(2_000) - begun);
  }

  @Test
  void aDiskThatHadNothingToDoHasSavedNothingUp() {
    DiskRate disk = new DiskRate(1_000, now::get);
    long later = now.addAndGet(50 * SECOND);

    assertEquals(SECOND, disk.reserve(1_000) - later);
    assertThrows(IllegalArgumentException.class, () -> new DiskRate(0));
  }

  @Test
  void everyByteWrittenOrReadTakesItsTime(@TempDir Path folder) throws Exception {
    DiskRate disk = new DiskRate(1L << 40, now::get);
    long begun = disk.reserve(0);
    SlowSegmentDirectory slow = new SlowSegmentDirectory(new FileSegmentDirectory(folder), disk);
    try (SegmentFile file = slow.create("segment")) {
      now.addAndGet(SECOND);
      file.write(new ByteBuffer[] {ByteBuffer.allocate(4_096), ByteBuffer.allocate(8_192)}, 0);
      assertEquals(12_288, file.sizeBytes());
      ByteBuffer read = ByteBuffer.allocate(4_096);
      file.read(read, 8_192);
      Payload payload = file.payload(0, 12_288, () -> {});
      assertEquals(12_288, payload.lengthBytes());
      payload.release();
    }
    long moved = 12_288 + 4_096 + 12_288;
    long expected = moved * SECOND >> 40;
    assertTrue(Math.abs(disk.reserve(0) - begun - SECOND - expected) <= 3);
    assertTrue(slow.keepsWaiting());
  }
}
