package org.weft.nfs.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
                  new NetObject(new byte[] {1}))),
          null,
          new CompletableFuture<>());

  private static ByteRanges of(long from, long to) {
    return ByteRanges.NONE.plus(new ByteRange(from, to));
  }

  /** A lock of [0, 20) that was waited for is granted. */
  private WaitingLock granted() {
    ByteRange range = new ByteRange(0, 20);
    LockRequest request = new LockRequest(file.key.file(), null, null, null, range, true, 0, true);
    WaitingLock waiting = new WaitingLock(file, request, new NetObject(new byte[] {2}), 1);
    waiting.before = file.within(range);
    file.locked(range, true, 2);
    file.granted(waiting);
    return waiting;
  }

  @Test
  void anUpgradeThatIsGivenBackIsSharedAgain() {
    file.locked(new ByteRange(0, 10), false, 1);
    WaitingLock waiting = granted();
    assertEquals(of(0, 10), waiting.own(waiting.before.shared()));
    assertEquals(of(10, 20), waiting.own(waiting.before.notHeld(new ByteRange(0, 20))));
  }

  /** The client has started again while its shared lock became exclusive. */
  @Test
  void whatWasUnlockedMeanwhileIsNotSharedAgain() {
    file.locked(new ByteRange(0, 10), false, 1);
    WaitingLock waiting = granted();
    file.unlocked(new ByteRange(4, 6));
    assertEquals(
        List.of(new ByteRange(0, 4), new ByteRange(6, 10)),
        waiting.own(waiting.before.shared()).list());
    file.unlocked(ByteRange.ALL);
    assertEquals(ByteRanges.NONE, waiting.own(waiting.before.shared()));
  }

  @Test
  void whatTheOwnerGotWithAnotherRequestDoesNotGoBack() {
    WaitingLock waiting = granted();
    file.locked(new ByteRange(5, 30), true, 3);
    assertEquals(of(0, 5), waiting.own(waiting.before.notHeld(new ByteRange(0, 20))));
    file.told(waiting);
    file.locked(new ByteRange(0, 30), true, 3);
    assertEquals(of(0, 5), waiting.own(waiting.before.notHeld(new ByteRange(0, 20))));
  }
}
