package org.weft.nfs.nsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.XdrReader;
import org.weft.nfs.oncrpc.XdrWriter;

/** Bytes written out by hand from the structures of C702 section 11.3. */
class NsmMessageTest {
  /** How a message is read. */
  private interface Reading {
    NsmMessage read(XdrReader in) throws MalformedXdrException;
  }

  record Case(String name, NsmMessage message, Reading reading, String hex) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static final NsmMessage.Callback CALLBACK = new NsmMessage.Callback("me", 100_021, 4, 16);
  private static final String CALLBACK_HEX =
      "00000002" + "6d650000" + "000186b5" + "00000004" + "00000010";
  private static final byte[] TOLD = new byte[16];

  static {
    TOLD[15] = 9;
  }

  private static final String TOLD_HEX = "00".repeat(15) + "09";
  private static final String HOST_HEX = "00000004" + "686f7374";

  static List<Case> cases() {
    NsmMessage.Watch watch = new NsmMessage.Watch("host", CALLBACK);
    return List.of(
        new Case("sm_name", new NsmMessage.Name("host"), NsmMessage.Name::read, HOST_HEX),
        new Case("my_id", CALLBACK, NsmMessage.Callback::read, CALLBACK_HEX),
        new Case("mon_id", watch, NsmMessage.Watch::read, HOST_HEX + CALLBACK_HEX),
        new Case(
            "mon",
            new NsmMessage.Monitor(watch, TOLD),
            NsmMessage.Monitor::read,
            HOST_HEX + CALLBACK_HEX + TOLD_HEX),
        new Case("sm_stat", new NsmMessage.State(5), NsmMessage.State::read, "00000005"),
        new Case(
            "sm_stat_res, success",
            new NsmMessage.Watched(true, 5),
            NsmMessage.Watched::read,
            "00000000" + "00000005"),
        new Case(
            "sm_stat_res, failure",
            new NsmMessage.Watched(false, 5),
            NsmMessage.Watched::read,
            "00000001" + "00000005"),
        new Case(
            "stat_chge",
            new NsmMessage.Notice("host", 7),
            NsmMessage.Notice::read,
            HOST_HEX + "00000007"),
        new Case(
            "status",
            new NsmMessage.Called("host", 7, TOLD),
            NsmMessage.Called::read,
            HOST_HEX + "00000007" + TOLD_HEX));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void aMessageIsTheseBytesBothWays(Case each) throws Exception {
    byte[] bytes = XdrWriter.bytes(each.message()::write);
    assertEquals(each.hex(), HexFormat.of().formatHex(bytes));
    NsmMessage read = each.reading().read(XdrReader.of(bytes));
    assertArrayEquals(bytes, XdrWriter.bytes(read::write));
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThrows(MalformedXdrException.class, () -> each.reading().read(XdrReader.of(cut)));
    }
  }

  @Test
  void returnedPrivateDataHasSixteenBytes() {
    assertThrows(
        IllegalArgumentException.class, () -> new NsmMessage.Called("host", 1, new byte[15]));
  }

  @Test
  void aNameThatIsTooLongIsRefused() {
    byte[] bytes = XdrWriter.bytes(out -> out.opaque(new byte[NsmMessage.MAX_NAME_BYTES + 1]));
    assertThrows(MalformedXdrException.class, () -> NsmMessage.Name.read(XdrReader.of(bytes)));
  }
}
