package org.weft.nfs.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.OnBehalfOf;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmLock;
import org.weft.nfs.nlm.NlmRange;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.seam.Environment;
import org.weft.testkit.sim.VirtualTime;

/** What could not be unlocked at once, and which client may lock what, on virtual time. */
class DebtsTest {
  private static final InetAddress HOST = InetAddress.getLoopbackAddress();

  private final VirtualTime time = new VirtualTime(95_720_002);
  private final Environment environment =
      new Environment(time, time, time, new Random(1), null, null);
  private final Deque<NlmStatus> answers = new ArrayDeque<>();
  private int asked;
  private final OwnedFiles files = new OwnedFiles(time.newSerialExecutor("files"));
  private final Debts debts =
      new Debts(
          environment,
          time.newSerialExecutor("locks"),
          (file, range) -> {
            asked++;
            NlmStatus next = answers.poll();
            return CompletableFuture.completedFuture(next == null ? NlmStatus.GRANTED : next);
          },
          files::forgetIfIdle);

  private static LockRequest request(int process, boolean reserved) {
    NetObject owner = new NetObject(new byte[] {(byte) process});
    NetObject handle = new NetObject(new byte[0]);
    return new LockRequest(
        new NodeId(new PartitionId(1), new ObjectId(70_000)),
        new OnBehalfOf("ann", List.of("staff"), false),
        new NlmOwner(HOST, HOST, "host", process, owner, !reserved),
        new NlmLock("host", handle, owner, process, new NlmRange(0, 0)),
        ByteRange.ALL,
        true,
        1,
        reserved,
        false);
  }

  private Optional<OwnedFile> take(int process) {
    return files.take(request(process, true), asked -> new CompletableFuture<>());
  }

  @Test
  void locksOfARestartedClientAreFreedOnceTheManagerAnswers() {
    OwnedFile file = take(1).orElseThrow();
    file.locked(ByteRange.ALL, true, 1);
    answers.addAll(
        List.of(NlmStatus.DENIED_GRACE_PERIOD, NlmStatus.FAILED, NlmStatus.DENIED_NOLOCKS));
    assertEquals(NlmStatus.DENIED_GRACE_PERIOD, time.await(debts.release(file, ByteRange.ALL)));
    assertFalse(file.isIdle(), "it is not forgotten meanwhile");
    time.runUntil("unlocked", () -> !file.holds());
    assertEquals(4, asked);
    assertTrue(file.owed.isEmpty());
    time.runUntil("forgotten, with its client", () -> files.all().isEmpty());
    time.pass(TimeUnit.MINUTES.toNanos(5));
    assertEquals(4, asked);
  }

  @Test
  void aNewLockOfTheOwnerComesAfterWhatIsOwed() {
    OwnedFile file = take(1).orElseThrow();
    answers.add(NlmStatus.FAILED);
    time.await(debts.release(file, ByteRange.ALL));
    assertEquals(NlmStatus.GRANTED, time.await(debts.pay(file)), "as a lock does it before");
    file.locked(new ByteRange(0, 10), true, 1);
    time.pass(TimeUnit.MINUTES.toNanos(5));
    assertTrue(file.holds(), "nothing of the new lock is unlocked");
    assertEquals(2, asked);
  }

  @Test
  void debtsOfOneClientLeaveRoomForOthers() {
    for (int process = 0; process < OwnedFiles.MAX_FILES_OF_CLIENT; process++) {
      assertTrue(
          files
              .take(
                  new LockRequest(
                      new NodeId(new PartitionId(1), new ObjectId(70_000 + process)),
                      request(1, true).by(),
                      request(1, true).owner(),
                      request(1, true).lock(),
                      ByteRange.ALL,
                      true,
                      1,
                      true,
                      false),
                  asked -> new CompletableFuture<>())
              .isPresent());
    }
    assertEquals(Optional.empty(), take(2));
  }

  @Test
  void usersOfAClientCannotActForItsKernel() {
    take(1);
    assertTrue(files.isForged(request(1, false)));
    assertFalse(files.isForged(request(1, true)));
    assertFalse(files.isForged(request(2, false)));
  }
}
