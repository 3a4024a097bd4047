package org.weft.nfs.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.client.LockMode;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.OnBehalfOf;
import org.weft.client.lock.RangeOwner;
import org.weft.nfs.monitor.MonitoredClient;
import org.weft.nfs.monitor.Watching;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmLock;
import org.weft.nfs.nlm.NlmMessage;
import org.weft.nfs.nlm.NlmRange;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.seam.Environment;
import org.weft.testkit.sim.VirtualTime;

/**
 * What a client is told of a lock that it waited for, and that lapsed with the gateway's session.
 */
class LapsedGrantTest {
  private static final InetAddress HOST = InetAddress.getLoopbackAddress();
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final NodeId FILE = new NodeId(new PartitionId(1), new ObjectId(70_000));
  private static final OnBehalfOf ANN = new OnBehalfOf("ann", List.of("staff"), false);
  private static final int OTHERS = 9;

  private static final Watching HERE =
      new Watching() {
        @Override
        public CompletableFuture<Verdict> watched(MonitoredClient client) {
          return CompletableFuture.completedFuture(Verdict.UNWATCHED);
        }

        @Override
        public boolean serves(InetAddress server) {
          return true;
        }
      };

  private final VirtualTime time = new VirtualTime(95_840_004);
  private final ModelManager manager = new ModelManager();
  private final OwnerLocks others =
      manager
          .session(OTHERS)
          .open(ANN, FILE, new RangeOwner(ByteString.copyFromUtf8("other"), true))
          .join();
  private int session = 1;
  private int told;
  private final List<CompletableFuture<NlmStatus>> answers = new ArrayList<>();
  private final ClientLocks locks =
      new ClientLocks(
          (by, file, owner) -> manager.session(session).open(by, file, owner),
          this::granted,
          HERE,
          new Environment(time, time, time, new Random(1), null, null));

  private CompletableFuture<Optional<NlmStatus>> granted(
      NlmOwner owner, NlmMessage.Test message, boolean asMessage) {
    told++;
    CompletableFuture<NlmStatus> answer = new CompletableFuture<>();
    answers.add(answer);
    return answer.thenApply(Optional::of);
  }

  private CompletableFuture<NlmStatus> lock() {
    NetObject owner = new NetObject(new byte[] {1});
    LockRequest request =
        new LockRequest(
            FILE,
            ANN,
            new NlmOwner(HOST, HOST, "host", 1, owner, false),
            new NlmLock("host", new NetObject(new byte[0]), owner, 1, new NlmRange(0, 0)),
            ByteRange.ALL,
            true,
            1,
            true,
            false);
    return locks.lock(request, true, false, true);
  }

  private void fail(CompletableFuture<NlmStatus> answer) {
    answer.completeExceptionally(new IllegalStateException("the client does not answer"));
  }

  /** A client waits, is granted the lock, and does not answer. */
  @BeforeEach
  void grantSilently() {
    assertTrue(others.lockAgain(ByteRange.ALL, LockMode.EXCLUSIVE, Duration.ZERO).isDone());
    assertEquals(NlmStatus.BLOCKED, time.await(lock()));
    assertTrue(others.unlock(ByteRange.ALL).join());
    time.runUntil("it is told", () -> told == 1);
    fail(answers.get(0));
  }

  private void endSessionAndLapse() {
    manager.end(session++);
    manager.lapse(1);
    assertTrue(others.lockAgain(ByteRange.ALL, LockMode.EXCLUSIVE, Duration.ZERO).isDone());
  }

  @Test
  void lapsedLockIsNoLongerAnnouncedToItsClient() {
    endSessionAndLapse();
    int before = told;
    time.pass(30 * SECOND);
    assertEquals(before, told);
    assertEquals(NlmStatus.BLOCKED, time.await(lock()), "it is another's");
    assertTrue(others.unlock(ByteRange.ALL).join());
    time.runUntil("it is told that it has it anew", () -> told == before + 1);
    answers.get(before).complete(NlmStatus.GRANTED);
    time.pass(SECOND);
    assertFalse(manager.isFree());
  }

  @Test
  void repeatedRequestForALapsedLockIsNotGranted() {
    endSessionAndLapse();
    for (int half = 0; half < 20; half++) {
      NlmStatus answer = time.await(lock());
      assertTrue(
          List.of(NlmStatus.DENIED_GRACE_PERIOD, NlmStatus.BLOCKED).contains(answer),
          "it is another's: " + answer);
      time.pass(SECOND / 2);
    }
    assertEquals(NlmStatus.BLOCKED, time.await(lock()));
  }

  @Test
  void reclaimedLockIsAnnouncedAfterItsSessionEnded() {
    manager.end(session++);
    time.runUntil("it is told again", () -> told == 2);
    answers.get(1).complete(NlmStatus.GRANTED);
    time.pass(SECOND);
    assertEquals(NlmStatus.GRANTED, time.await(lock()), "it has it");
    assertEquals(List.of(ByteRange.ALL), manager.locked(2, ownerKey()));
  }

  @Test
  void lockOfASessionThatEndedEarlyIsNotGranted() {
    time.runUntil("it is told again", () -> told == 2);
    answers.get(1).complete(NlmStatus.DENIED);
    time.pass(SECOND);
    assertTrue(others.lockAgain(ByteRange.ALL, LockMode.EXCLUSIVE, Duration.ZERO).isDone());
    CompletableFuture<NlmStatus> first = lock();
    time.pass(SECOND / 100);
    assertFalse(first.isDone(), "it waits");
    assertTrue(others.unlock(ByteRange.ALL).join());
    endSessionAndLapse();
    assertEquals(NlmStatus.DENIED_GRACE_PERIOD, time.await(first), "it is another's");
  }

  private static ByteString ownerKey() {
    return new NlmOwner(HOST, HOST, "host", 1, new NetObject(new byte[] {1}), false).key();
  }
}
