package org.weft.nfs.oncrpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** By what a repeat is known, and by what not. */
class CallMarkerTest {
  private static final RpcCredential.Sys USER =
      new RpcCredential.Sys(7, "host", 1_000, 100, List.of(4, 20));
  private static final byte[] ARGUMENTS = {0, 0, 0, 4, 'n', 'a', 'm', 'e'};

  private final CallMarker marker = new CallMarker();

  /** Reads arguments as a procedure does. */
  private interface Arguments {
    void read(XdrReader in) throws MalformedXdrException;
  }

  private static void name(XdrReader in) throws MalformedXdrException {
    in.string(255);
  }

  private static void data(XdrReader in) throws MalformedXdrException {
    in.int32();
    in.payload(1 << 20).release();
  }

  private CallMark mark(RpcCredential by, int xid, int procedure, byte[] bytes, Arguments of) {
    byte[] head = XdrWriter.bytes(out -> CallHeader.write(out, xid, 100_003, 3, procedure, by));
    ByteBuf whole = Unpooled.wrappedBuffer(head, bytes);
    ArrivedRecord record = new ArrivedRecord(whole, () -> {});
    InetSocketAddress here = new InetSocketAddress(InetAddress.getLoopbackAddress(), 700);
    XdrReader in = new XdrReader(record);
    try {
      CallHeader.Call call = (CallHeader.Call) CallHeader.read(record, in, here, here);
      of.read(in);
      return marker.mark(call, in);
    } catch (MalformedXdrException e) {
      throw new AssertionError(e);
    }
  }

  private CallMark mark(RpcCredential by, byte[] bytes) {
    return mark(by, 1, 13, bytes, CallMarkerTest::name);
  }

  private static List<Long> digest(CallMark mark) {
    return List.of(mark.high(), mark.low());
  }

  @Test
  void callHasTheSameMarkOnEveryConnection() {
    CallMark mark = mark(USER, ARGUMENTS);
    assertEquals(mark, mark(USER, ARGUMENTS));
    assertEquals(mark, new CallMarkerTest().mark(USER, ARGUMENTS));
    assertEquals(mark, mark(USER, 2, 13, ARGUMENTS, CallMarkerTest::name), "numbers stand beside");
  }

  @Test
  void everyPartOfTheUserAndTheArgumentsCounts() {
    byte[] otherName = {0, 0, 0, 4, 'n', 'a', 'm', 'f'};
    List<List<Long>> digests = new ArrayList<>();
    digests.add(digest(mark(USER, ARGUMENTS)));
    digests.add(digest(mark(USER, otherName)));
    digests.add(digest(mark(USER, 1, 12, ARGUMENTS, CallMarkerTest::name)));
    digests.add(digest(mark(new RpcCredential.None(), ARGUMENTS)));
    digests.add(
        digest(mark(new RpcCredential.Sys(7, "hose", 1_000, 100, List.of(4, 20)), ARGUMENTS)));
    digests.add(
        digest(mark(new RpcCredential.Sys(7, "host", 1_001, 100, List.of(4, 20)), ARGUMENTS)));
    digests.add(
        digest(mark(new RpcCredential.Sys(7, "host", 1_000, 101, List.of(4, 20)), ARGUMENTS)));
    digests.add(
        digest(mark(new RpcCredential.Sys(7, "host", 1_000, 100, List.of(4, 21)), ARGUMENTS)));
    digests.add(digest(mark(new RpcCredential.Sys(7, "host", 1_000, 100, List.of(4)), ARGUMENTS)));
    assertEquals(digests.size(), digests.stream().distinct().count());
  }

  /** Old kernels draw it from their clock when they repeat. */
  @Test
  void theStampOfACredentialDoesNotCount() {
    CallMark later = mark(new RpcCredential.Sys(8, "host", 1_000, 100, List.of(4, 20)), ARGUMENTS);
    assertEquals(digest(mark(USER, ARGUMENTS)), digest(later));
  }

  @Test
  void unreadBytesDoNotChangeTheMark() {
    byte[] longer = new byte[1_000];
    System.arraycopy(ARGUMENTS, 0, longer, 0, ARGUMENTS.length);
    assertEquals(digest(mark(USER, ARGUMENTS)), digest(mark(USER, longer)));
  }

  @Test
  void onlyThePayloadsBeginningChangesTheMark() {
    byte[] bytes = new byte[2 * Integer.BYTES + 4_096];
    bytes[6] = 16;
    CallMark first = mark(USER, 1, 7, bytes, CallMarkerTest::data);
    bytes[8 + CallMarker.PAYLOAD_BYTES] = 1;
    assertEquals(digest(first), digest(mark(USER, 1, 7, bytes, CallMarkerTest::data)));
    bytes[8 + CallMarker.PAYLOAD_BYTES - 1] = 1;
    assertNotEquals(digest(first), digest(mark(USER, 1, 7, bytes, CallMarkerTest::data)));
    bytes[0] = 1;
    assertNotEquals(digest(first), digest(mark(USER, 1, 7, bytes, CallMarkerTest::data)));
  }

  /** Repeats through gateways of two releases are told by it. */
  @Test
  void theChecksumIsThatOfEarlierReleases() {
    byte[] head = XdrWriter.bytes(out -> CallHeader.write(out, 1, 100_003, 3, 13, USER));
    byte[] all = new byte[head.length + ARGUMENTS.length];
    System.arraycopy(head, 0, all, 0, head.length);
    System.arraycopy(ARGUMENTS, 0, all, head.length, ARGUMENTS.length);
    CRC32C crc = new CRC32C();
    crc.update(all, 12, all.length - 12);
    assertEquals((int) crc.getValue() ^ all.length, mark(USER, ARGUMENTS).checksum());
  }

  /** CRCs are linear: four bytes that nothing reads make any checksum of any call. */
  @Test
  void aCallWithAShapedChecksumHasAnotherDigest() {
    byte[] longer = Arrays.copyOf(ARGUMENTS, ARGUMENTS.length + Integer.BYTES);
    CallMark wanted = mark(USER, longer);
    RpcCredential eve = new RpcCredential.Sys(7, "host", 1_001, 100, List.of(4, 20));
    byte[] hers = longer.clone();
    hers[7] = 'f';
    CallMark shaped = mark(eve, shaped(eve, hers, wanted.checksum()));
    assertEquals(wanted.checksum(), shaped.checksum());
    assertNotEquals(digest(wanted), digest(shaped));
  }

  /** With other last bytes, so that the checksum is as wanted: solves 32 equations over one bit. */
  private byte[] shaped(RpcCredential by, byte[] bytes, int wanted) {
    int[] effects = new int[Integer.SIZE];
    int[] causes = new int[Integer.SIZE];
    int plain = mark(by, bytes).checksum();
    for (int bit = 0; bit < Integer.SIZE; bit++) {
      int effect = plain ^ mark(by, withLast(bytes, 1 << bit)).checksum();
      int cause = 1 << bit;
      for (int leading = 31; leading >= 0; leading--) {
        if ((effect >>> leading & 1) == 0) {
          continue;
        }
        if (effects[leading] == 0) {
          effects[leading] = effect;
          causes[leading] = cause;
          break;
        }
        effect ^= effects[leading];
        cause ^= causes[leading];
      }
    }
    int left = plain ^ wanted;
    int last = 0;
    for (int leading = 31; leading >= 0; leading--) {
      if ((left >>> leading & 1) == 1) {
        left ^= effects[leading];
        last ^= causes[leading];
      }
    }
    return withLast(bytes, last);
  }

  private static byte[] withLast(byte[] bytes, int last) {
    byte[] changed = bytes.clone();
    ByteBuffer.wrap(changed).putInt(bytes.length - Integer.BYTES, last);
    return changed;
  }
}
