package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.store.engine.Requests.BLOCK;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.removal;
import static org.weft.osd.store.engine.Requests.write;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.osd.store.OutOfSpaceException;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.engine.change.Reaper;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.KeyValueStore;
import org.weft.testkit.storage.StorageFaults;

/** Blocks of large objects that were removed are freed while the store runs, whatever it meets. */
class ReaperTest {
  private static final int PAGES = 200;

  private Rig rig;

  @BeforeEach
  void aLargeObject() throws WeftException {
    rig = Rig.small();
    for (int i = 0; i < PAGES; i++) {
      // One page of extents each.
      rig.apply(write(1, i * 512L * 1024, random(i, BLOCK)).by(100, i + 1).build());
    }
    rig.await(rig.store.checkpointNow());
    assertEquals((long) PAGES * BLOCK, rig.store.status().usedBytes());
  }

  /** From the first commit after the removal's on so many fail. */
  private int[] failReaps(StorageFaults.Kind kind, int count, IOException failure) {
    int[] left = {count};
    rig.faults.failWhere(
        operation -> operation.kind() == kind && left[0] > 0 && left[0]-- > 0, () -> failure);
    return left;
  }

  private void passRetries(int count) {
    rig.time.pass(count * (Reaper.RETRY_NANOS + 1_000_000));
    rig.await(rig.store.checkpointNow());
  }

  private void assertAllIsFreed() throws IOException {
    assertEquals(0, rig.store.status().usedBytes());
    rig.stop();
    rig.assertSound();
  }

  @Test
  void aCommitThatFoundNoSpaceForTheTablesIsTriedAgain() throws Exception {
    rig.apply(removal(1, 200));
    int[] left = failReaps(StorageFaults.Kind.KEY_WRITE, 3, new OutOfSpaceException("no space"));
    passRetries(1);
    assertTrue(rig.store.status().usedBytes() > 0, "it is refused again");
    passRetries(4);
    assertEquals(0, left[0]);
    assertAllIsFreed();
  }

  @Test
  void tablesThatCouldNotBeReadAreReadAgain() throws Exception {
    rig.apply(removal(1, 200));
    failReaps(StorageFaults.Kind.KEY_READ, 1, new IOException("a bad sector"));
    passRetries(2);
    assertAllIsFreed();
  }

  @Test
  void aRefusalDoesNotKeepTheStoreBusy() throws WeftException {
    rig.apply(removal(1, 200));
    int[] left = failReaps(StorageFaults.Kind.KEY_WRITE, 1000, new OutOfSpaceException("no space"));
    rig.time.pass(10 * Reaper.RETRY_NANOS);
    // Checkpoints fail as well, each once per interval.
    assertTrue(left[0] > 950, () -> "it was tried " + (1000 - left[0]) + " times in 50 s");
  }

  /** Tables at which something happens while a commit is on its way to them. */
  private static final class InterruptedTables extends TablesBetween {
    private Runnable meanwhile = () -> {};

    InterruptedTables(KeyValueStore tables) {
      super(tables);
    }

    @Override
    public void write(Batch batch, boolean sync) throws IOException {
      Runnable now = meanwhile;
      meanwhile = () -> {};
      now.run();
      super.write(batch, sync);
    }
  }

  @Test
  void aReapBesideARefusedWriteIsRetried() throws Exception {
    rig.stop();
    InterruptedTables tables = new InterruptedTables(rig.tables);
    rig.open(tables);
    rig.apply(removal(1, 200));
    failReaps(StorageFaults.Kind.KEY_WRITE, 1, new OutOfSpaceException("no space"));
    rig.time.pass(1_000_000);
    List<CompletionStage<Receipt>> refused = new ArrayList<>();
    int[] writes = {0};
    tables.meanwhile =
        () -> {
          // Both wait for the commit under way, and are then committed together.
          refused.add(rig.store.apply(write(3, 0, random(3, BLOCK)).build()));
          rig.time.pass(Reaper.RETRY_NANOS + 1_000_000);
          rig.faults.failWhere(
              next -> next.kind() == StorageFaults.Kind.KEY_WRITE && ++writes[0] == 2,
              () -> new OutOfSpaceException("no space"));
        };
    rig.apply(write(2, 0, random(2, BLOCK)).build());
    CompletionException thrown =
        assertThrows(CompletionException.class, () -> rig.await(refused.get(0)));
    assertEquals(ErrorCode.NO_SPACE, WeftException.of(thrown).code());
    passRetries(4);
    assertEquals(BLOCK, rig.store.status().usedBytes());
    rig.stop();
    rig.assertSound();
  }

  @Test
  void theNextStartFreesTheRestAfterCloseOrFailure() throws Exception {
    rig.apply(removal(1, 200));
    failReaps(StorageFaults.Kind.KEY_WRITE, 1, new OutOfSpaceException("no space"));
    rig.time.pass(1_000_000);
    rig.stop();
    rig.time.pass(2 * Reaper.RETRY_NANOS);
    rig.open();
    failReaps(StorageFaults.Kind.KEY_WRITE, 1, new IOException("the disk is broken"));
    rig.time.pass(4 * Reaper.RETRY_NANOS);
    assertTrue(rig.store.status().usedBytes() > 0);
    rig.restart();
    rig.time.pass(1_000_000);
    rig.await(rig.store.checkpointNow());
    assertAllIsFreed();
  }
}
