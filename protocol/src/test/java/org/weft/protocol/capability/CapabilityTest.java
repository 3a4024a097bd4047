package org.weft.protocol.capability;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;

class CapabilityTest {
  private static final byte[] KEY = new byte[32];

  private static Capability random(SplittableRandom random) {
    return new Capability(
        ObjectName.of(random.nextLong(), random.nextLong()),
        random.nextInt(1 << 16),
        random.nextInt(),
        random.nextLong(),
        random.nextLong(),
        random.nextLong(),
        random.nextLong(),
        random.nextLong(),
        random.nextInt(),
        random.nextInt(),
        random.nextInt(),
        random.nextLong());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void decodingReturnsTheEncodedCapability(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 5_000; i++) {
      Capability capability = random(random);
      byte[] encoded = capability.encode();
      assertEquals(Capability.ENCODED_BYTES, encoded.length);
      assertEquals(capability, Capability.decode(ByteBuffer.wrap(encoded)));
    }
  }

  @Test
  void bytesAreTheDocumentedOnes() {
    Capability capability =
        new Capability(
            ObjectName.of(0x11, 0x22),
            Right.bits(Right.READ, Right.WRITE),
            0x33,
            0x44,
            0x55,
            0x66,
            0x77,
            0x88,
            0x99,
            0xaa,
            0xbb,
            0xcc);
    assertEquals(
        "0001000300000033"
            + "0000000000000011"
            + "0000000000000022"
            + "0000000000000044"
            + "0000000000000055"
            + "0000000000000066"
            + "0000000000000077"
            + "0000000000000088"
            + "00000099000000aa"
            + "000000bb00000000"
            + "00000000000000cc"
            + "00".repeat(8),
        HexFormat.of().formatHex(capability.encode()));
  }

  @Test
  void wrongLengthAndVersionAreRefused() {
    assertRefused(new byte[95]);
    assertRefused(new byte[97]);
    byte[] other = random(new SplittableRandom(1)).encode();
    other[1] = 2;
    assertRefused(other);
  }

  private static void assertRefused(byte[] encoded) {
    WeftException refusal =
        assertThrows(WeftException.class, () -> Capability.decode(ByteBuffer.wrap(encoded)));
    assertEquals(ErrorCode.CAPABILITY_INVALID, refusal.code());
  }

  @ParameterizedTest
  @ValueSource(longs = {3, 4})
  void changingAnyBitChangesTheSecret(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    SignedCapability signed = SignedCapability.sign(random(random), KEY);
    for (int bit = 0; bit < Capability.ENCODED_BYTES * 8; bit++) {
      byte[] forged = signed.encoded().toByteArray();
      forged[bit / 8] ^= (byte) (1 << bit % 8);
      assertFalse(Hmac.same(signed.secret(), Hmac.sha256(KEY, forged)));
    }
    byte[] otherKey = KEY.clone();
    otherKey[31] = 1;
    assertFalse(Hmac.same(signed.secret(), Hmac.sha256(otherKey, signed.encoded().toByteArray())));
    assertArrayEquals(signed.secret(), Hmac.sha256(KEY, signed.encoded().toByteArray()));
  }

  @Test
  void aCapabilityCoversItsObjectOrTheWholePartition() {
    Capability one = about(ObjectName.of(1, 70_000));
    assertTrue(one.covers(ObjectName.of(1, 70_000)));
    assertFalse(one.covers(ObjectName.of(1, 70_001)));
    assertFalse(one.covers(ObjectName.of(2, 70_000)));
    assertFalse(one.covers(ObjectName.of(1, Capability.WHOLE_PARTITION)));
    Capability all = about(ObjectName.of(1, Capability.WHOLE_PARTITION));
    assertTrue(all.covers(ObjectName.of(1, 70_001)));
    assertFalse(all.covers(ObjectName.of(2, 70_001)));
  }

  private static Capability about(ObjectName name) {
    return new Capability(name, 0, 1, Lsn.of(9, 4).value(), 0, 0, 0, 0, 0, 0);
  }

  @Test
  void rightsAreBitsAndTheEpochIsTheGrants() {
    Capability none = about(ObjectName.of(1, 2));
    for (Right right : Right.values()) {
      assertFalse(none.allows(right));
      Capability one =
          new Capability(none.object(), right.bit(), 1, none.grant(), 0, 0, 0, 0, 0, 0);
      for (Right other : Right.values()) {
        assertEquals(right == other, one.allows(other));
      }
    }
    assertEquals(9, none.epoch());
  }

  @Test
  void initialAttributesAreBoundToObjectPageAndLsn() {
    ByteBuffer value = ByteBuffer.wrap(new byte[] {1, 2, 3});
    ObjectName name = ObjectName.of(1, 2);
    byte[] good = InitialAttributesSignature.sign(KEY, name, 0, 5, value);
    assertArrayEquals(good, InitialAttributesSignature.sign(KEY, name, 0, 5, value));
    assertFalse(Arrays.equals(good, InitialAttributesSignature.sign(KEY, name, 1, 5, value)));
    assertFalse(Arrays.equals(good, InitialAttributesSignature.sign(KEY, name, 0, 6, value)));
    assertFalse(
        Arrays.equals(
            good, InitialAttributesSignature.sign(KEY, ObjectName.of(1, 3), 0, 5, value)));
    assertFalse(
        Arrays.equals(
            good,
            InitialAttributesSignature.sign(
                KEY, name, 0, 5, ByteBuffer.wrap(new byte[] {1, 2, 4}))));
  }
}
