package org.weft.nfs.exports;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.ids.NodeId;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.protocol.id.ClusterId;

class HandleCodecTest {
  private static final ClusterId CLUSTER = new ClusterId("00112233445566778899aabbccddeeff");
  private static final byte[] KEY = new byte[HandleCodec.KEY_BYTES];

  static {
    Arrays.fill(KEY, (byte) 0x0b);
  }

  private final HandleCodec handles = new HandleCodec(CLUSTER, 258, KEY);
  private final NodeId file = NodeId.of(7, 0x0102030405060708L);

  /** Clients keep handles for years: these bytes must be the same in every release. */
  @Test
  void aHandleIsTheseBytesForEver() throws FileException {
    byte[] handle = handles.encode(0x0a0b0c0d, file);
    assertEquals(
        "01000102"
            + "0a0b0c0d"
            + "0011223344556677"
            + "0000000000000007"
            + "0102030405060708"
            + "3e0304fe64570c36d63afcd3776fb1e0",
        HexFormat.of().formatHex(handle));
    HandleCodec.Named named = handles.decode(handle);
    assertEquals(0x0a0b0c0d, named.export());
    assertEquals(file, named.file());
  }

  @Test
  void eachBitIsCoveredByTheMac() {
    byte[] handle = handles.encode(1, file);
    for (int bit = 0; bit < handle.length * 8; bit++) {
      byte[] forged = handle.clone();
      forged[bit / 8] ^= (byte) (1 << bit % 8);
      assertEquals(FileError.BAD_HANDLE, failure(handles, forged));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 32, 47, 49, 64})
  void anotherLengthIsRefused(int length) {
    assertEquals(
        FileError.BAD_HANDLE, failure(handles, Arrays.copyOf(handles.encode(1, file), length)));
  }

  @Test
  void handlesOfOtherClustersAndKeysAreRefused() {
    byte[] handle = handles.encode(1, file);
    // The other cluster's id has the same first half: the MAC covers all of it.
    ClusterId other = new ClusterId("001122334455667788990000ccddeeff");
    assertEquals(FileError.BAD_HANDLE, failure(new HandleCodec(other, 258, KEY), handle));
    byte[] otherKey = KEY.clone();
    otherKey[31]++;
    assertEquals(FileError.BAD_HANDLE, failure(new HandleCodec(CLUSTER, 258, otherKey), handle));
    assertEquals(FileError.BAD_HANDLE, failure(new HandleCodec(CLUSTER, 259, KEY), handle));
  }

  @Test
  void allGatewaysMakeTheSameHandle() {
    assertArrayEquals(handles.encode(1, file), new HandleCodec(CLUSTER, 258, KEY).encode(1, file));
  }

  private static FileError failure(HandleCodec handles, byte[] handle) {
    return assertThrows(FileException.class, () -> handles.decode(handle)).error();
  }
}
