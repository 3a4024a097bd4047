package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.store.engine.Requests.BLOCK;
import static org.weft.osd.store.engine.Requests.bytes;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.readOf;
import static org.weft.osd.store.engine.Requests.write;

import org.junit.jupiter.api.Test;
import org.weft.osd.store.StoredRange;
import org.weft.protocol.seam.ForwardedDirectory;

/** A disk that may keep its caller waiting. */
class SlowDiskReadTest {
  @Test
  void aSlowDiskIsNotReadOnEventLoops() throws Exception {
    Rig rig = Rig.small();
    rig.stop();
    rig.store =
        OsdfsStore.open(
            rig.options,
            rig.tables,
            new ForwardedDirectory(rig.segments) {
              @Override
              public boolean keepsWaiting() {
                return true;
              }
            },
            rig.time,
            rig.random,
            () -> "boot-1");
    byte[] data = random(1, 4 * BLOCK);
    rig.apply(write(1, 0, data).build());
    for (int round = 0; round < 3; round++) {
      StoredRange read = rig.store.read(readOf(1, 0, data.length));
      assertArrayEquals(data, bytes(read, 0, data.length));
      read.payload().release();

      assertTrue(rig.store.readNow(readOf(1, 0, data.length)).isEmpty());
    }
  }
}
