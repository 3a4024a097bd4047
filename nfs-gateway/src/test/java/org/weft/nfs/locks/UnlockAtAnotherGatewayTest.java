package org.weft.nfs.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.OnBehalfOf;
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

/** Locks of one owner by way of two gateways, and locks that several calls of an owner wait for. */
class UnlockAtAnotherGatewayTest {
  private static final InetAddress HOST = InetAddress.getLoopbackAddress();
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final int FIRST = 1;
  private static final int SECOND_GATEWAY = 2;

  private boolean moved;

  private final Watching here =
      new Watching() {
        @Override
        public CompletableFuture<Verdict> watched(MonitoredClient client) {
          return CompletableFuture.completedFuture(Verdict.WATCHED);
        }

        @Override
        public boolean serves(InetAddress server) {
          return !moved;
        }
      };

  private final VirtualTime time = new VirtualTime(95_720_005);
  private final ModelManager manager = new ModelManager();
  private final ClientLocks first = gateway(FIRST);
  private final ClientLocks second = gateway(SECOND_GATEWAY);

  /** Clients are never reached: a lock that was waited for stays untold. */
  private ClientLocks gateway(int session) {
    return new ClientLocks(
        manager.session(session),
        (owner, message, asMessage) -> new CompletableFuture<>(),
        here,
        new Environment(time, time, time, new Random(session), null, null));
  }

  private static LockRequest request(
      int process, long from, long to, boolean exclusive, boolean reserved) {
    NetObject owner = new NetObject(new byte[] {(byte) process});
    return new LockRequest(
        new NodeId(new PartitionId(1), new ObjectId(70_000)),
        new OnBehalfOf("ann", List.of("staff"), false),
        new NlmOwner(HOST, HOST, "host", process, owner, !reserved),
        new NlmLock("host", new NetObject(new byte[0]), owner, process, new NlmRange(from, to)),
        new ByteRange(from, to),
        exclusive,
        1,
        reserved,
        false);
  }

  private static LockRequest exclusive(int process, long from, long to) {
    return request(process, from, to, true, true);
  }

  private static LockRequest all(int process) {
    return exclusive(process, 0, ByteRange.END);
  }

  private NlmStatus lock(ClientLocks by, LockRequest request) {
    return time.await(by.lock(request, false, false, true));
  }

  private CompletableFuture<NlmStatus> waits(ClientLocks by, LockRequest request) {
    return by.lock(request, true, false, true);
  }

  private NlmStatus unlock(ClientLocks by, LockRequest request) {
    return time.await(by.unlock(request));
  }

  private List<ByteRange> locked(int session, int process) {
    return manager.locked(session, all(process).owner().key());
  }

  @Test
  void nextGatewayUnlocksKeptLocksOfAGoneOne() {
    assertEquals(NlmStatus.GRANTED, lock(first, exclusive(1, 0, 10)));
    manager.end(FIRST);
    assertEquals(NlmStatus.GRANTED, unlock(second, all(1)));
    assertTrue(manager.isFree());
  }

  /** The call came before the address went to the second gateway, and is carried out after that. */
  @Test
  void lateUnlockFreesNothingAtTheAddressesNewGateway() {
    assertEquals(NlmStatus.GRANTED, lock(first, exclusive(1, 0, 10)));
    assertEquals(NlmStatus.GRANTED, unlock(second, all(1)));
    assertEquals(NlmStatus.GRANTED, lock(second, exclusive(1, 20, 30)));
    moved = true;
    assertEquals(NlmStatus.GRANTED, unlock(first, all(1)), "it knows the file");
    assertEquals(List.of(), locked(FIRST, 1));
    assertEquals(List.of(new ByteRange(20, 30)), locked(SECOND_GATEWAY, 1));
    assertEquals(NlmStatus.GRANTED, unlock(first, all(1)), "it does not any more");
    assertEquals(List.of(new ByteRange(20, 30)), locked(SECOND_GATEWAY, 1));
  }

  @Test
  void anUnlockBesideManyLocksOfOthersIsGrantedInFewRequests() {
    for (int other = 0; other < 100; other++) {
      assertEquals(
          NlmStatus.GRANTED, lock(second, exclusive(10 + other, 100 * other, 100 * other + 1)));
    }
    assertEquals(NlmStatus.GRANTED, lock(first, exclusive(1, 50, 60)));
    int before = manager.asked;
    assertEquals(NlmStatus.GRANTED, unlock(first, all(1)));
    assertEquals(NlmStatus.GRANTED, unlock(first, all(2)), "of a file that it does not know");
    assertTrue(manager.asked - before <= 5, "requests: " + (manager.asked - before));
    assertEquals(List.of(), locked(FIRST, 1));
  }

  @Test
  void anUnlockNeedsNoPermission() {
    assertEquals(NlmStatus.GRANTED, lock(first, exclusive(1, 0, 10)));
    manager.testsRefused = true;
    assertEquals(NlmStatus.GRANTED, unlock(first, all(1)));
    assertTrue(manager.isFree());
    assertEquals(NlmStatus.GRANTED, unlock(second, all(1)));
  }

  @Test
  void openPortCannotUnlockOrReclaimAKernelsLocks() {
    assertEquals(NlmStatus.GRANTED, lock(first, exclusive(1, 0, 10)));
    LockRequest open = request(1, 0, 10, true, false);
    assertEquals(NlmStatus.FAILED, unlock(first, open), "it speaks for the kernel");
    manager.end(FIRST);
    assertEquals(NlmStatus.GRANTED, unlock(second, open));
    assertEquals(NlmStatus.DENIED, time.await(second.lock(open, false, true, true)));
    assertEquals(List.of(new ByteRange(0, 10)), locked(FIRST, 1));
    assertEquals(
        NlmStatus.GRANTED, time.await(second.lock(exclusive(1, 0, 10), false, true, true)));
  }

  /** Two threads of one process wait; both are granted, and the process is killed. */
  private void twoThatWait(boolean narrowIsExclusive, boolean narrowGoesFirst) {
    assertEquals(NlmStatus.GRANTED, lock(second, exclusive(2, 0, 20)));
    LockRequest narrow = request(1, 0, 10, narrowIsExclusive, true);
    LockRequest wide = exclusive(1, 0, 20);
    assertEquals(NlmStatus.BLOCKED, time.await(waits(first, narrow)));
    assertEquals(NlmStatus.BLOCKED, time.await(waits(first, wide)));
    assertEquals(NlmStatus.GRANTED, unlock(second, all(2)));
    time.pass(SECOND);
    assertEquals(List.of(new ByteRange(0, 20)), locked(FIRST, 1));
    time.await(first.cancel(narrowGoesFirst ? narrow : wide));
    time.await(first.cancel(narrowGoesFirst ? wide : narrow));
    time.pass(SECOND);
    assertEquals(List.of(), locked(FIRST, 1));
    assertEquals(0, time.await(first.rows()).total());
  }

  @Test
  void locksThatOverlapAndGoBackAreFreeInEitherOrder() {
    for (boolean exclusive : new boolean[] {true, false}) {
      twoThatWait(exclusive, true);
      twoThatWait(exclusive, false);
    }
  }

  @Test
  void unlockKeepsTheOverlapWithTheClientsLock() {
    for (boolean isNarrowTold : new boolean[] {true, false}) {
      assertEquals(NlmStatus.GRANTED, lock(second, exclusive(2, 0, 20)));
      LockRequest narrow = exclusive(1, 0, 10);
      LockRequest wide = exclusive(1, 0, 20);
      assertEquals(NlmStatus.BLOCKED, time.await(waits(first, narrow)));
      assertEquals(NlmStatus.BLOCKED, time.await(waits(first, wide)));
      assertEquals(NlmStatus.GRANTED, unlock(second, all(2)));
      time.pass(SECOND);
      LockRequest told = isNarrowTold ? narrow : wide;
      assertEquals(NlmStatus.GRANTED, time.await(waits(first, told)), "it asks again");
      time.await(first.cancel(isNarrowTold ? wide : narrow));
      time.pass(SECOND);
      assertEquals(List.of(told.range()), locked(FIRST, 1));
      assertEquals(NlmStatus.GRANTED, unlock(first, all(1)));
    }
  }

  /** NOTIFY comes in the moment in which the manager makes a shared lock exclusive. */
  @Test
  void upgradeBesideANotifyLeavesNoLock() {
    assertEquals(NlmStatus.GRANTED, lock(first, request(1, 0, 10, false, true)));
    assertEquals(NlmStatus.GRANTED, lock(second, request(2, 0, 10, false, true)));
    assertEquals(NlmStatus.BLOCKED, time.await(waits(first, exclusive(1, 0, 10))));
    CompletableFuture<Void> freed = first.freeAll(new InetSocketAddress(HOST, 700), "host", 3);
    CompletableFuture<NlmStatus> unlocked = second.unlock(all(2));
    time.await(freed);
    assertEquals(NlmStatus.GRANTED, time.await(unlocked));
    time.pass(SECOND);
    assertTrue(manager.isFree());
    assertEquals(0, time.await(first.rows()).total());
  }

  @Test
  void waitReplacedByAnotherWaitIsAskedAgain() {
    assertEquals(NlmStatus.GRANTED, lock(second, exclusive(2, 0, 10)));
    assertEquals(NlmStatus.GRANTED, lock(second, exclusive(3, 10, 20)));
    LockRequest narrow = exclusive(1, 0, 10);
    assertEquals(NlmStatus.BLOCKED, time.await(waits(first, narrow)));
    assertEquals(NlmStatus.GRANTED, unlock(second, all(2)));
    time.pass(SECOND);
    CompletableFuture<NlmStatus> wide = waits(first, exclusive(1, 0, 20));
    time.await(first.cancel(narrow));
    assertEquals(NlmStatus.DENIED_GRACE_PERIOD, time.await(wide));
  }
}
