package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.store.engine.PendingRequests.client;
import static org.weft.osd.store.engine.PendingRequests.complete;
import static org.weft.osd.store.engine.PendingRequests.exchange;
import static org.weft.osd.store.engine.Requests.BLOCK;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.read;
import static org.weft.osd.store.engine.Requests.readOf;
import static org.weft.osd.store.engine.Requests.removal;
import static org.weft.osd.store.engine.Requests.write;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.osd.store.Durability;
import org.weft.osd.store.OutOfSpaceException;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.StoreStatus;
import org.weft.osd.store.StoredRange;
import org.weft.osd.store.engine.state.Health;
import org.weft.protocol.error.ErrorCode;
import org.weft.testkit.storage.StorageFaults;

/** No space: refused with a clear text, nothing else harmed, and over as soon as there is some. */
class FullStoreTest {
  private static final int BLOCKS = 1024;
  private static final int RESERVE = 100;

  private static Rig rig(Durability durability) throws Exception {
    return new Rig(
        1,
        new StoreOptions(
            BLOCKS * (long) BLOCK,
            RESERVE * (long) BLOCK,
            300L * BLOCK,
            70L * BLOCK,
            5_000,
            durability));
  }

  private static Rig rig() throws Exception {
    return rig(Durability.WRITE_BACK);
  }

  @Test
  void clientsLeaveTheReserveToManagers() throws Exception {
    Rig rig = rig();
    for (int i = 0; i < (BLOCKS - RESERVE) / 4; i++) {
      rig.apply(write(1 + i, 0, random(i, 4 * BLOCK)).build());
    }
    assertEquals(RESERVE * (long) BLOCK, rig.store.status().freeBytes());
    String message = rig.refuse(ErrorCode.NO_SPACE, write(999, 0, random(1, 1)).build());
    assertTrue(message.contains("409600 bytes are free"), message);
    for (int i = 0; i < RESERVE; i++) {
      rig.apply(Requests.blocks(2000, 10, random(i, BLOCK), i));
    }
    rig.refuse(ErrorCode.NO_SPACE, Requests.blocks(2000, 10, random(1, BLOCK), RESERVE));
    assertEquals(0, rig.store.status().freeBytes());
    for (int i = 0; i < (BLOCKS - RESERVE) / 4; i++) {
      assertArrayEquals(random(i, 4 * BLOCK), read(rig.store, 1 + i, 0, 4 * BLOCK));
    }
    assertEquals(List.of(), rig.store.status().problems());
    rig.stop();
    rig.assertSound();
  }

  @Test
  void overwritesMayUseTheReserve() throws Exception {
    Rig rig = rig();
    int blocks = BLOCKS - RESERVE;
    for (int i = 0; i < blocks; i += 4) {
      rig.apply(write(1, (long) i * BLOCK, random(i, 4 * BLOCK)).by(100, i + 1).build());
    }
    byte[] anew = random(77, 80 * BLOCK);
    rig.apply(write(1, 0, anew).by(100, 5000).complete(4999).build());
    assertArrayEquals(anew, read(rig.store, 1, 0, anew.length));
    // One block more than there was is growth.
    rig.refuse(
        ErrorCode.NO_SPACE,
        write(1, (blocks - 1) * (long) BLOCK, random(1, 2 * BLOCK))
            .by(100, 5001)
            .complete(5000)
            .build());
  }

  /** P 5.4: else small appends would use up what overwrites rely on. */
  @Test
  void onlyAnOverwritingXorMayUseTheReserve() throws Exception {
    Rig rig = rig();
    int blocks = BLOCKS - RESERVE;
    for (int i = 0; i < blocks; i += 4) {
      rig.apply(write(1, (long) i * BLOCK, random(i, 4 * BLOCK)).by(100, i + 1).build());
    }
    rig.apply(complete(1, client(100), blocks));
    rig.apply(exchange(1, 5 * BLOCK, random(7, 100), client(101), 1, 0));
    rig.refuse(
        ErrorCode.NO_SPACE, exchange(1, blocks * (long) BLOCK, random(8, 100), client(101), 2, 1));
  }

  @Test
  void overwrittenBlocksAreReusedAfterACheckpoint() throws Exception {
    for (Durability durability : Durability.values()) {
      Rig rig = rig(durability);
      // Far more than fits, each over the last.
      for (int i = 1; i <= 60; i++) {
        byte[] data = random(i, 100 * BLOCK);
        rig.apply(write(1, 0, data).by(100, i).complete(i - 1).build());
        assertArrayEquals(data, read(rig.store, 1, 0, data.length));
      }
      rig.apply(complete(1, client(100), 60));
      rig.await(rig.store.checkpointNow());
      assertEquals(100 * BLOCK, rig.store.status().usedBytes());
      rig.stop();
      rig.assertSound();
    }
  }

  @Test
  void removedObjectsMakeRoom() throws Exception {
    Rig rig = rig();
    for (int i = 1; i <= 40; i++) {
      rig.apply(write(i, 0, random(i, 600 * BLOCK)).build());
      rig.apply(removal(i, 500));
    }
    rig.stop();
    rig.assertSound();
  }

  @Test
  void aReaderKeepsItsBlocksEvenIfOthersGoWithout() throws Exception {
    Rig rig = rig();
    byte[] old = random(1, 500 * BLOCK);
    rig.apply(write(1, 0, old).build());
    StoredRange reading = rig.store.read(readOf(1, 0, old.length));
    rig.apply(removal(1, 500));
    rig.await(rig.store.checkpointNow());
    assertEquals(500 * BLOCK, rig.store.status().usedBytes());
    rig.refuse(ErrorCode.NO_SPACE, write(2, 0, random(2, 500 * BLOCK)).build());
    rig.apply(write(2, 0, random(2, 400 * BLOCK)).build());
    assertArrayEquals(old, Requests.bytes(reading, 0, old.length));
    reading.payload().release();
    reading.payload().release();
    assertEquals(400 * BLOCK, rig.store.status().usedBytes());
    rig.apply(write(3, 0, random(3, 500 * BLOCK)).build());
    rig.stop();
    rig.assertSound();
  }

  @Test
  void aFailedGrowthFailsItsWritesAndNotTheStore() throws Exception {
    Rig rig = new Rig(1, StoreOptions.ofCapacity(64 << 20));
    rig.faults.failWhere(next -> next.kind() == StorageFaults.Kind.FILE_RESIZE, "a bad place");
    List<CompletableFuture<Receipt>> writes = new ArrayList<>();
    for (int i = 1; i <= 2 * Health.MAX_FAILED_WRITES; i++) {
      writes.add(rig.store.apply(write(i, 0, random(i, BLOCK)).build()).toCompletableFuture());
    }
    rig.time.runUntil("all are done", () -> writes.stream().allMatch(CompletableFuture::isDone));
    assertTrue(writes.stream().allMatch(CompletableFuture::isCompletedExceptionally));
    assertFalse(rig.store.hasFailed());
    rig.faults.failWhere(next -> false, "");
    rig.apply(write(99, 0, random(1, BLOCK)).build());
  }

  @Test
  void segmentsOnAFullDiskGiveNoSpaceUntilSpaceReturns() throws Exception {
    Rig rig = new Rig(1, StoreOptions.ofCapacity(64 << 20));
    rig.apply(write(1, 0, random(1, 4 << 20)).build());
    rig.segments.limitBytes(0);
    int written = 0;
    ErrorCode refused = null;
    while (refused == null) {
      var stage = rig.store.apply(write(2 + written, 0, random(written, 1 << 20)).build());
      rig.time.runUntil("a write is done", stage.toCompletableFuture()::isDone);
      if (stage.toCompletableFuture().isCompletedExceptionally()) {
        refused = ErrorCode.NO_SPACE;
        String message = rig.refuse(ErrorCode.NO_SPACE, write(999, 0, random(1, 1 << 20)).build());
        assertTrue(message.contains("the disk under the store is full"), message);
      } else {
        written++;
      }
    }
    assertTrue(written < 60);
    assertEquals(List.of(), rig.store.status().problems());
    rig.segments.limitBytes(Long.MAX_VALUE);
    rig.apply(write(999, 0, random(1, 1 << 20)).build());
    for (int i = 0; i < written; i++) {
      assertArrayEquals(random(i, 1 << 20), read(rig.store, 2 + i, 0, 1 << 20));
    }
    rig.stop();
    rig.assertSound();
  }

  @Test
  void tablesOnAFullDiskGiveNoSpaceUntilSpaceReturns() throws Exception {
    Rig rig = new Rig(1, StoreOptions.ofCapacity(64 << 20));
    rig.apply(write(1, 0, random(1, BLOCK)).build());
    long used = rig.store.status().usedBytes();
    rig.faults.failWhere(
        operation -> operation.kind() == StorageFaults.Kind.KEY_WRITE,
        () -> new OutOfSpaceException("3 bytes are free"));
    String message = rig.refuse(ErrorCode.NO_SPACE, write(2, 0, random(2, BLOCK)).build());
    assertTrue(message.contains("no space for the store's tables"), message);
    assertEquals(used, rig.store.status().usedBytes());
    rig.faults.failWhere(operation -> false, "");
    rig.apply(write(2, 0, random(2, BLOCK)).build());
    assertEquals(2, rig.store.status().objects());
    // A disk that fills up in the middle of a commit leaves the outcome open.
    rig.faults.failWhere(
        operation -> operation.kind() == StorageFaults.Kind.KEY_WRITE, "No space left on device");
    rig.refuse(ErrorCode.STORE_FAILED, write(3, 0, random(3, BLOCK)).build());
    rig.faults.failWhere(operation -> false, "");
    rig.refuse(ErrorCode.STORE_FAILED, write(3, 0, random(3, BLOCK)).build());
    rig.restart();
    rig.apply(write(3, 0, random(3, BLOCK)).build());
  }

  @Test
  void capacityMayGrowAndShrinkBetweenStarts() throws Exception {
    Rig rig = rig();
    rig.apply(write(1, 0, random(1, 900 * BLOCK)).build());
    rig.stop();
    rig.options = StoreOptions.ofCapacity(3000L * BLOCK);
    rig.open();
    rig.apply(write(2, 0, random(2, 1500 * BLOCK)).build());
    assertEquals(3000L * BLOCK, rig.store.status().capacityBytes());
    rig.stop();
    rig.options = StoreOptions.ofCapacity(500L * BLOCK);
    rig.open();
    StoreStatus status = rig.store.status();
    assertTrue(status.capacityBytes() >= 2400L * BLOCK, status.toString());
    assertArrayEquals(random(1, 900 * BLOCK), read(rig.store, 1, 0, 900 * BLOCK));
    assertArrayEquals(random(2, 1500 * BLOCK), read(rig.store, 2, 0, 1500 * BLOCK));
    rig.stop();
    rig.assertSound();
  }
}
