package org.weft.nfs.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmShare;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;

/** Locks of reservations are in each other's way exactly where reservations are. */
class ReservedRangesTest {
  private static final int BOTH = 3;

  private static ReservedRanges of(String owner, int denied, int opened) {
    NetObject nothing = new NetObject(new byte[0]);
    return ReservedRanges.of(
        new NlmShare("host", nothing, nothing, denied, opened), ByteString.copyFromUtf8(owner));
  }

  private static boolean overlaps(ByteRanges one, ByteRanges other) {
    return one.list().stream().anyMatch(other::overlaps);
  }

  /** As the manager decides about two owners. */
  private static boolean collide(ReservedRanges one, ReservedRanges other) {
    return overlaps(one.exclusive(), other.exclusive())
        || overlaps(one.exclusive(), other.shared())
        || overlaps(one.shared(), other.exclusive());
  }

  @Test
  void rangesCollideExactlyWhenADenialMeetsAnOpening() {
    for (int each = 0; each < 1 << 8; each++) {
      int denied = each & BOTH;
      int opened = each >> 2 & BOTH;
      int otherDenied = each >> 4 & BOTH;
      int otherOpened = each >> 6 & BOTH;
      boolean expected = (opened & otherDenied | denied & otherOpened) != 0;
      assertEquals(
          expected,
          collide(of("a", denied, opened), of("b", otherDenied, otherOpened)),
          () -> denied + " " + opened + " beside " + otherDenied + " " + otherOpened);
    }
  }

  @Test
  void anOwnerIsNeverInItsOwnWay() {
    ReservedRanges all = of("a", BOTH, BOTH);
    assertFalse(overlaps(all.shared(), all.exclusive()));
    assertEquals(BOTH, all.access());
    assertEquals(BOTH, all.mode());
    assertTrue(new ByteRange(0, ByteRange.END).contains(all.shared().list().get(0)));
  }

  @Test
  void onlyWhatIsNewIsLocked() {
    assertEquals(2 + 1, of("a", 2, 1).beyond(ReservedRanges.NONE).size());
    assertEquals(1, of("a", BOTH, 1).beyond(of("a", 2, 1)).size());
    assertEquals(0, of("a", 2, 1).beyond(of("a", BOTH, BOTH)).size());
  }
}
