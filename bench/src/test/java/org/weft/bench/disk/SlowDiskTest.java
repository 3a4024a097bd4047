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
    DiskRate disk = new DiskRate(1_000, now::get, now::addAndGet);

    assertEquals(SECOND, disk.reserve(1_000) - begun);
    assertEquals(3 * SECOND, disk.reserve(2_000) - begun);
  }

  @Test
  void aDiskThatHadNothingToDoHasSavedNothingUp() {
    DiskRate disk = new DiskRate(1_000, now::get, now::addAndGet);
    long later = now.addAndGet(50 * SECOND);

    assertEquals(SECOND, disk.reserve(1_000) - later);
    assertThrows(IllegalArgumentException.class, () -> new DiskRate(0));
  }

  @Test
  void everyByteWrittenOrReadTakesItsTime(@TempDir Path folder) throws Exception {
    SlowSegmentDirectory slow =
        new SlowSegmentDirectory(
            new FileSegmentDirectory(folder), new DiskRate(4_096, now::get, now::addAndGet));
    long begun = now.get();
    try (SegmentFile file = slow.create("segment")) {
      file.write(new ByteBuffer[] {ByteBuffer.allocate(4_096), ByteBuffer.allocate(8_192)}, 0);
      assertEquals(12_288, file.sizeBytes());
      assertEquals(3 * SECOND, now.get() - begun);
      file.read(ByteBuffer.allocate(4_096), 8_192);
      assertEquals(4 * SECOND, now.get() - begun);
      Payload payload = file.payload(0, 12_288, () -> {});
      assertEquals(12_288, payload.lengthBytes());
      assertEquals(7 * SECOND, now.get() - begun);
      payload.release();
    }
    assertTrue(slow.keepsWaiting());
  }
}
