package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.lock.LockTable;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.metadata.volume.operation.lock.CancelLock;
import org.weft.metadata.volume.operation.lock.ListLocks;
import org.weft.metadata.volume.operation.lock.LockRange;
import org.weft.metadata.volume.operation.lock.UnlockRange;
import org.weft.metadata.volume.operation.name.Unlink;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.LockSpace;
import org.weft.protocol.wire.ListLocksReply;
import org.weft.protocol.wire.LockRangeReply;

/** Which locks a client may have, how many of them, and when they end (P 6.5). */
class LockRulesTest {
  private static final ByteString OWNER = ByteString.copyFromUtf8("owner");
  private static final ByteRange RANGE = new ByteRange(0, 10);

  private final TestVolume volume = TestVolume.formatted(3);

  private static LockRange lock(String path, ByteRange range, boolean exclusive) {
    return new LockRange(TestClient.path(path), OWNER, range, exclusive, 0, false, false);
  }

  private static ErrorCode refusal(TestClient client, Operation operation) {
    return assertThrows(WeftException.class, () -> client.execute(operation)).code();
  }

  private static boolean isGranted(LockRangeReply reply) {
    return reply.getOutcome() == LockRangeReply.Outcome.GRANTED;
  }

  private List<LiveEffect> locks() {
    return volume.machine().snapshot().stream()
        .filter(LiveEffect.OfLocks.class::isInstance)
        .toList();
  }

  @Test
  void readerMayOnlyTakeSharedLocks() throws WeftException {
    TestClient owner = volume.superuser();
    owner.write("/f", 10);
    owner.chmod("/f", 0644);
    TestClient reader = volume.client("rita");
    assertTrue(isGranted(reader.lock(lock("/f", RANGE, false))));
    assertEquals(ErrorCode.PERMISSION_DENIED, refusal(reader, lock("/f", RANGE, true)));
    owner.chmod("/f", 0600);
    assertEquals(ErrorCode.PERMISSION_DENIED, refusal(reader, lock("/f", RANGE, false)));
    assertEquals(ErrorCode.IS_DIRECTORY, refusal(owner, lock("/", RANGE, false)));
    assertEquals(ErrorCode.NOT_FOUND, refusal(owner, lock("/g", RANGE, false)));
  }

  private static LockRange opening(ByteRange range, boolean exclusive) {
    return new LockRange(
        TestClient.path("/f"),
        OWNER,
        range,
        exclusive,
        0,
        false,
        false,
        false,
        false,
        LockSpace.OPENINGS);
  }

  @Test
  void waysToOpenAFileAreLockedBesideItsBytes() throws WeftException {
    TestClient one = volume.superuser();
    TestClient two = volume.superuser();
    one.write("/f", 10);
    assertTrue(isGranted(one.lock(lock("/f", RANGE, true))));
    assertTrue(isGranted(two.lock(opening(RANGE, true))), "bytes are not in its way");
    assertFalse(isGranted(one.lock(opening(RANGE, false))));
    ListLocks list = new ListLocks(TestClient.path("/f"), ByteString.EMPTY, Optional.empty());
    assertEquals(1, ((ListLocksReply) one.execute(list).reply()).getTotal(), "of bytes");
    assertEquals(2, locks().size());
    ObjectId file = new ObjectId(one.attributes("/f").getObjectId());
    TestVolume next = volume.restarted();
    TestClient first = one.with(next);
    TestClient second = two.with(next);
    assertFalse(isGranted(first.lock(opening(RANGE, false))), "also at the next manager");
    assertTrue(second.unlock(new UnlockRange(file, OWNER, RANGE, LockSpace.OPENINGS)));
    assertTrue(isGranted(first.lock(opening(RANGE, false))));
    assertFalse(isGranted(second.lock(lock("/f", RANGE, false))), "bytes stay locked");
  }

  @Test
  void readerMayDenyWaysToOpenAFile() throws WeftException {
    TestClient owner = volume.superuser();
    owner.write("/f", 10);
    owner.chmod("/f", 0644);
    assertTrue(isGranted(volume.client("rita").lock(opening(RANGE, true))));
    owner.chmod("/f", 0600);
    assertEquals(ErrorCode.PERMISSION_DENIED, refusal(volume.client("rob"), opening(RANGE, false)));
  }

  @Test
  void pastABoundTheErrorNamesIt() throws WeftException {
    TestClient client = volume.superuser();
    client.write("/f", 10);
    for (int lock = 0; lock < LockTable.MAX_LOCKS_OF_OWNER; lock++) {
      client.lock(lock("/f", new ByteRange(4L * lock, 4L * lock + 3), lock % 2 == 0));
    }
    LockRange oneMore = lock("/f", new ByteRange(100_000, 100_001), true);
    WeftException refused = assertThrows(WeftException.class, () -> client.execute(oneMore));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
    assertTrue(
        refused.getMessage().contains(LockTable.MAX_LOCKS_OF_OWNER + " locks"),
        refused.getMessage());
    ObjectId file = new ObjectId(client.attributes("/f").getObjectId());
    assertEquals(
        ErrorCode.INVALID_ARGUMENT,
        refusal(client, new UnlockRange(file, OWNER, new ByteRange(1, 2))),
        "which would split one in two");
    assertTrue(client.unlock(new UnlockRange(file, OWNER, new ByteRange(0, 3))));
    assertTrue(isGranted(client.lock(oneMore)));
    assertEquals(1, locks().size());
  }

  @Test
  void theLocksOfAFileGoWithIt() throws WeftException {
    TestClient client = volume.superuser();
    client.write("/f", 10);
    assertTrue(isGranted(client.lock(lock("/f", RANGE, true))));
    client.execute(new Unlink(TestClient.path("/f")));
    assertEquals(List.of(), locks());
    assertEquals(
        List.of(),
        TestVolume.recovered(9, List.of(), volume.recordsWithoutRedo())
            .machine()
            .snapshot()
            .stream()
            .filter(LiveEffect.OfLocks.class::isInstance)
            .toList(),
        "also where OSDs hold the removal already");
  }

  @Test
  void aRepeatedRequestIsAnsweredAsBefore() throws WeftException {
    TestClient client = volume.superuser();
    client.write("/f", 10);
    client.lock(lock("/f", RANGE, false));
    Outcome.Done granted = client.execute(lock("/f", RANGE, true));
    TestVolume next = volume.restarted();
    assertEquals(granted.reply().toByteString(), client.with(next).retry().reply().toByteString());
  }

  @Test
  void lockAnswerWaitsForAllRecords() throws WeftException {
    TestClient client = volume.superuser();
    client.write("/f", 10);
    client.lock(lock("/f", RANGE, true));
    TestClient other = volume.superuser();
    assertEquals(volume.machine().lastLsn(), client.execute(lock("/f", RANGE, true)).seen());
    assertEquals(volume.machine().lastLsn(), other.execute(lock("/f", RANGE, true)).seen());
    ListLocks list = new ListLocks(TestClient.path("/f"), ByteString.EMPTY, Optional.empty());
    assertEquals(volume.machine().lastLsn(), other.execute(list).seen());
  }

  @Test
  void aSessionThatKeepsNothingReclaimsNothing() throws WeftException {
    TestClient client = volume.superuser();
    client.write("/f", 10);
    LockRange reclaim = new LockRange(TestClient.path("/f"), OWNER, RANGE, true, 0, false, true);
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal(client, reclaim));
    assertFalse(client.unlock(new UnlockRange(new ObjectId(70_000), OWNER, RANGE)));
  }

  private static LockRange waiting(ByteRange range, long number) {
    return new LockRange(TestClient.path("/f"), OWNER, range, true, number, false, false);
  }

  private int told() {
    return volume.machine().freedLocks(volume.now()).size();
  }

  @Test
  void waitingOwnerIsNotifiedOnceAndOnlyOfItsLock() throws WeftException {
    TestClient holder = volume.superuser();
    TestClient waiter = volume.superuser();
    holder.write("/f", 10);
    ObjectId file = new ObjectId(holder.attributes("/f").getObjectId());
    holder.lock(lock("/f", RANGE, true));
    assertFalse(isGranted(waiter.lock(waiting(RANGE, 1))));
    assertEquals(0, told());
    holder.lock(lock("/f", new ByteRange(20, 30), false));
    holder.lock(lock("/f", new ByteRange(20, 30), true));
    assertFalse(volume.machine().isLockFreed(), "nothing was unlocked");
    assertTrue(holder.unlock(new UnlockRange(file, OWNER, new ByteRange(20, 30))));
    assertEquals(0, told(), "it does not wait for those bytes");
    for (int turns = 0; turns < 3; turns++) {
      assertTrue(holder.unlock(new UnlockRange(file, OWNER, RANGE)));
      assertEquals(turns == 0 ? 1 : 0, told(), "it has not asked since it was told");
      holder.lock(lock("/f", RANGE, true));
    }
    assertFalse(isGranted(waiter.lock(waiting(RANGE, 1))));
    assertTrue(isGranted(holder.lock(lock("/f", RANGE, false))));
    assertEquals(0, told(), "less is locked, but still too much");
    assertTrue(holder.unlock(new UnlockRange(file, OWNER, RANGE)));
    assertEquals(1, told());
    assertTrue(isGranted(waiter.lock(waiting(RANGE, 1))));
    assertFalse(volume.machine().isLockFreed(), "a lock that is given frees none");
  }

  @Test
  void cancelAfterANoticePassesTheTurnOn() throws WeftException {
    TestClient holder = volume.superuser();
    TestClient first = volume.superuser();
    TestClient second = volume.superuser();
    holder.write("/f", 10);
    ObjectId file = new ObjectId(holder.attributes("/f").getObjectId());
    holder.lock(lock("/f", RANGE, true));
    first.lock(waiting(RANGE, 1));
    second.lock(waiting(RANGE, 2));
    holder.unlock(new UnlockRange(file, OWNER, RANGE));
    assertEquals(1, told());
    first.execute(new CancelLock(file, OWNER, 1));
    assertEquals(1, told());
  }

  @Test
  void manyWaitersForDisjointBytesAreNotifiedInAFewPasses() throws WeftException {
    TestClient holder = volume.superuser();
    holder.write("/f", 10);
    ObjectId file = new ObjectId(holder.attributes("/f").getObjectId());
    holder.lock(lock("/f", ByteRange.ALL, true));
    int waiters = 1_000;
    TestClient waiter = volume.superuser();
    for (int number = 1; number <= waiters; number++) {
      waiter.lock(waiting(new ByteRange(number, number + 1), number));
    }
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal(waiter, waiting(RANGE, waiters + 1)));
    holder.unlock(new UnlockRange(file, OWNER, ByteRange.ALL));
    int first = told();
    assertTrue(first > 0 && first < waiters, "one pass has a bound, and told " + first);
    int all = first;
    for (int pass = 0; pass < 10; pass++) {
      all += told();
    }
    assertEquals(waiters, all, "each was told once");
  }
}
