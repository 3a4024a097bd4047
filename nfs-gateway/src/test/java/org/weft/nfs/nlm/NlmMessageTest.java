package org.weft.nfs.nlm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;

/** Bytes written out by hand from the structures of RFC 1813 section 6.1.2. */
class NlmMessageTest {
  private static final int ROUNDS = 2_000 * Integer.getInteger("weft.times", 1);

  /** How a message is read. */
  private interface Reading {
    NlmMessage read(XdrReader in) throws MalformedXdrException;
  }

  record Case(String name, NlmMessage message, Reading reading, String hex) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static final NetObject COOKIE = new NetObject(new byte[] {1, 2});
  private static final NlmLock LOCK =
      new NlmLock(
          "host",
          new NetObject(new byte[] {3}),
          new NetObject(new byte[] {4, 5, 6, 7}),
          99,
          new NlmRange(0x100, -1));
  private static final String COOKIE_HEX = "00000002" + "01020000";
  private static final String LOCK_HEX =
      "00000004"
          + "686f7374"
          + "00000001"
          + "03000000"
          + "00000004"
          + "04050607"
          + "00000063"
          + "0000000000000100"
          + "ffffffffffffffff";
  private static final NlmShare SHARED =
      new NlmShare("host", new NetObject(new byte[] {3}), new NetObject(new byte[0]), 3, 1);

  static List<Case> cases() {
    return List.of(
        new Case(
            "TEST",
            new NlmMessage.Test(COOKIE, true, LOCK),
            NlmMessage.Test::read,
            COOKIE_HEX + "00000001" + LOCK_HEX),
        new Case(
            "TEST_RES denied",
            new NlmMessage.Tested(
                COOKIE,
                NlmStatus.DENIED,
                Optional.of(
                    new NlmHolder(false, 7, new NetObject(new byte[] {8}), new NlmRange(1, 0)))),
            NlmMessage.Tested::read,
            COOKIE_HEX
                + "00000001"
                + "00000000"
                + "00000007"
                + "00000001"
                + "08000000"
                + "0000000000000001"
                + "0000000000000000"),
        new Case(
            "TEST_RES granted",
            new NlmMessage.Tested(COOKIE, NlmStatus.GRANTED, Optional.empty()),
            NlmMessage.Tested::read,
            COOKIE_HEX + "00000000"),
        new Case(
            "LOCK",
            new NlmMessage.Lock(COOKIE, true, false, LOCK, true, 5),
            NlmMessage.Lock::read,
            COOKIE_HEX + "00000001" + "00000000" + LOCK_HEX + "00000001" + "00000005"),
        new Case(
            "CANCEL",
            new NlmMessage.Cancel(COOKIE, true, true, LOCK),
            NlmMessage.Cancel::read,
            COOKIE_HEX + "00000001" + "00000001" + LOCK_HEX),
        new Case(
            "UNLOCK",
            new NlmMessage.Unlock(COOKIE, LOCK),
            NlmMessage.Unlock::read,
            COOKIE_HEX + LOCK_HEX),
        new Case(
            "RES",
            new NlmMessage.Answer(COOKIE, NlmStatus.DENIED_GRACE_PERIOD),
            NlmMessage.Answer::read,
            COOKIE_HEX + "00000004"),
        new Case(
            "SHARE",
            new NlmMessage.Share(COOKIE, SHARED, false),
            NlmMessage.Share::read,
            COOKIE_HEX
                + "00000004"
                + "686f7374"
                + "00000001"
                + "03000000"
                + "00000000"
                + "00000003"
                + "00000001"
                + "00000000"),
        new Case(
            "SHARE_RES",
            new NlmMessage.Shared(COOKIE, NlmStatus.FAILED, 0),
            NlmMessage.Shared::read,
            COOKIE_HEX + "00000009" + "00000000"),
        new Case(
            "FREE_ALL",
            new NlmMessage.FreeAll("host", 3),
            NlmMessage.FreeAll::read,
            "00000004" + "686f7374" + "00000003"));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void aMessageIsTheseBytes(Case each) throws Exception {
    byte[] bytes = XdrWriter.bytes(each.message()::write);
    assertEquals(each.hex(), HexFormat.of().formatHex(bytes));
    XdrReader in = XdrReader.of(bytes);
    assertEquals(each.message(), each.reading().read(in));
    assertEquals(0, in.remaining());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void aMessageThatEndsEarlyIsRefused(Case each) {
    byte[] bytes = HexFormat.of().parseHex(each.hex());
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThrows(MalformedXdrException.class, () -> each.reading().read(XdrReader.of(cut)));
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void damagedMessagesAreReadOrRefused(Case each) {
    Random random = new Random(each.hex().hashCode());
    int read = 0;
    for (int round = 0; round < ROUNDS; round++) {
      byte[] bytes = HexFormat.of().parseHex(each.hex());
      for (int i = random.nextInt(4); i >= 0; i--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      try {
        NlmMessage message = each.reading().read(XdrReader.of(bytes));
        assertTrue(XdrWriter.bytes(message::write).length <= bytes.length);
        read++;
      } catch (MalformedXdrException e) {
        assertTrue(!e.getMessage().isEmpty());
      }
    }
    assertTrue(read > 0);
  }

  @Test
  void anObjectThatIsTooLongIsRefused() {
    byte[] bytes = XdrWriter.bytes(out -> out.opaque(new byte[NetObject.MAX_BYTES + 1]));
    assertThrows(MalformedXdrException.class, () -> NetObject.read(XdrReader.of(bytes)));
    assertThrows(
        IllegalArgumentException.class, () -> new NetObject(new byte[NetObject.MAX_BYTES + 1]));
  }

  @Test
  void numbersOfProceduresAreTheProtocols() {
    assertEquals(2, NlmProcedure.LOCK.number());
    assertEquals(5, NlmProcedure.GRANTED.number());
    assertEquals(15, NlmProcedure.GRANTED_RES.number());
    assertEquals(20, NlmProcedure.SHARE.number());
    assertEquals(23, NlmProcedure.FREE_ALL.number());
  }
}
