package org.weft.metadata.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.id.Lsn;

/** The bytes of a journal file, as {@link SegmentHeader} and {@link FrameCodec} draw them. */
class JournalFormatTest {
  private static final long SALT = 0x0102030405060708L;

  private static SegmentHeader header() {
    return new SegmentHeader(Samples.IDENTITY, Lsn.of(2, 3), Lsn.of(1, 1), 5000, SALT);
  }

  @Test
  void goldenHeader() {
    ByteBuffer bytes = header().encode();
    assertEquals(SegmentHeader.BYTES, bytes.remaining());
    byte[] start = new byte[80];
    bytes.get(0, start);
    assertEquals(
        "574546544a524e4c" // WEFTJRNL
            + "0000000200001000" // version 2, 4096 bytes
            + "0000000000000007" // volume
            + "00112233445566778899aabbccddeeff" // cluster
            + "0000020000000003" // base 2:3
            + "0000010000000001" // previous base 1:1
            + "0000000000001388" // previous end 5000
            + "0102030405060708" // salt
            + "52285c74" // CRC32C
            + "00000000",
        HexFormat.of().formatHex(start));
    assertEquals(header(), SegmentHeader.decode(header().encode()).orElseThrow());
  }

  @Test
  void goldenFrame() {
    ByteBuffer bytes = ByteBuffer.allocate(48);
    FrameCodec.put(
        bytes, SALT, FrameCodec.Kind.RECORD, Lsn.of(2, 9), 4096, new byte[] {1, 2, 3, 4, 5});
    assertEquals(40, bytes.position());
    assertEquals(40, FrameCodec.sizeBytes(5));
    assertEquals(
        "574a4631" // WJF1
            + "00000005" // body bytes
            + "cbd773e0" // CRC32C
            + "01000000" // record
            + "0000020000000009" // LSN 2:9
            + "0000000000001000" // group at 4096
            + "0102030405000000", // body, filled up to 8
        HexFormat.of().formatHex(bytes.array(), 0, 40));
    FrameCodec.Frame frame = FrameCodec.at(bytes.clear(), 0, SALT).orElseThrow();
    assertEquals(FrameCodec.Kind.RECORD, frame.kind());
    assertEquals(Lsn.of(2, 9), frame.lsn());
    assertEquals(4096, frame.groupBytes());
    assertEquals(ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5}), frame.body());
    assertEquals(40, frame.endBytes());
  }

  @Test
  void everyFlippedBitOfAFrameIsSeen() {
    ByteBuffer bytes = ByteBuffer.allocate(40);
    FrameCodec.put(
        bytes, SALT, FrameCodec.Kind.SNAPSHOT, Lsn.of(2, 9), 4096, new byte[] {1, 2, 3, 4, 5});
    bytes.clear();
    for (int bit = 0; bit < 37 * 8; bit++) {
      byte old = bytes.get(bit / 8);
      bytes.put(bit / 8, (byte) (old ^ 1 << bit % 8));
      assertTrue(FrameCodec.at(bytes, 0, SALT).isEmpty(), "bit " + bit);
      bytes.put(bit / 8, old);
    }
    assertTrue(FrameCodec.at(bytes, 0, SALT).isPresent());
    assertTrue(FrameCodec.at(bytes, 0, SALT + 1).isEmpty(), "a frame of another file");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aHeaderOfAnotherFormatVersionIsRefusedByNumber(int version) {
    ByteBuffer bytes = header().encode();
    bytes.putInt(8, version);
    CRC32C crc = new CRC32C();
    crc.update(bytes.slice(0, 72));
    bytes.putInt(72, (int) crc.getValue());
    String message =
        assertThrows(IllegalArgumentException.class, () -> SegmentHeader.decode(bytes))
            .getMessage();
    assertTrue(message.contains("version " + version + ", this release reads 2"), message);
  }
}
