package org.weft.protocol.capability;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.frame.FrameHeader;
import org.weft.protocol.frame.FrameKind;
import org.weft.protocol.frame.FrameMac;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.ConfigurationCopy;

/**
 * What is signed, as other releases sign it. The bytes expected here were computed by another
 * program, from docs/formats.md.
 */
class SignatureBytesTest {
  private static final byte[] SECRET = ascii("secret");
  private static final byte[] NONCE = ascii("0123456789abcdef");
  private static final byte[] BODY = ascii("the body");

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static void assertBytes(String hex, byte[] bytes) {
    assertEquals(hex, HexFormat.of().formatHex(bytes));
  }

  @Test
  void anItemOfABatchIsSignedSo() {
    assertBytes(
        "4deb9575305730ee59384ec0e1f51a9e",
        FrameMac.ofItem(SECRET, NONCE, 5, 6, 2, 0x0105, ByteBuffer.wrap(BODY)));
  }

  @Test
  void anAnswerIsSignedSo() {
    ByteBuffer head = ByteBuffer.allocate(FrameHeader.BYTES);
    FrameHeader.plain(FrameKind.RESPONSE, 5, 6, BODY.length).encode(head);
    byte[] requestMac = new byte[Hmac.WIRE_BYTES];
    for (int i = 0; i < requestMac.length; i++) {
      requestMac[i] = (byte) i;
    }
    assertBytes(
        "27644376f4c87efc7e72c7323063e8c5",
        FrameMac.ofAnswer(SECRET, NONCE, requestMac, head.rewind(), ByteBuffer.wrap(BODY)));
  }

  @Test
  void initialAttributesAreSignedSo() {
    assertBytes(
        "73c416f521acc381cf5f7608afefe9ee",
        InitialAttributesSignature.sign(SECRET, ObjectName.of(1, 2), 4, 3, ByteBuffer.wrap(BODY)));
  }

  /** Programs store handles: these bytes must be the same in every release. */
  @Test
  void aFileHandleIsTheseBytesForEver() throws WeftException {
    byte[] key = new byte[HandleKey.BYTES];
    Arrays.fill(key, (byte) 0x0b);
    FileHandle handle =
        HandleKey.of(258, key).handle(new PartitionId(7), new ObjectId(0x0102030405060708L));
    assertBytes(
        "01000102" + "0000000000000007" + "0102030405060708" + "62fbf8b92edd3849f8445fd5",
        handle.encode().toByteArray());
    assertEquals(handle, FileHandle.decode(handle.encode()));
  }

  @Test
  void aCopyOfTheConfigurationIsSealedSo() {
    ConfigurationCopy copy =
        ConfigurationCopy.newBuilder()
            .setFormatVersion(1)
            .setClusterId("00112233445566778899aabbccddeeff")
            .setVersion(9)
            .setMadeMillis(1_000)
            .setSnapshot(ByteString.copyFromUtf8("snapshot"))
            .build();
    assertBytes(
        "e2dbd9ebfc0e090aaee623009fa0b6c3" + "6d4cc80cd9c03bc9adc4e81da0f94aa6",
        CopySeal.of(copy, JoinSecret.of(ascii("token"))));
  }
}
