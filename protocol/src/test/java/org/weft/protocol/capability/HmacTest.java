package org.weft.protocol.capability;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** Our HMAC-SHA256 is the JDK's, and the one that RFC 4231 gives examples of. */
class HmacTest {
  private static final int ROUNDS = 300;
  private static final int MAX_BYTES = 200;

  private static byte[] bytes(SplittableRandom random, int least) {
    byte[] bytes = new byte[random.nextInt(least, MAX_BYTES)];
    random.nextBytes(bytes);
    return bytes;
  }

  /** Keys shorter and longer than a block, parts on and off the heap. */
  @Test
  void isTheMacOfTheJdk() throws Exception {
    SplittableRandom random = new SplittableRandom(275);
    for (int round = 0; round < ROUNDS; round++) {
      byte[] key = bytes(random, 1);
      byte[] first = bytes(random, 0);
      byte[] second = bytes(random, 0);
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update(first);
      byte[] expected = mac.doFinal(second);
      assertArrayEquals(expected, Hmac.sha256(key, first, second));
      ByteBuffer direct = ByteBuffer.allocateDirect(second.length).put(second).flip();
      byte[] wire = Hmac.wire(key, ByteBuffer.wrap(first).asReadOnlyBuffer(), direct);
      assertArrayEquals(Arrays.copyOf(expected, Hmac.WIRE_BYTES), wire);
      assertEquals(0, direct.position(), "the parts' positions stay");
    }
  }

  /** Test cases 2 and 6: a short key, and one longer than a block. */
  @Test
  void theHmacMatchesTheStandardsVectors() {
    assertEquals(
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        HexFormat.of()
            .formatHex(Hmac.sha256(ascii("Jefe"), ascii("what do ya want for nothing?"))));
    byte[] longKey = new byte[131];
    Arrays.fill(longKey, (byte) 0xaa);
    assertEquals(
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        HexFormat.of()
            .formatHex(
                Hmac.sha256(
                    longKey, ascii("Test Using Larger Than Block-Size Key - Hash Key First"))));
  }

  @Test
  void anEmptyKeyIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> Hmac.sha256(new byte[0], new byte[1]));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
  }
}
