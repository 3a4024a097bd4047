package org.weft.metadata.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.Lsn;

class FrameCodecTest {
  private static final long SALT = 77;
  private static final int FILE_BYTES = 4096;

  private static ByteBuffer fileWithFrameAt(int offsetBytes) {
    ByteBuffer file = ByteBuffer.allocate(FILE_BYTES);
    file.position(offsetBytes);
    FrameCodec.put(file, SALT, FrameCodec.Kind.RECORD, Lsn.of(1, 9), 64, new byte[] {1, 2, 3});
    return file.clear();
  }

  @Test
  void aFrameBehindZerosIsFoundWhereverItBegins() {
    for (int offset = 0; offset + FrameCodec.sizeBytes(3) <= FILE_BYTES; offset += 8) {
      ByteBuffer file = fileWithFrameAt(offset);
      assertEquals(offset, FrameCodec.find(file, 0, SALT).orElseThrow().offsetBytes());
      assertEquals(
          offset,
          FrameCodec.find(file.asReadOnlyBuffer(), 0, SALT).orElseThrow().offsetBytes(),
          "of a buffer without an array");
      assertTrue(FrameCodec.find(file, offset + 8, SALT).isEmpty());
    }
  }

  @Test
  void aFrameBehindBytesOfATornOneIsFound() {
    ByteBuffer file = fileWithFrameAt(1024);
    for (int torn = 300; torn < 500; torn += 7) {
      file.put(torn, (byte) torn);
    }
    assertEquals(1024, FrameCodec.find(file, 0, SALT).orElseThrow().offsetBytes());
    ByteBuffer slice = file.slice(512, FILE_BYTES - 512);
    assertEquals(512, FrameCodec.find(slice, 0, SALT).orElseThrow().offsetBytes());
  }

  @Test
  void searchInZerosFindsNothing() {
    assertTrue(FrameCodec.find(ByteBuffer.allocate(FILE_BYTES), 0, SALT).isEmpty());
  }
}
