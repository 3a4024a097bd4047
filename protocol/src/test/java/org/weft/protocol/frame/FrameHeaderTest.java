package org.weft.protocol.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

class FrameHeaderTest {
  private static final List<FrameKind> KINDS = List.of(FrameKind.values());
  private static final FrameLimits LIMITS = new FrameLimits(1_000, 5_000);

  private static ByteBuffer bytes(FrameHeader header) {
    ByteBuffer bytes = ByteBuffer.allocate(FrameHeader.BYTES);
    header.encode(bytes);
    return bytes.flip();
  }

  private static WeftException refusal(ByteBuffer bytes) {
    return assertThrows(WeftException.class, () -> FrameHeader.decode(bytes, LIMITS));
  }

  private static FrameHeader request(int bodyBytes, int payloadBytes) {
    return new FrameHeader(FrameKind.REQUEST, 0x0107, 0, 9, 12, 30_000, bodyBytes, payloadBytes);
  }

  @Test
  void headHasTheDocumentedBytes() {
    FrameHeader header =
        new FrameHeader(
            FrameKind.REQUEST,
            0x0107,
            0x00f0,
            0x0102030405060708L,
            0x1112131415161718L,
            0x75300,
            0x123,
            0x1000);
    assertEquals(
        "00001157" // 52 + 0x123 + 0x1000
            + "01030107"
            + "00f00000"
            + "0102030405060708"
            + "1112131415161718"
            + "00075300"
            + "00000123"
            + "00001000"
            + "00".repeat(16),
        HexFormat.of().formatHex(bytes(header).array()));
  }

  @Test
  void decodedHeadIsTheEncodedOne() throws Exception {
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 10_000; i++) {
      FrameKind kind = KINDS.get(random.nextInt(KINDS.size()));
      FrameHeader header =
          new FrameHeader(
              kind,
              random.nextInt(1 << 16),
              random.nextInt(1 << 16),
              random.nextLong(),
              random.nextLong(),
              random.nextInt() & Integer.MAX_VALUE,
              kind.mayHaveBody() ? random.nextInt(1_001) : 0,
              kind.mayHavePayload() ? random.nextInt(5_001) : 0);
      assertEquals(header, FrameHeader.decode(bytes(header), LIMITS));
    }
  }

  @Test
  void lengthsUpToTheLimitPass() throws Exception {
    FrameHeader largest = request(1_000, 5_000);
    assertEquals(largest, FrameHeader.decode(bytes(largest), LIMITS));
  }

  @ParameterizedTest
  @CsvSource({
    "1001, 0, a body of 1001 bytes",
    "0, 5001, a payload of 5001 bytes",
    "-1, 0, a body of 4294967295 bytes",
    "0, -2147483648, a payload of 2147483648 bytes",
    "2147483647, 2147483647, a body of 2147483647 bytes"
  })
  void lengthsPastTheLimitAreRefusedWithTheNumbers(int body, int payload, String expected) {
    WeftException refusal = refusal(bytes(request(body, payload)));
    assertEquals(ErrorCode.MALFORMED, refusal.code());
    assertTrue(refusal.getMessage().contains(expected), refusal.getMessage());
  }

  @Test
  void lengthThatContradictsTheOthersIsRefused() {
    ByteBuffer bytes = bytes(request(10, 20)).putInt(0, 52 + 10 + 21);
    assertEquals(
        "frame says it has 83 bytes, but its head, body and payload make 82",
        refusal(bytes).getMessage());
  }

  @Test
  void otherVersionIsRefusedBeforeAnythingElseIsBelieved() {
    ByteBuffer bytes = bytes(request(10, 20)).put(4, (byte) 2).put(5, (byte) 99);
    WeftException refusal = refusal(bytes);
    assertEquals(ErrorCode.VERSION_MISMATCH, refusal.code());
    assertEquals("frame of version 2, only 1 is known here", refusal.getMessage());
  }

  @ParameterizedTest
  @CsvSource({"0", "9", "255"})
  void unknownKindIsRefused(int kind) {
    ByteBuffer bytes = bytes(request(10, 20)).put(5, (byte) kind);
    assertEquals("unknown kind of frame " + kind, refusal(bytes).getMessage());
  }

  @Test
  void reservedFieldMustBeZero() {
    ByteBuffer bytes = bytes(request(10, 20)).putShort(10, (short) 3);
    assertTrue(refusal(bytes).getMessage().contains("must be zero, got 3"));
  }

  @Test
  void unknownFlagsAreIgnored() throws Exception {
    ByteBuffer bytes = bytes(request(10, 20)).putShort(8, (short) -1);
    assertEquals(0xffff, FrameHeader.decode(bytes, LIMITS).flags());
  }

  @Test
  void shortHeadIsRefused() {
    assertTrue(
        refusal(bytes(request(0, 0)).limit(55).slice()).getMessage().contains("56 bytes, got 55"));
  }

  @ParameterizedTest
  @EnumSource(FrameKind.class)
  void onlyRequestsAndResponsesHavePayloads(FrameKind kind) throws Exception {
    FrameHeader header = new FrameHeader(kind, 0, 0, 1, 1, 0, 0, 1);
    if (kind == FrameKind.REQUEST || kind == FrameKind.RESPONSE) {
      assertEquals(header, FrameHeader.decode(bytes(header), LIMITS));
    } else {
      assertEquals(ErrorCode.MALFORMED, refusal(bytes(header)).code());
    }
  }

  @Test
  void theCallBehindARefusedRequestIsKnown() {
    assertEquals(9, FrameHeader.requestIdOf(bytes(request(1_001, 0))));
    assertEquals(0, FrameHeader.requestIdOf(bytes(FrameHeader.plain(FrameKind.HELLO, 9, 1, 0))));
    assertEquals(0, FrameHeader.requestIdOf(bytes(request(0, 0)).put(4, (byte) 7)));
    assertEquals(0, FrameHeader.requestIdOf(ByteBuffer.allocate(3)));
  }

  @Test
  void randomBytesAreDecodedOrRefusedAndNothingElse() {
    SplittableRandom random = new SplittableRandom(11);
    byte[] bytes = new byte[FrameHeader.BYTES];
    for (int i = 0; i < 50_000; i++) {
      random.nextBytes(bytes);
      if (random.nextBoolean()) {
        // Far enough to reach the checks behind the first ones.
        bytes[4] = 1;
        bytes[5] = (byte) random.nextInt(1, 9);
        bytes[10] = 0;
        bytes[11] = 0;
      }
      try {
        FrameHeader header = FrameHeader.decode(ByteBuffer.wrap(bytes), LIMITS);
        assertTrue(header.bodyBytes() <= 1_000 && header.payloadBytes() <= 5_000);
      } catch (WeftException e) {
        assertTrue(e.code() == ErrorCode.MALFORMED || e.code() == ErrorCode.VERSION_MISMATCH);
      }
    }
  }
}
