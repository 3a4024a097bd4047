package org.weft.nfs.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
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

/** A status monitor repeats its NOTIFY until it is answered, which takes a while (P 6.5a.53). */
class RepeatedNotifyTest {
  private static final InetAddress HOST = InetAddress.getLoopbackAddress();
  private static final NodeId FILE = new NodeId(new PartitionId(1), new ObjectId(70_000));
  private static final OnBehalfOf ANN = new OnBehalfOf("ann", List.of("staff"), false);
  private static final int NOT_SAID = 0;
  private static final int READ = 1;
  private static final int WRITE = 2;

  private final VirtualTime time = new VirtualTime(96_269_400);
  private final ModelManager manager = new ModelManager();
  private final ClientLocks locks =
      ClientLocks.start(
          (by, file, owner) -> manager.session(1).open(by, file, owner),
          (owner, message, asMessage) ->
              CompletableFuture.completedFuture(Optional.of(NlmStatus.GRANTED)),
          Watching.NONE,
          new Environment(time, time, time, new Random(1), null, null));

  private static LockRequest request(String host, int state, boolean reserved) {
    NetObject owner = new NetObject(new byte[] {1});
    return new LockRequest(
        FILE,
        ANN,
        new NlmOwner(HOST, HOST, host, 0, owner, !reserved),
        new NlmLock(host, new NetObject(new byte[0]), owner, 0, new NlmRange(0, 0)),
        ByteRange.ALL,
        true,
        state,
        reserved,
        false);
  }

  private NlmStatus share(String host, int denied, int opened) {
    return share(host, denied, opened, true);
  }

  private NlmStatus share(String host, int denied, int opened, boolean reserved) {
    LockRequest request = request(host, NOT_SAID, reserved);
    NetObject file = new NetObject(new byte[0]);
    NlmShare share = new NlmShare(host, file, request.lock().owner(), denied, opened);
    return time.await(locks.share(request, share, false));
  }

  private NlmStatus lock(String host, int state) {
    return time.await(locks.lock(request(host, state, true), false, false, false));
  }

  private void hasStarted(String host, int state) {
    hasStarted(host, state, 700);
  }

  private void hasStarted(String host, int state, int port) {
    time.await(locks.freeAll(new InetSocketAddress(HOST, port), host, state));
  }

  @Test
  void repeatedNotifyKeepsLaterReservations() {
    hasStarted("a", 5);
    assertEquals(NlmStatus.GRANTED, share("a", WRITE, READ));
    hasStarted("a", 5);
    assertEquals(NlmStatus.DENIED, share("b", 0, WRITE));
    hasStarted("a", 7);
    assertEquals(NlmStatus.GRANTED, share("b", 0, WRITE));
  }

  /** A host that was installed anew counts its starts from the beginning. */
  @Test
  void aNotifyOfAnEarlierNumberIsOfAnotherStart() {
    hasStarted("a", 57);
    assertEquals(NlmStatus.GRANTED, share("a", WRITE, READ));
    hasStarted("a", 3);
    assertEquals(NlmStatus.GRANTED, share("b", WRITE, READ));
    hasStarted("b", 5);
    assertEquals(NlmStatus.GRANTED, share("a", WRITE, READ));
    hasStarted("a", 3);
    assertEquals(NlmStatus.DENIED, share("b", 0, WRITE));
    hasStarted("a", 5);
    assertEquals(NlmStatus.GRANTED, share("b", 0, WRITE));
  }

  @Test
  void firstNotifyFreesEarlierReservations() {
    assertEquals(NlmStatus.GRANTED, share("a", WRITE, READ));
    hasStarted("a", 5);
    assertEquals(NlmStatus.GRANTED, share("b", 0, WRITE));
  }

  /** As kernels do that were not told their state. */
  @Test
  void aLockThatNamesNoStateIsKeptToo() {
    hasStarted("a", 5);
    assertEquals(NlmStatus.GRANTED, lock("a", NOT_SAID));
    hasStarted("a", 5);
    assertEquals(NlmStatus.DENIED, lock("b", NOT_SAID));
    hasStarted("a", 7);
    assertEquals(NlmStatus.GRANTED, lock("b", NOT_SAID));
  }

  @Test
  void reservationAfterALockBelongsToTheSameStart() {
    assertEquals(NlmStatus.GRANTED, lock("a", 5));
    assertEquals(NlmStatus.GRANTED, share("a", WRITE, READ));
    hasStarted("a", 5);
    assertEquals(NlmStatus.DENIED, share("b", 0, WRITE));
  }

  /** Of another client nothing is known by it. */
  @Test
  void aNotifyCountsForItsClientAlone() {
    hasStarted("b", 5);
    assertEquals(NlmStatus.GRANTED, share("a", WRITE, READ));
    hasStarted("a", 5);
    assertEquals(NlmStatus.GRANTED, share("b", 0, WRITE));
  }

  /** No user of a host keeps what its kernel has locked by naming a state that is far ahead. */
  @Test
  void notifyFromAnyPortDoesNotProtectReservationsFromReservedPorts() {
    hasStarted("a", 1_000, 50_000);
    assertEquals(NlmStatus.GRANTED, share("a", WRITE, READ));
    hasStarted("a", 5);
    assertEquals(NlmStatus.GRANTED, share("b", 0, WRITE));
  }

  @Test
  void kernelNotifyCountsForReservationsFromAnyPort() {
    hasStarted("a", 5);
    assertEquals(NlmStatus.GRANTED, share("a", WRITE, READ, false));
    hasStarted("a", 5);
    assertEquals(NlmStatus.DENIED, share("b", 0, WRITE));
  }
}
