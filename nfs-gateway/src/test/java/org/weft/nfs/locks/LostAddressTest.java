package org.weft.nfs.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.client.LockMode;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.OnBehalfOf;
import org.weft.client.lock.RangeOwner;
import org.weft.nfs.monitor.MonitoredClient;
import org.weft.nfs.monitor.Watching;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmLock;
import org.weft.nfs.nlm.NlmRange;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.seam.Environment;
import org.weft.testkit.sim.VirtualTime;

/** When a gateway gives up what clients of an address have that left its host (P 6.5f). */
class LostAddressTest {
  private static final InetAddress HOST = InetAddress.getLoopbackAddress();
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  /** The address is another host's. */
  private static final Watching ELSEWHERE =
      new Watching() {
        @Override
        public CompletableFuture<Verdict> watched(MonitoredClient client) {
          return CompletableFuture.completedFuture(Verdict.UNWATCHED);
        }

        @Override
        public boolean serves(InetAddress server) {
          return false;
        }
      };

  private final VirtualTime time = new VirtualTime(95_720_003);
  private final ModelManager manager = new ModelManager();
  private int session = 1;

  /** Its client denies what it does not wait for here any more. */
  private final ClientLocks locks =
      new ClientLocks(
          (by, file, owner) -> manager.session(session).open(by, file, owner),
          (owner, message, asMessage) ->
              CompletableFuture.completedFuture(Optional.of(NlmStatus.DENIED)),
          ELSEWHERE,
          new Environment(time, time, time, new Random(1), null, null));

  private int known() {
    return time.await(locks.rows()).total();
  }

  private static LockRequest request(int process, boolean reserved) {
    NetObject owner = new NetObject(new byte[] {(byte) process});
    return new LockRequest(
        new NodeId(new PartitionId(1), new ObjectId(70_000)),
        new OnBehalfOf("ann", List.of("staff"), false),
        new NlmOwner(HOST, HOST, "host", process, owner, !reserved),
        new NlmLock("host", new NetObject(new byte[0]), owner, process, new NlmRange(0, 0)),
        ByteRange.ALL,
        true,
        1,
        reserved,
        false);
  }

  /** Of an export that is insecure: a kernel of the same host locks from a reserved port. */
  @Test
  void freeAllFromAnyPortLeavesLocksFromReservedPorts() {
    time.await(locks.lock(request(1, true), true, false, true));
    time.await(locks.lock(request(2, false), true, false, true));
    assertEquals(2, known());
    time.await(locks.freeAll(new InetSocketAddress(HOST, 50_000), "host", 3));
    assertEquals(1, known());
    time.await(locks.freeAll(new InetSocketAddress(HOST, 700), "host", 3));
    assertEquals(0, known());
  }

  @Test
  void addressIsGivenUpSomeTimeAfterItsLastDeparture() {
    time.await(locks.lock(request(1, true), true, false, true));
    assertEquals(1, known());
    locks.lost(HOST);
    time.pass(30 * SECOND);
    locks.lost(HOST);
    time.pass(40 * SECOND);
    assertEquals(1, known(), "its clients have as long from then on to reclaim elsewhere");
    time.pass(10 * SECOND);
    assertEquals(0, known());
  }

  private OwnerLocks elsewhere(int session, ByteString owner) {
    LockRequest asked = request(1, true);
    return manager
        .session(session)
        .open(asked.by(), asked.file(), new RangeOwner(owner, true))
        .join();
  }

  /**
   * The gateway that has the address may be gone. A lock granted here then would replace what is
   * kept of the same owner, and be given back with it.
   */
  @Test
  void waitsOfALostAddressAreNotGrantedHere() {
    ByteString owner = request(1, true).owner().key();
    OwnerLocks others = elsewhere(2, ByteString.copyFromUtf8("other"));
    assertTrue(others.lockAgain(ByteRange.ALL, LockMode.SHARED, Duration.ZERO).isDone());
    assertEquals(NlmStatus.BLOCKED, time.await(locks.lock(request(1, true), true, false, true)));
    locks.lost(HOST);
    time.pass(SECOND);
    assertTrue(
        elsewhere(3, owner).lockAgain(ByteRange.ALL, LockMode.SHARED, Duration.ZERO).isDone());
    manager.end(3);
    assertTrue(others.unlock(ByteRange.ALL).join());
    time.pass(SECOND);
    assertTrue(
        elsewhere(4, owner).reclaim(ByteRange.ALL, LockMode.SHARED).join(),
        "it was kept all the time");
    assertEquals(0, known());
  }

  /** Its answer is on its way still. */
  @Test
  void undecidedRequestIsToBeRepeated() {
    assertTrue(
        elsewhere(2, ByteString.copyFromUtf8("other"))
            .lockAgain(ByteRange.ALL, LockMode.SHARED, Duration.ZERO)
            .isDone());
    CompletableFuture<NlmStatus> asked = locks.lock(request(1, true), true, false, true);
    locks.lost(HOST);
    assertEquals(NlmStatus.DENIED_GRACE_PERIOD, time.await(asked));
    assertEquals(0, known());
  }

  /**
   * It has stood still, and its session has ended. Meanwhile its client has unlocked a part of its
   * lock at the gateway that has the address, and is about to reclaim the rest there.
   */
  @Test
  void keptLocksOfTheOwnSessionAreNotTakenAgain() {
    LockRequest asked = request(1, true).of(new ByteRange(0, 20), true);
    assertEquals(NlmStatus.GRANTED, time.await(locks.lock(asked, false, false, true)));
    manager.end(session++);
    OwnerLocks next = elsewhere(3, asked.owner().key());
    assertTrue(next.takeOver(new ByteRange(10, 20), LockMode.SHARED).join());
    assertTrue(next.unlock(new ByteRange(10, 20)).join());
    time.pass(5 * SECOND);
    assertTrue(next.takeOver(new ByteRange(0, 10), LockMode.EXCLUSIVE).join(), "it was kept");
    assertEquals(0, known());
  }
}
