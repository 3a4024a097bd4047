package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.store.engine.Requests.BLOCK;
import static org.weft.osd.store.engine.Requests.bytes;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.readOf;
import static org.weft.osd.store.engine.Requests.write;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.osd.store.StoredRange;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.seam.SegmentFile;

/** A disk that may keep its caller waiting. */
class SlowDiskReadTest {
  /** Passes everything on. */
  private record Waiting(SegmentDirectory folder) implements SegmentDirectory {
    @Override
    public SegmentFile open(String name) throws IOException {
      return folder.open(name);
    }

    @Override
    public SegmentFile create(String name) throws IOException {
      return folder.create(name);
    }

    @Override
    public List<String> list() throws IOException {
      return folder.list();
    }

    @Override
    public void delete(String name) throws IOException {
      folder.delete(name);
    }

    @Override
    public void rename(String from, String to) throws IOException {
      folder.rename(from, to);
    }

    @Override
    public void sync() throws IOException {
      folder.sync();
    }

    @Override
    public boolean keepsWaiting() {
      return true;
    }
  }

  @Test
  void isNotReadOnAThreadThatMustNotWait() throws Exception {
    Rig rig = Rig.small();
    rig.stop();
    rig.store =
        OsdfsStore.open(
            rig.options,
            rig.tables,
            new Waiting(rig.segments),
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
