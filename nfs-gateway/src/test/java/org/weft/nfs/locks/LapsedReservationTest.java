package org.weft.nfs.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.OnBehalfOf;
import org.weft.nfs.monitor.Watching;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmLock;
import org.weft.nfs.nlm.NlmRange;
import org.weft.nfs.nlm.NlmShare;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.seam.Environment;
import org.weft.testkit.sim.VirtualTime;

/** What a client is told of a share reservation whose gateway's session has ended. */
class LapsedReservationTest {
  private static final InetAddress HOST = InetAddress.getLoopbackAddress();
  private static final NodeId FILE = new NodeId(new PartitionId(1), new ObjectId(70_000));
  private static final OnBehalfOf ANN = new OnBehalfOf("ann", List.of("staff"), false);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final int TRIES = 10;
  private static final int READ = 1;
  private static final int WRITE = 2;

  private final VirtualTime time = new VirtualTime(96_230_100);
  private final ModelManager manager = new ModelManager();
  private int session = 1;
  private final ClientLocks locks = gateway();

  private ClientLocks gateway() {
    return ClientLocks.start(
        (by, file, owner) -> manager.session(session).open(by, file, owner),
        (owner, message, asMessage) ->
            CompletableFuture.completedFuture(Optional.of(NlmStatus.GRANTED)),
        Watching.NONE,
        new Environment(time, time, time, new Random(1), null, null));
  }

  /** As clients do: they ask again where they are told to. */
  private NlmStatus share(String host, int denied, int opened) {
    NlmStatus status = shareOnce(host, denied, opened);
    for (int tries = 0; tries < TRIES && status == NlmStatus.DENIED_GRACE_PERIOD; tries++) {
      time.pass(SECOND);
      status = shareOnce(host, denied, opened);
    }
    return status;
  }

  private NlmStatus shareOnce(String host, int denied, int opened) {
    NetObject owner = new NetObject(new byte[] {1});
    NetObject file = new NetObject(new byte[0]);
    LockRequest request =
        new LockRequest(
            FILE,
            ANN,
            new NlmOwner(HOST, HOST, host, 0, owner, false),
            new NlmLock(host, file, owner, 0, new NlmRange(0, 0)),
            ByteRange.ALL,
            false,
            0,
            true,
            false);
    return time.await(locks.share(request, new NlmShare(host, file, owner, denied, opened), false));
  }

  /** Its reservations are gone, and the gateway has not noticed yet. */
  private void endSessionAndLapse() {
    manager.end(session);
    manager.lapse(session);
    session++;
  }

  @Test
  void lapsedReservationIsRequestedAgainByTheSameShare() {
    assertEquals(NlmStatus.GRANTED, share("a", WRITE, READ));
    endSessionAndLapse();
    assertEquals(NlmStatus.GRANTED, share("b", 0, WRITE));
    assertEquals(NlmStatus.DENIED, share("a", WRITE, READ));
  }

  @Test
  void lapsedReservationIsRequestedAgainByALargerShare() {
    assertEquals(NlmStatus.GRANTED, share("a", WRITE, READ));
    endSessionAndLapse();
    assertEquals(NlmStatus.GRANTED, share("b", 0, WRITE));
    assertEquals(NlmStatus.DENIED, share("a", WRITE, READ | WRITE));
    assertEquals(NlmStatus.GRANTED, share("a", 0, READ | WRITE));
  }

  @Test
  void untakenLapsedReservationIsRestored() {
    assertEquals(NlmStatus.GRANTED, share("a", WRITE, READ));
    endSessionAndLapse();
    assertEquals(NlmStatus.GRANTED, share("a", WRITE, READ));
    assertEquals(NlmStatus.DENIED, share("b", 0, WRITE));
  }
}
