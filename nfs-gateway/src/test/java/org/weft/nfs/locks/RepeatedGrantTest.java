package org.weft.nfs.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.LockMode;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.OnBehalfOf;
import org.weft.client.lock.RangeOwner;
import org.weft.nfs.monitor.Watching;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmLock;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmRange;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.nfs.oncrpc.RpcFailedException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.seam.Environment;
import org.weft.testkit.sim.VirtualTime;

/**
 * P 6.5f.8: a client is told again that it has a lock. If it has taken the lock before, it denies
 * the call, as Linux does, and no lock is freed that it may rely on. A lock that it refused is not
 * kept.
 */
class RepeatedGrantTest {
  private static final InetAddress HOST = InetAddress.getLoopbackAddress();
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final NodeId FILE = new NodeId(new PartitionId(1), new ObjectId(70_000));
  private static final OnBehalfOf ANN = new OnBehalfOf("ann", List.of("staff"), false);
  private static final int OTHERS = 9;

  private final VirtualTime time = new VirtualTime(96_265_001);
  private final ModelManager manager = new ModelManager();
  private final OwnerLocks others =
      manager
          .session(OTHERS)
          .open(ANN, FILE, new RangeOwner(ByteString.copyFromUtf8("other"), true))
          .join();
  private int session = 1;
  private final List<NlmMessage.Test> told = new ArrayList<>();
  private final List<CompletableFuture<Optional<NlmStatus>>> answers = new ArrayList<>();
  private final ClientLocks locks =
      new ClientLocks(
          (by, file, owner) -> manager.session(session).open(by, file, owner),
          (owner, message, asMessage) -> {
            told.add(message);
            answers.add(new CompletableFuture<>());
            return answers.get(answers.size() - 1);
          },
          Watching.NONE,
          new Environment(time, time, time, new Random(1), null, null));

  private static LockRequest request(boolean asMessage) {
    NetObject owner = new NetObject(new byte[] {1});
    return new LockRequest(
        FILE,
        ANN,
        new NlmOwner(HOST, HOST, "host", 1, owner, false),
        new NlmLock("host", new NetObject(new byte[0]), owner, 1, new NlmRange(0, 0)),
        ByteRange.ALL,
        true,
        1,
        true,
        asMessage);
  }

  private CompletableFuture<NlmStatus> lock(boolean asMessage) {
    return locks.lock(request(asMessage), true, false, false);
  }

  /** A client waits, and is called once. */
  private void isGranted(boolean asMessage) {
    assertTrue(others.lockAgain(ByteRange.ALL, LockMode.EXCLUSIVE, Duration.ZERO).isDone());
    assertEquals(NlmStatus.BLOCKED, time.await(lock(asMessage)));
    assertTrue(others.unlock(ByteRange.ALL).join());
    isTold(1);
  }

  private void isTold(int times) {
    time.runUntil("it is called", () -> told.size() == times);
  }

  private void says(int call, NlmStatus status) {
    answers.get(call).complete(Optional.of(status));
    time.pass(SECOND);
  }

  /** The call has left, and its reply is lost. */
  private void isNotHeard(int call) {
    answers.get(call).complete(Optional.empty());
  }

  private void isNotReached(int call) {
    answers.get(call).completeExceptionally(new RpcFailedException("no host answers"));
  }

  /** It took the lock, its reply was lost, and it denies the repeat. */
  private void isInDoubt() {
    isGranted(false);
    isNotHeard(0);
    isTold(2);
    says(1, NlmStatus.DENIED);
    assertFalse(manager.isFree(), "it may rely on it");
  }

  private void unlock() {
    assertEquals(NlmStatus.GRANTED, time.await(locks.unlock(request(false))));
    assertTrue(manager.isFree());
  }

  @Test
  void aTryForALockThatItsOwnerWaitsForIsDenied() {
    assertTrue(others.lockAgain(ByteRange.ALL, LockMode.EXCLUSIVE, Duration.ZERO).isDone());
    assertEquals(NlmStatus.BLOCKED, time.await(lock(false)));
    assertEquals(NlmStatus.DENIED, time.await(locks.lock(request(false), false, false, false)));
    assertEquals(NlmStatus.BLOCKED, time.await(lock(false)), "the wait goes on");
    assertTrue(others.unlock(ByteRange.ALL).join());
    isTold(1);
    assertEquals(NlmStatus.GRANTED, time.await(locks.lock(request(false), false, false, false)));
  }

  @Test
  void lockInDoubtStaysUntilItIsUnlocked() {
    isInDoubt();
    time.pass(600 * SECOND);
    assertEquals(2, told.size(), "it is not called any more");
    assertFalse(manager.isFree());
    LockRows.Some rows = time.await(locks.rows());
    assertEquals(1, rows.total());
    assertFalse(rows.rows().get(0).waiting(), "it counts as held");
    unlock();
    assertEquals(0, time.await(locks.rows()).total());
  }

  @Test
  void clientThatCancelsItsWaitHasNoLock() {
    isInDoubt();
    assertEquals(NlmStatus.GRANTED, time.await(locks.cancel(request(false))));
    time.pass(SECOND);
    assertTrue(manager.isFree());
    assertEquals(0, time.await(locks.rows()).total());
  }

  @Test
  void clientThatAsksAgainGetsTheLock() {
    isInDoubt();
    assertEquals(NlmStatus.GRANTED, time.await(lock(false)));
    assertEquals(NlmStatus.GRANTED, time.await(locks.cancel(request(false))));
    time.pass(SECOND);
    assertFalse(manager.isFree(), "nothing waits any more");
    unlock();
  }

  /** It has it shared only by then, beside another. */
  @Test
  void changedLockIsNotReportedAsHeld() {
    isGranted(false);
    isNotHeard(0);
    NlmStatus shared =
        time.await(locks.lock(request(false).of(ByteRange.ALL, false), false, false, false));
    assertEquals(NlmStatus.GRANTED, shared);
    assertTrue(others.lockAgain(ByteRange.ALL, LockMode.SHARED, Duration.ZERO).isDone());
    assertEquals(NlmStatus.BLOCKED, time.await(lock(false)), "another shares it");
    assertTrue(others.unlock(ByteRange.ALL).join());
    time.pass(5 * SECOND);
    assertEquals(NlmStatus.GRANTED, time.await(lock(false)));
    unlock();
  }

  @Test
  void restartedClientHasNoLock() {
    isInDoubt();
    time.await(locks.freeAll(new InetSocketAddress(HOST, 700), "host", 3));
    assertTrue(manager.isFree());
  }

  @Test
  void deniedSingleCallLeavesNoLock() {
    isGranted(false);
    says(0, NlmStatus.DENIED);
    assertTrue(manager.isFree());
    assertEquals(NlmStatus.BLOCKED, afterOthersLocked(), "it would wait anew");
  }

  private NlmStatus afterOthersLocked() {
    assertTrue(others.lockAgain(ByteRange.ALL, LockMode.EXCLUSIVE, Duration.ZERO).isDone());
    return time.await(lock(false));
  }

  @Test
  void aCallThatDoesNotReachItsClientBringsNoDoubt() {
    isGranted(false);
    isNotReached(0);
    isTold(2);
    isNotReached(1);
    isTold(3);
    says(2, NlmStatus.DENIED);
    assertTrue(manager.isFree());
  }

  @Test
  void clientThatPostponesTheCallHasNotTakenTheLock() {
    isGranted(false);
    says(0, NlmStatus.DENIED_GRACE_PERIOD);
    isTold(2);
    says(1, NlmStatus.DENIED);
    assertTrue(manager.isFree());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void silentClientKeepsALockItMayHaveHeardOf(boolean heard) {
    isGranted(false);
    for (int call = 0; time.nowNanos() < 90 * SECOND && call < answers.size(); call++) {
      if (heard && call == 0) {
        isNotHeard(call);
      } else {
        isNotReached(call);
      }
      int next = call + 2;
      long until = time.nowNanos() + 5 * SECOND;
      time.runUntil("it is called again", () -> told.size() == next || time.nowNanos() > until);
    }
    time.pass(90 * SECOND);
    assertEquals(!heard, manager.isFree());
  }

  /** GRANTED_RES may answer any of the messages before it. */
  @Test
  void denialAfterSeveralMessagesLeavesTheFirstInDoubt() {
    isGranted(true);
    isNotHeard(0);
    isTold(2);
    isNotHeard(1);
    locks.answered(HOST, told.get(0).cookie(), NlmStatus.DENIED);
    time.pass(60 * SECOND);
    assertFalse(manager.isFree());
    assertEquals(2, told.size());
    locks.answered(HOST, told.get(0).cookie(), NlmStatus.GRANTED);
    time.pass(SECOND);
    unlock();
  }

  @Test
  void denialOfASingleMessageEndsTheWait() {
    isGranted(true);
    isNotHeard(0);
    locks.answered(HOST, told.get(0).cookie(), NlmStatus.DENIED);
    time.pass(SECOND);
    assertTrue(manager.isFree());
  }

  /** Another had it in between: its client cannot rely on it, whatever it took. */
  @Test
  void aLockInDoubtThatLapsedIsForgotten() {
    isInDoubt();
    manager.end(session++);
    manager.lapse(1);
    assertTrue(others.lockAgain(ByteRange.ALL, LockMode.EXCLUSIVE, Duration.ZERO).isDone());
    time.pass(30 * SECOND);
    assertEquals(0, time.await(locks.rows()).total());
    assertEquals(Set.of(), time.await(locks.inUse()));
    assertTrue(others.unlock(ByteRange.ALL).join());
    assertTrue(manager.isFree());
  }

  @Test
  void aLockInDoubtOutlivesItsSession() {
    isInDoubt();
    manager.end(session++);
    time.pass(30 * SECOND);
    assertEquals(List.of(ByteRange.ALL), manager.locked(2, request(false).owner().key()));
    unlock();
  }
}
