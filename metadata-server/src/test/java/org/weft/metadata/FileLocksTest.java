package org.weft.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.LockHolder;
import org.weft.client.LockMode;
import org.weft.client.LockOwner;
import org.weft.client.LockedFile;
import org.weft.client.volume.KeepLocks;
import org.weft.client.volume.SessionGrant;
import org.weft.client.volume.VolumeCalls;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;

/** Byte-range locks of clients at a manager that dies now and then (P 6.5). */
class FileLocksTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final ByteRange FIRST = new ByteRange(0, 10);
  private static final ByteRange SECOND = new ByteRange(10, 20);
  private static final int KEEP_MILLIS = 45_000;

  @TempDir private Path folder;
  private ManagerWorld world;

  @AfterEach
  void end() {
    if (world != null) {
      world.kill();
    }
  }

  private void begin() {
    world = new ManagerWorld(7, 3, folder);
    world.start();
    VolumeCalls maker = world.superuser();
    var made =
        world.time.await(
            maker.create("/f", new VolumeCalls.Creation(0644, 0, false, false, Optional.empty())));
    long objectId = made.body().getAttributes().getObjectId();
    long grant = made.body().getGrant().getNumber();
    world.time.await(
        maker.close(new SessionGrant("/f", made.sessionId(), objectId, grant), 0, 0, false));
  }

  private LockingClient client() {
    return new LockingClient(world, Optional.empty());
  }

  private LockingClient keepingClient(String key) {
    return new LockingClient(
        world, Optional.of(KeepLocks.of(KEEP_MILLIS, key.getBytes(StandardCharsets.UTF_8))));
  }

  private void exclusively(LockedFile file, ByteRange range) {
    world.time.await(file.lock(range, LockMode.EXCLUSIVE, Duration.ZERO));
  }

  private boolean tries(LockedFile file, ByteRange range) {
    return world.time.await(file.tryLock(range, LockMode.EXCLUSIVE));
  }

  private WeftException failure(CompletableFuture<?> future) {
    world.time.runUntil("it fails", future::isDone);
    return WeftException.of(assertThrows(RuntimeException.class, future::join));
  }

  /** How long it takes until it is done, in virtual milliseconds. */
  private long millisUntil(CompletableFuture<?> future) {
    long begin = world.time.nowNanos();
    world.time.await(future);
    return TimeUnit.NANOSECONDS.toMillis(world.time.nowNanos() - begin);
  }

  @Test
  void waitingOwnerIsNotifiedAtOnceAndAgainAfterALostNotice() {
    begin();
    LockedFile holder = client().open("/f", LockOwner.process("a"));
    LockingClient hears = client();
    LockedFile waiter = hears.open("/f", LockOwner.process("b"));
    exclusively(holder, ByteRange.ALL);
    CompletableFuture<Void> waiting = waiter.lock(FIRST, LockMode.SHARED, LONG);
    world.pass(10_000);
    assertFalse(waiting.isDone());
    assertTrue(world.time.await(holder.unlock(FIRST)));
    assertTrue(millisUntil(waiting) < 500, "it was told");
    // And now it does not hear.
    hears.deafen();
    CompletableFuture<Void> more = waiter.lock(SECOND, LockMode.SHARED, LONG);
    world.pass(10_000);
    assertFalse(more.isDone());
    assertFalse(world.time.await(holder.unlock(ByteRange.ALL)), "a part was unlocked before");
    assertTrue(millisUntil(more) < 3_500, "it asked by itself");
  }

  @Test
  void lockTimeoutNamesTheLockInTheWay() {
    begin();
    LockedFile holder = client().open("/f", LockOwner.process("a"));
    LockedFile waiter = client().open("/f", LockOwner.process("b"));
    world.time.await(holder.lock(SECOND, LockMode.SHARED, Duration.ZERO));
    CompletableFuture<Void> waiting =
        waiter.lock(ByteRange.ALL, LockMode.EXCLUSIVE, Duration.ofSeconds(7));
    WeftException refused = failure(waiting);
    assertEquals(ErrorCode.LOCKED, refused.code());
    assertTrue(
        refused.getMessage().contains("bytes 10 to 20 shared by locker"), refused.getMessage());
    LockHolder found =
        world.time.await(waiter.test(ByteRange.ALL, LockMode.EXCLUSIVE)).orElseThrow();
    assertEquals(SECOND, found.range());
    assertEquals(LockMode.SHARED, found.mode());
    assertTrue(world.time.await(waiter.test(ByteRange.ALL, LockMode.SHARED)).isEmpty());
  }

  @Test
  void anOwnerThatCancelsHasWhatItHadBefore() {
    begin();
    LockedFile holder = client().open("/f", LockOwner.process("a"));
    LockedFile waiter = client().open("/f", LockOwner.process("b"));
    world.time.await(holder.lock(FIRST, LockMode.SHARED, Duration.ZERO));
    world.time.await(waiter.lock(FIRST, LockMode.SHARED, Duration.ZERO));
    for (int tries = 0; tries < 15; tries++) {
      CompletableFuture<Void> upgrade = waiter.lock(new ByteRange(0, 15), LockMode.EXCLUSIVE, LONG);
      world.pass(4_000);
      assertFalse(upgrade.isDone());
      // It is cancelled about when it is given.
      CompletableFuture<Boolean> unlocked = holder.unlock(FIRST);
      world.time.pass(TimeUnit.MICROSECONDS.toNanos(150L * tries));
      boolean cancelled = upgrade.cancel(true);
      assertTrue(tries(waiter, new ByteRange(50, 60)), "asked for before it is undone");
      world.time.await(unlocked);
      if (!cancelled) {
        world.time.await(waiter.unlock(ByteRange.ALL));
        world.time.await(waiter.lock(FIRST, LockMode.SHARED, Duration.ZERO));
      }
      assertTrue(world.time.await(holder.tryLock(FIRST, LockMode.SHARED)), "it is shared again");
      assertFalse(tries(holder, FIRST), "the other one has it shared, too");
      assertTrue(tries(holder, SECOND), "which no owner has");
      world.time.await(holder.unlock(SECOND));
    }
  }

  @Test
  void lockRequestAfterACancelIsNotUndoneWithIt() {
    begin();
    LockedFile owner = client().open("/f", LockOwner.process("a"));
    LockedFile other = client().open("/f", LockOwner.process("b"));
    exclusively(owner, SECOND);
    for (int tries = 0; tries < 30; tries++) {
      CompletableFuture<Void> first = owner.lock(FIRST, LockMode.EXCLUSIVE, Duration.ZERO);
      world.time.pass(TimeUnit.MICROSECONDS.toNanos(100L * tries));
      first.cancel(true);
      assertTrue(tries(owner, FIRST));
      world.pass(300);
      assertFalse(tries(other, FIRST), "after " + tries);
      assertTrue(world.time.await(owner.unlock(FIRST)));
    }
  }

  @Test
  void cancelKeepsLocksTakenMeanwhile() {
    begin();
    LockedFile owner = client().open("/f", LockOwner.process("a"));
    LockedFile other = client().open("/f", LockOwner.process("b"));
    ByteRange part = new ByteRange(2, 4);
    exclusively(owner, SECOND);
    for (int tries = 0; tries < 30; tries++) {
      CompletableFuture<Void> first = owner.lock(FIRST, LockMode.EXCLUSIVE, Duration.ZERO);
      world.time.pass(TimeUnit.MICROSECONDS.toNanos(200L * (tries / 5)));
      CompletableFuture<Void> second = owner.lock(part, LockMode.EXCLUSIVE, Duration.ZERO);
      world.time.pass(TimeUnit.MICROSECONDS.toNanos(200L * (tries % 5)));
      boolean cancelled = first.cancel(true);
      world.time.await(second);
      world.pass(1_000);
      assertFalse(tries(other, part), "after " + tries);
      if (cancelled) {
        assertTrue(tries(other, new ByteRange(6, 8)), "after " + tries);
        assertTrue(world.time.await(other.unlock(new ByteRange(6, 8))));
      }
      world.time.await(owner.unlock(FIRST));
    }
  }

  @Test
  void cancelDoesNotRestoreLocksReleasedMeanwhile() {
    begin();
    LockedFile owner = client().open("/f", LockOwner.process("a"));
    LockedFile other = client().open("/f", LockOwner.process("b"));
    for (int tries = 0; tries < 30; tries++) {
      world.time.await(owner.lock(FIRST, LockMode.SHARED, Duration.ZERO));
      CompletableFuture<Void> upgrade = owner.lock(FIRST, LockMode.EXCLUSIVE, Duration.ZERO);
      world.time.pass(TimeUnit.MICROSECONDS.toNanos(200L * (tries / 5)));
      CompletableFuture<Boolean> unlocked = owner.unlock(FIRST);
      world.time.pass(TimeUnit.MICROSECONDS.toNanos(200L * (tries % 5)));
      boolean cancelled = upgrade.cancel(true);
      world.time.await(unlocked);
      world.pass(1_000);
      if (cancelled) {
        assertTrue(tries(other, FIRST), "after " + tries);
      }
      world.time.await(other.unlock(FIRST));
      world.time.await(owner.unlock(FIRST));
    }
  }

  @Test
  void lockStaysHeldThroughACancelUntilUnlocked() {
    begin();
    LockedFile owner = client().open("/f", LockOwner.process("a"));
    ByteRange part = new ByteRange(2, 4);
    for (int tries = 0; tries < 20; tries++) {
      exclusively(owner, FIRST);
      CompletableFuture<Void> more =
          owner.lock(new ByteRange(0, 20), LockMode.EXCLUSIVE, Duration.ZERO);
      world.time.pass(TimeUnit.MICROSECONDS.toNanos(50L * tries));
      more.cancel(true);
      assertTrue(world.time.await(owner.unlock(part)), "after " + tries);
      assertFalse(world.time.await(owner.unlock(part)), "after " + tries);
      world.time.await(owner.unlock(ByteRange.ALL));
    }
  }

  @Test
  void closeEndsAllLockRequestsUnderWay() {
    begin();
    LockingClient client = client();
    LockedFile other = client().open("/f", LockOwner.process("b"));
    for (int tries = 0; tries < 30; tries++) {
      LockedFile owner = client.open("/f", LockOwner.process("a"));
      if (tries % 2 == 0) {
        world.time.await(owner.lock(FIRST, LockMode.SHARED, Duration.ZERO));
      }
      CompletableFuture<Void> upgrade = owner.lock(FIRST, LockMode.EXCLUSIVE, LONG);
      world.time.pass(TimeUnit.MICROSECONDS.toNanos(100L * tries));
      world.time.await(owner.close());
      assertTrue(tries(other, FIRST), "after " + tries);
      world.time.runUntil("it is given or given up", upgrade::isDone);
      world.time.await(other.unlock(FIRST));
    }
  }

  @Test
  void closingGivesUpWhatIsWaitedFor() {
    begin();
    LockedFile holder = client().open("/f", LockOwner.process("a"));
    LockedFile waiter = client().open("/f", LockOwner.process("b"));
    exclusively(holder, FIRST);
    CompletableFuture<Void> waiting = waiter.lock(FIRST, LockMode.EXCLUSIVE, LONG);
    world.pass(4_000);
    world.time.await(waiter.close());
    world.pass(100);
    assertTrue(waiting.isDone());
    assertEquals(ErrorCode.CANCELLED, failure(waiting).code());
  }

  @Test
  void aLockThatIsGivenTooLateIsGivenBack() {
    begin();
    LockedFile owner = client().open("/f", LockOwner.process("a"));
    LockedFile closed = client().open("/f", LockOwner.process("c"));
    world.pause();
    CompletableFuture<Void> late = owner.lock(FIRST, LockMode.EXCLUSIVE, Duration.ZERO);
    CompletableFuture<Void> given = closed.lock(SECOND, LockMode.EXCLUSIVE, Duration.ZERO);
    assertEquals(ErrorCode.DEADLINE_EXCEEDED, failure(late).code());
    assertEquals(ErrorCode.DEADLINE_EXCEEDED, failure(given).code());
    world.time.await(closed.close());
    world.resume();
    world.awaitServing();
    LockedFile other = client().open("/f", LockOwner.process("b"));
    world.pass(5_000);
    assertTrue(tries(other, FIRST));
    assertTrue(tries(other, SECOND));
  }

  @Test
  void aDeadlockIsRefusedToTheOwnerThatWouldCloseIt() {
    begin();
    LockedFile first = client().open("/f", LockOwner.process("a"));
    LockedFile second = client().open("/f", LockOwner.process("b"));
    exclusively(first, FIRST);
    exclusively(second, SECOND);
    CompletableFuture<Void> waiting = first.lock(SECOND, LockMode.EXCLUSIVE, LONG);
    world.pass(4_000);
    WeftException refused = failure(second.lock(FIRST, LockMode.EXCLUSIVE, LONG));
    assertEquals(ErrorCode.DEADLOCK, refused.code());
    assertTrue(world.time.await(second.unlock(SECOND)));
    world.time.await(waiting);
    // An owner that gave up waiting waits for no other.
    exclusively(second, new ByteRange(30, 40));
    CompletableFuture<Void> givenUp = second.lock(FIRST, LockMode.EXCLUSIVE, Duration.ofSeconds(2));
    assertEquals(ErrorCode.LOCKED, failure(givenUp).code());
    world.pass(500);
    CompletableFuture<Void> alone =
        first.lock(new ByteRange(30, 40), LockMode.EXCLUSIVE, Duration.ofSeconds(2));
    assertEquals(ErrorCode.LOCKED, failure(alone).code());
  }

  @Test
  void openFilesOfSeveralThreadsAreNotTakenForADeadlock() {
    begin();
    LockedFile first = client().open("/f", LockOwner.openFile("a"));
    LockedFile second = client().open("/f", LockOwner.openFile("b"));
    exclusively(first, FIRST);
    exclusively(second, SECOND);
    CompletableFuture<Void> waiting = first.lock(SECOND, LockMode.EXCLUSIVE, LONG);
    CompletableFuture<Void> other = second.lock(FIRST, LockMode.EXCLUSIVE, LONG);
    world.pass(20_000);
    assertFalse(waiting.isDone() || other.isDone());
    // Another thread of the first one.
    assertTrue(world.time.await(first.unlock(FIRST)));
    world.time.await(other);
  }

  @Test
  void nextManagerKeepsAcknowledgedLocks() {
    begin();
    LockedFile holder = client().open("/f", LockOwner.process("a"));
    LockedFile other = client().open("/f", LockOwner.process("b"));
    for (int starts = 0; starts < 3; starts++) {
      ByteRange range = new ByteRange(100L * starts, 100L * starts + 50);
      exclusively(holder, range);
      CompletableFuture<Void> waiting = other.lock(range, LockMode.SHARED, LONG);
      world.pass(500L * starts);
      world.kill();
      world.start();
      assertFalse(tries(other, range), "locked since before the restart");
      world.pass(15_000);
      assertTrue(holder.isHeld());
      assertFalse(waiting.isDone());
      assertTrue(world.time.await(holder.unlock(range)), "it had it all the time");
      assertTrue(millisUntil(waiting) < 500, "the new manager knows that it waits");
    }
  }

  @Test
  void theLocksOfAClientThatDiesGoWithItsSession() {
    begin();
    LockingClient dying = client();
    exclusively(dying.open("/f", LockOwner.process("a")), ByteRange.ALL);
    LockedFile waiter = client().open("/f", LockOwner.process("b"));
    CompletableFuture<Void> waiting = waiter.lock(FIRST, LockMode.EXCLUSIVE, LONG);
    world.pass(1_000);
    dying.kill();
    assertTrue(millisUntil(waiting) < 12_000);
  }

  @Test
  void clientThatSleptPastItsLeaseHearsThatItsLocksAreLost() {
    begin();
    LockingClient sleeping = client();
    LockedFile lost = sleeping.open("/f", LockOwner.process("a"));
    exclusively(lost, FIRST);
    LockedFile other = client().open("/f", LockOwner.process("b"));
    sleeping.pause();
    world.pass(15_000);
    assertTrue(tries(other, FIRST));
    sleeping.resume();
    WeftException refused = failure(lost.lock(SECOND, LockMode.SHARED, Duration.ZERO));
    assertEquals(ErrorCode.SESSION_EXPIRED, refused.code());
    assertTrue(refused.getMessage().contains("all locks"), refused.getMessage());
    assertFalse(lost.isHeld());
    world.time.await(lost.close());
    assertTrue(tries(sleeping.open("/f", LockOwner.process("a")), SECOND));
  }

  @Test
  void keptLocksWaitForASuccessorWithTheKeyUntilTheyExpire() {
    begin();
    LockingClient gateway = keepingClient("the first gateway");
    exclusively(gateway.open("/f", LockOwner.process("nfs 1")), FIRST);
    exclusively(gateway.open("/f", LockOwner.process("nfs 2")), SECOND);
    LockedFile other = client().open("/f", LockOwner.process("b"));
    gateway.kill();
    world.pass(12_000);
    assertFalse(tries(other, FIRST), "kept");
    assertTrue(world.time.await(other.test(FIRST, LockMode.SHARED)).orElseThrow().kept());
    world.kill();
    world.start();
    LockedFile stranger = keepingClient("another gateway!").open("/f", LockOwner.process("nfs 1"));
    assertEquals(ErrorCode.LOCKED, failure(stranger.reclaim(FIRST, LockMode.EXCLUSIVE)).code());
    LockedFile successor =
        keepingClient("the first gateway").open("/f", LockOwner.process("nfs 1"));
    assertTrue(world.time.await(successor.reclaim(FIRST, LockMode.EXCLUSIVE)));
    assertEquals(
        ErrorCode.LOCKED,
        failure(successor.reclaim(ByteRange.ALL, LockMode.EXCLUSIVE)).code(),
        "the rest is kept for another owner");
    CompletableFuture<Void> waiting = other.lock(SECOND, LockMode.EXCLUSIVE, LONG);
    assertTrue(millisUntil(waiting) < KEEP_MILLIS + 1_000, "no successor came for it");
    assertFalse(tries(other, FIRST));
    assertTrue(world.time.await(successor.reclaim(new ByteRange(0, 5), LockMode.SHARED)));
  }
}
