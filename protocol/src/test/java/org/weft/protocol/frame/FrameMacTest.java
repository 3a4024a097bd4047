package org.weft.protocol.frame;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.weft.protocol.wire.BatchItem;
import org.weft.protocol.wire.BatchRequest;

/** P 5.7: a request is bound to its connection, its place in it, and its bytes. */
class FrameMacTest {
  private static final byte[] SECRET = "secret".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NONCE = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] BODY = "the body".getBytes(StandardCharsets.US_ASCII);

  private static byte[] head() {
    ByteBuffer head = ByteBuffer.allocate(FrameHeader.BYTES);
    new FrameHeader(FrameKind.REQUEST, 0x0107, 0, 5, 6, 1_000, BODY.length, 0).encode(head);
    return head.array();
  }

  private static byte[] frameMac(byte[] secret, byte[] nonce, byte[] head, byte[] body) {
    return FrameMac.ofFrame(secret, nonce, ByteBuffer.wrap(head), ByteBuffer.wrap(body));
  }

  @Test
  void macOfAFrameIsTheDocumentedOne() throws Exception {
    javax.crypto.Mac mac = javax.crypto.Mac.getInstance("HmacSHA256");
    mac.init(new javax.crypto.spec.SecretKeySpec(SECRET, "HmacSHA256"));
    mac.update(NONCE);
    mac.update(head(), 0, 40);
    mac.update(BODY);
    assertArrayEquals(Arrays.copyOf(mac.doFinal(), 16), frameMac(SECRET, NONCE, head(), BODY));
  }

  @Test
  void everyBitOfSecretNonceHeadAndBodyCounts() {
    byte[] good = frameMac(SECRET, NONCE, head(), BODY);
    byte[][] parts = {SECRET, NONCE, Arrays.copyOf(head(), 40), BODY};
    for (int part = 0; part < parts.length; part++) {
      for (int bit = 0; bit < parts[part].length * 8; bit++) {
        byte[][] changed = {SECRET.clone(), NONCE.clone(), head(), BODY.clone()};
        changed[part][bit / 8] ^= (byte) (1 << bit % 8);
        assertFalse(Arrays.equals(good, frameMac(changed[0], changed[1], changed[2], changed[3])));
      }
    }
  }

  @Test
  void itemIsBoundToFrameIndexOpcodeAndBody() {
    byte[] good = FrameMac.ofItem(SECRET, NONCE, 5, 6, 2, 0x0105, ByteBuffer.wrap(BODY));
    byte[] otherNonce = NONCE.clone();
    otherNonce[3]++;
    List<byte[]> others =
        List.of(
            FrameMac.ofItem(SECRET, otherNonce, 5, 6, 2, 0x0105, ByteBuffer.wrap(BODY)),
            FrameMac.ofItem(SECRET, NONCE, 4, 6, 2, 0x0105, ByteBuffer.wrap(BODY)),
            FrameMac.ofItem(SECRET, NONCE, 5, 7, 2, 0x0105, ByteBuffer.wrap(BODY)),
            FrameMac.ofItem(SECRET, NONCE, 5, 6, 3, 0x0105, ByteBuffer.wrap(BODY)),
            FrameMac.ofItem(SECRET, NONCE, 5, 6, 2, 0x0104, ByteBuffer.wrap(BODY)),
            FrameMac.ofItem(SECRET, NONCE, 5, 6, 2, 0x0105, ByteBuffer.wrap(BODY, 0, 7)),
            FrameMac.ofItem(NONCE, NONCE, 5, 6, 2, 0x0105, ByteBuffer.wrap(BODY)));
    others.forEach(other -> assertFalse(Arrays.equals(good, other)));
  }

  @Test
  void bytesThatAnItemSignsAreNeverAFrame() {
    ByteBuffer head =
        ByteBuffer.allocate(FrameHeader.BYTES)
            .put("item".getBytes(StandardCharsets.US_ASCII))
            .rewind();
    assertEquals(
        "frame says it has 1769235821 bytes",
        org.junit.jupiter.api.Assertions.assertThrows(
                org.weft.protocol.error.WeftException.class,
                () -> FrameHeader.decode(head.put(4, (byte) 1).put(5, (byte) 3), FrameLimits.MAX))
            .getMessage()
            .substring(0, 34));
  }

  @Test
  void batchIsSignedItemByItemAndElseUnchanged() {
    SplittableRandom random = new SplittableRandom(3);
    BatchRequest.Builder batch = BatchRequest.newBuilder();
    List<byte[]> secrets = new java.util.ArrayList<>();
    for (int i = 0; i < 5; i++) {
      byte[] body = new byte[random.nextInt(100)];
      random.nextBytes(body);
      batch.addItems(
          BatchItem.newBuilder().setOpcode(0x0105 + i).setBody(ByteString.copyFrom(body)));
      secrets.add(HexFormat.of().parseHex("0" + i));
    }
    BatchRequest signed = BatchSigning.sign(batch.build(), secrets, NONCE, 8, 9);
    for (int i = 0; i < 5; i++) {
      BatchItem item = signed.getItems(i);
      assertEquals(batch.getItems(i), item.toBuilder().clearMac().build());
      assertArrayEquals(
          FrameMac.ofItem(
              secrets.get(i), NONCE, 8, 9, i, 0x0105 + i, item.getBody().asReadOnlyByteBuffer()),
          item.getMac().toByteArray());
    }
  }
}
