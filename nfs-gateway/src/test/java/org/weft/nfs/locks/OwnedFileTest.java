package org.weft.nfs.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.ids.NodeId;
import org.weft.nfs.nlm.NetObject;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;

class OwnedFileTest {
  private final OwnedFile file =
      new OwnedFile(
          new OwnedFile.Key(
              new NodeId(new PartitionId(1), new ObjectId(70_000)),
              new NlmOwner(
                  InetAddress.getLoopbackAddress(),
                  InetAddress.getLoopbackAddress(),
                  "host",
                  1,
                  new NetObject(new byte[] {1}),
                  false)),
          null,
          new CompletableFuture<>());

  private static ByteRanges of(long from, long to) {
    return ByteRanges.NONE.plus(new ByteRange(from, to));
  }

  private WaitingLock granted(long from, long to, boolean exclusive) {
    LockRequest request =
        new LockRequest(
            file.key.file(), null, null, null, new ByteRange(from, to), exclusive, 0, true, false);
    WaitingLock waiting = new WaitingLock(file, request, new NetObject(new byte[] {2}), 1);
    file.granted(waiting, 2);
    return waiting;
  }

  private static OwnedFile.GoneBack back(ByteRanges shared, ByteRanges unlocked) {
    return new OwnedFile.GoneBack(shared, ByteRanges.NONE, unlocked);
  }

  @Test
  void anUpgradeThatIsGivenBackIsSharedAgain() {
    file.locked(new ByteRange(0, 10), false, 1);
    WaitingLock waiting = granted(0, 20, true);
    assertEquals(back(of(0, 10), of(10, 20)), file.goesBack(waiting));
    assertEquals(of(0, 10).list(), file.held(false));
    assertEquals(List.of(), file.held(true));
  }

  /** The client has started again while its shared lock became exclusive. */
  @Test
  void unlockedBytesAreNotSharedAgain() {
    file.locked(new ByteRange(0, 10), false, 1);
    WaitingLock waiting = granted(0, 20, true);
    file.unlocked(new ByteRange(4, 6));
    ByteRanges left = of(0, 4).plus(new ByteRange(6, 10));
    assertEquals(back(left, of(10, 20)), file.goesBack(waiting));
    WaitingLock next = granted(0, 20, true);
    file.unlocked(ByteRange.ALL);
    assertEquals(back(ByteRanges.NONE, ByteRanges.NONE), file.goesBack(next));
    assertFalse(file.holds());
  }

  @Test
  void locksOfAnotherRequestAreNotGivenBack() {
    WaitingLock waiting = granted(0, 20, true);
    file.locked(new ByteRange(5, 30), true, 3);
    assertEquals(back(ByteRanges.NONE, of(0, 5)), file.goesBack(waiting));
    assertEquals(of(5, 30).list(), file.held(true));
  }

  /** Two threads of one process wait, and both are granted before the client knows. */
  @Test
  void overlappingGrantsLeaveNothingInEitherOrder() {
    for (boolean exclusive : new boolean[] {true, false}) {
      WaitingLock first = granted(0, 10, exclusive);
      WaitingLock second = granted(0, 20, true);
      assertEquals(back(ByteRanges.NONE, ByteRanges.NONE), file.goesBack(first));
      assertEquals(back(ByteRanges.NONE, of(0, 20)), file.goesBack(second));
      assertFalse(file.holds());
    }
    WaitingLock first = granted(0, 10, true);
    WaitingLock second = granted(0, 20, true);
    assertEquals(back(ByteRanges.NONE, of(10, 20)), file.goesBack(second));
    assertEquals(back(ByteRanges.NONE, of(0, 10)), file.goesBack(first));
    assertFalse(file.holds());
  }

  @Test
  void overlapKeepsTheLockTheClientHas() {
    WaitingLock first = granted(0, 10, true);
    WaitingLock second = granted(0, 20, true);
    file.told(first);
    assertEquals(back(ByteRanges.NONE, of(10, 20)), file.goesBack(second));
    assertEquals(of(0, 10).list(), file.held(true));
    file.unlocked(ByteRange.ALL);
    WaitingLock third = granted(0, 10, true);
    file.told(granted(0, 20, true));
    assertEquals(back(ByteRanges.NONE, ByteRanges.NONE), file.goesBack(third));
    assertEquals(of(0, 20).list(), file.held(true));
  }
}
