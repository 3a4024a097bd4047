package org.weft.nfs.oncrpc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.rpc.Payload;

class XdrTest {
  /** The file "sillyprog" of John's: the example of RFC 4506 section 7, byte by byte. */
  private static final byte[] SILLYPROG =
      HexFormat.of()
          .parseHex(
              "00000009"
                  + "73696c6c7970726f67000000"
                  + "00000002"
                  + "00000004"
                  + "6c697370"
                  + "00000004"
                  + "6a6f686e"
                  + "00000006"
                  + "28717569742900"
                  + "00");

  @Test
  void theExampleOfTheRfcIsWrittenByteByByte() {
    byte[] written =
        XdrWriter.bytes(
            out -> {
              out.string("sillyprog").int32(2).string("lisp").string("john");
              out.opaque("(quit)".getBytes(StandardCharsets.US_ASCII));
            });
    assertArrayEquals(SILLYPROG, written);
  }

  @Test
  void theExampleOfTheRfcIsRead() throws MalformedXdrException {
    XdrReader in = XdrReader.of(SILLYPROG);
    assertEquals("sillyprog", in.string(255));
    assertEquals(2, in.choice(2));
    assertEquals("lisp", in.string(255));
    assertEquals("john", in.string(32));
    assertEquals("(quit)", new String(in.opaque(65_535), StandardCharsets.US_ASCII));
    assertEquals(0, in.remaining());
  }

  @Test
  void numbersAreBigEndian() throws MalformedXdrException {
    byte[] written =
        XdrWriter.bytes(out -> out.int32(-2).int64(0x0102030405060708L).bool(true).bool(false));
    assertEquals("fffffffe01020304050607080000000100000000", HexFormat.of().formatHex(written));
    XdrReader in = XdrReader.of(written);
    assertEquals(0xffff_fffeL, in.uint32());
    assertEquals(0x0102030405060708L, in.int64());
    assertTrue(in.bool());
  }

  @ParameterizedTest
  @ValueSource(strings = {"00000002", "ffffffff", "80000000"})
  void aBooleanIsZeroOrOne(String hex) {
    XdrReader in = XdrReader.of(HexFormat.of().parseHex(hex));
    assertThrows(MalformedXdrException.class, in::bool);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ffffffff61626364", "7fffffff61626364", "0000000561626364", "00000009"})
  void lengthBeyondTheRecordIsRefusedBeforeMemoryIsTaken(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    assertThrows(MalformedXdrException.class, () -> XdrReader.of(bytes).opaque(Integer.MAX_VALUE));
    assertThrows(MalformedXdrException.class, () -> XdrReader.of(bytes).payload(Integer.MAX_VALUE));
  }

  @Test
  void aLengthBeyondItsLimitIsRefusedThoughTheBytesAreThere() {
    byte[] bytes = XdrWriter.bytes(out -> out.opaque(new byte[9]));
    assertThrows(MalformedXdrException.class, () -> XdrReader.of(bytes).opaque(8));
    assertThrows(MalformedXdrException.class, () -> XdrReader.of(bytes).payload(8));
    assertThrows(MalformedXdrException.class, () -> XdrReader.of(bytes).count(8));
  }

  @Test
  void missingPaddingIsRefused() {
    byte[] bytes = HexFormat.of().parseHex("00000003616263");
    assertThrows(MalformedXdrException.class, () -> XdrReader.of(bytes).opaque(8));
  }

  @ParameterizedTest
  @ValueSource(
      ints = {0, 1, 2, 3, 4, 5, 2_047, 2_048, 2_049, 2_050, 2_051, 8_191, 8_192, 8_193, 100_000})
  void aPayloadIsWrittenLikeOpaqueDataAndReleasedOnce(int length) {
    byte[] data = new byte[length];
    for (int i = 0; i < length; i++) {
      data[i] = (byte) (i * 7);
    }
    byte[] plain = XdrWriter.bytes(out -> out.int32(5).opaque(data).int32(6));
    AtomicInteger released = new AtomicInteger();
    ByteBuffer first = ByteBuffer.wrap(data, 0, length / 3);
    ByteBuffer second = ByteBuffer.wrap(data, length / 3, length - length / 3);
    byte[] parts =
        XdrWriter.bytes(
            out ->
                out.int32(5)
                    .payload(Payload.of(List.of(first, second), released::incrementAndGet))
                    .int32(6));
    assertArrayEquals(plain, parts);
    assertEquals(1, released.get());
  }

  @Test
  void aRecordGoesBackWhenItsLastPayloadIsReleased() throws MalformedXdrException {
    AtomicInteger gone = new AtomicInteger();
    byte[] bytes = XdrWriter.bytes(out -> out.opaque(new byte[] {1, 2, 3}).opaque(new byte[8]));
    ArrivedRecord record =
        new ArrivedRecord(
            io.netty.buffer.Unpooled.directBuffer().writeBytes(bytes), gone::incrementAndGet);
    XdrReader in = new XdrReader(record);
    Payload first = in.payload(3);
    Payload second = in.payload(8);
    record.release();
    assertEquals(3, first.lengthBytes());
    first.release();
    first.release();
    assertEquals(0, gone.get(), "the second payload still needs the record");
    assertEquals(8, second.buffers().get(0).remaining());
    second.release();
    assertEquals(1, gone.get());
    assertEquals(0, record.bytes().refCnt());
  }
}
