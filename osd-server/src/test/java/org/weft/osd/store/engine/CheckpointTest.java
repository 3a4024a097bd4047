package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.store.engine.PendingRequests.listed;
import static org.weft.osd.store.engine.Requests.BLOCK;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.read;
import static org.weft.osd.store.engine.Requests.write;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.osd.store.OutOfSpaceException;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.mutation.ObjectWrite;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.testkit.storage.StorageFaults;

/** What is promised of checkpoints comes, also if no client writes any more (P 5.9). */
class CheckpointTest {
  private Rig rig;

  @BeforeEach
  void openStore() throws WeftException {
    rig = Rig.small();
    rig.await(rig.store.checkpointNow());
  }

  private static ObjectWrite block(int number) {
    return write(1, (long) number * BLOCK, random(number, BLOCK)).by(100, 1 + number).build();
  }

  private long durable() {
    return rig.store.status().durableCheckpoint();
  }

  private void passTime() {
    rig.time.pass(rig.options.checkpointMillis() * 3_000_000);
  }

  /** Applies this once, while the next checkpoint is at work on its first segment. */
  private CompletableFuture<Receipt> duringTheNextCheckpoint(ObjectWrite write) {
    CompletableFuture<Receipt> result = new CompletableFuture<>();
    AtomicBoolean applied = new AtomicBoolean();
    rig.faults.failWhere(
        operation -> {
          if (operation.kind() == StorageFaults.Kind.FILE_SYNC && !applied.getAndSet(true)) {
            var unused = rig.store.apply(write).thenAccept(result::complete);
          }
          return false;
        },
        "");
    return result;
  }

  @Test
  void aRepeatPromisesNoLaterCheckpoint() {
    rig.apply(block(0));
    rig.await(rig.store.checkpointNow());
    Receipt again = rig.apply(block(0));
    assertEquals(again.durableCheckpoint(), again.pendingCheckpoint());
    long refused = rig.store.status().pendingCheckpoint();
    assertEquals(
        ErrorCode.BUSY,
        rig.applyAll(write(1, 9, new byte[5]).by(100, 9).build()).get(0).failure().code());
    passTime();
    assertEquals(again.pendingCheckpoint(), durable(), "nothing was there to be covered");
    assertEquals(refused, rig.store.status().pendingCheckpoint());
  }

  @Test
  void aPromiseGivenWhileItsCheckpointRunsIsOfThatOne() {
    Receipt first = rig.apply(block(0));
    CompletableFuture<Receipt> again = duringTheNextCheckpoint(block(0));
    passTime();
    assertEquals(first.pendingCheckpoint(), rig.await(again).pendingCheckpoint());
    assertEquals(first.pendingCheckpoint(), durable());
  }

  @Test
  void aCommitBesideACheckpointGetsOneOfItsOwn() {
    Receipt first = rig.apply(block(0));
    CompletableFuture<Receipt> beside = duringTheNextCheckpoint(block(1));
    rig.await(rig.store.checkpointNow());
    Receipt second = rig.await(beside);
    assertEquals(first.pendingCheckpoint() + 1, second.pendingCheckpoint());
    assertEquals(first.pendingCheckpoint(), durable());
    passTime();
    assertEquals(second.pendingCheckpoint(), durable());
  }

  /** The disk under the tables is full for a while. */
  private void failCheckpoints(int count) {
    int[] left = {count};
    rig.faults.failWhere(
        operation -> operation.kind() == StorageFaults.Kind.KEY_WRITE && left[0]-- > 0,
        () -> new OutOfSpaceException("no space"));
  }

  private ErrorCode failedCheckpoint() {
    return rig.await(
        rig.store.checkpointNow().handle((number, failure) -> WeftException.of(failure).code()));
  }

  @Test
  void aCheckpointThatFoundNoSpaceIsTriedAgain() {
    Receipt first = rig.apply(block(0));
    failCheckpoints(3);
    passTime();
    assertTrue(durable() < first.pendingCheckpoint());
    passTime();
    assertEquals(first.pendingCheckpoint(), durable());
    Receipt next = rig.apply(block(1));
    assertEquals(first.pendingCheckpoint() + 1, next.pendingCheckpoint());
  }

  @Test
  void aRequestForEverythingCoversCommitsAfterAFailedCheckpoint() {
    rig.apply(block(0));
    failCheckpoints(1);
    assertEquals(ErrorCode.NO_SPACE, failedCheckpoint());
    Receipt second = rig.apply(block(1));
    assertEquals(second.pendingCheckpoint(), rig.await(rig.store.checkpointNow()));
    assertEquals(second.pendingCheckpoint(), durable());
  }

  /** However many checkpoints fail: a start goes past all that was promised of those to come. */
  @Test
  void aProcessThatIsKilledKeepsWhatItPromised() throws Exception {
    rig.apply(block(0));
    failCheckpoints(40);
    for (int i = 0; i < 40; i++) {
      assertEquals(ErrorCode.NO_SPACE, failedCheckpoint());
    }
    CompletableFuture<Receipt> beside = new CompletableFuture<>();
    int[] writes = {0};
    rig.faults.failWhere(
        operation -> {
          if (operation.kind() != StorageFaults.Kind.KEY_WRITE || ++writes[0] > 1) {
            return false;
          }
          var unused = rig.store.apply(block(1)).thenAccept(beside::complete);
          return true;
        },
        () -> new OutOfSpaceException("no space"));
    assertEquals(ErrorCode.NO_SPACE, failedCheckpoint());
    long promised = rig.await(beside).pendingCheckpoint();
    rig.restart();
    passTime();
    assertTrue(durable() >= promised, durable() + " of " + promised);
  }

  /**
   * What a start after a kill has made durable is not taken for lost by the power loss after it.
   */
  @Test
  void bytesThatRotAreNotTakenForLostWithThePower() throws Exception {
    rig.apply(block(0));
    CompletableFuture<Receipt> beside = duringTheNextCheckpoint(block(1));
    var unused = rig.store.checkpointNow();
    rig.await(beside);
    rig.restart();
    rig.segments.rot("segment-00000000", BLOCK + 7);
    rig.losePower();
    rig.open();
    assertEquals(List.of("STRIPE 100:1-1", "STRIPE 100:2-2"), listed(rig.store, 1));
    rig.stop();
    assertFalse(rig.check(true).isSound(), "the damage is there to be found");
  }

  /** The kernel tells of it once, and shows what it has not written until it forgets that, too. */
  @Test
  void aSyncThatFailedIsNotForgottenByTheNextStart() throws Exception {
    rig.apply(block(0));
    rig.await(rig.store.checkpointNow());
    rig.apply(block(1));
    rig.faults.failWhere(
        next -> next.kind() == StorageFaults.Kind.FILE_SYNC && next.target().startsWith("segment-"),
        "input/output error");
    assertEquals(ErrorCode.STORE_FAILED, failedCheckpoint());
    rig.restart();
    assertTrue(rig.store.identity().uncleanReboot(), "clients that heard of it go on without it");
    rig.apply(block(2));
    long checkpoint = rig.await(rig.store.checkpointNow());
    for (int boot = 0; boot < 10; boot++) {
      rig.losePower();
      rig.open();
      assertTrue(checkpoint <= durable());
      for (int number = 0; number < 3; number++) {
        assertArrayEquals(random(number, BLOCK), read(rig.store, 1, (long) number * BLOCK, BLOCK));
      }
    }
  }

  @Test
  void aStartTellsOfWhatAFailedSyncHasLost() throws Exception {
    rig.apply(block(0));
    rig.faults.failWhere(
        next -> next.kind() == StorageFaults.Kind.FILE_SYNC && next.target().startsWith("segment-"),
        "input/output error");
    assertEquals(ErrorCode.STORE_FAILED, failedCheckpoint());
    rig.kill();
    rig.segments.rot("segment-00000000", 7);
    rig.open();
    assertTrue(rig.store.identity().uncleanReboot());
    rig.restart();
    assertTrue(rig.store.identity().uncleanReboot(), "until SysMgr was told");
    assertTrue(rig.segments.list().stream().noneMatch(name -> name.startsWith("unsynced-")));
  }
}
