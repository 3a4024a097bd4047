package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.store.engine.PendingRequests.client;
import static org.weft.osd.store.engine.PendingRequests.complete;
import static org.weft.osd.store.engine.Requests.BLOCK;
import static org.weft.osd.store.engine.Requests.MANAGER;
import static org.weft.osd.store.engine.Requests.object;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.read;
import static org.weft.osd.store.engine.Requests.readOf;
import static org.weft.osd.store.engine.Requests.write;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.osd.store.PassingException;
import org.weft.osd.store.StoreStatus;
import org.weft.osd.store.StoredRange;
import org.weft.osd.store.engine.block.BufferRun;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.FilePayload;
import org.weft.testkit.storage.StorageFaults;

/** Disks that rot, fail and lie. */
class DamageTest {
  private static final String SEGMENT = "segment-00000000";

  private Rig rig;

  @BeforeEach
  void openStore() throws WeftException {
    rig = Rig.small();
  }

  private void assertUnhealthy(String about) {
    StoreStatus status = rig.store.status();
    assertFalse(status.healthy());
    assertTrue(
        status.problems().stream().anyMatch(problem -> problem.contains(about)),
        status.problems().toString());
  }

  @Test
  void anAppendFromTheBeginningOfABlockDoesNotReadIt() throws Exception {
    byte[] data = random(1, 3000);
    rig.apply(write(1, BLOCK, Arrays.copyOf(data, 1000)).build());
    rig.faults.failWhere(next -> next.kind() == StorageFaults.Kind.FILE_READ, "unreadable");
    rig.apply(write(1, BLOCK, Arrays.copyOf(data, 2000)).by(100, 2).complete(1).build());
    rig.apply(write(1, BLOCK, data).by(100, 3).complete(2).build());
    // One that ends before the component does needs what is behind it.
    String message =
        rig.refuse(
            ErrorCode.BAD_MEDIA, write(1, BLOCK, new byte[2999]).by(100, 4).complete(3).build());
    assertTrue(message.contains("block 1 of object 7/1 could not be read"), message);
    rig.faults.failWhere(next -> false, "");
    assertArrayEquals(Arrays.copyOf(data, BLOCK), read(rig.store, 1, BLOCK, BLOCK));
  }

  @Test
  void rottenBytesAreNeverMergedIntoANewBlock() throws Exception {
    byte[] data = random(1, 3 * BLOCK);
    rig.apply(write(1, 0, data).build());
    rig.segments.rot(SEGMENT, BLOCK + 100);
    String message =
        rig.refuse(
            ErrorCode.BAD_MEDIA, write(1, BLOCK + 50, new byte[10]).by(100, 2).complete(1).build());
    assertTrue(message.contains("block 1 of object 7/1 is damaged"), message);
    assertUnhealthy("block 1 of object 7/1");
    // What is read carries the checksum that shows the damage.
    StoredRange result = rig.store.read(readOf(1, 0, data.length));
    ByteBuffer bytes = ByteBuffer.allocate(data.length);
    result.payload().buffers().forEach(bytes::put);
    result.payload().release();
    for (int i = 0; i < 3; i++) {
      int crc = BufferRun.crc(bytes.slice(i * BLOCK, BLOCK));
      assertEquals(i != 1, crc == result.blockCrcs()[i]);
    }
    // Blocks beside it are well, and the whole block written anew heals it.
    rig.apply(write(1, 10, new byte[10]).by(100, 2).complete(1).build());
    rig.apply(write(1, BLOCK, random(5, BLOCK)).by(100, 3).complete(2).build());
    assertArrayEquals(random(5, BLOCK), read(rig.store, 1, BLOCK, BLOCK));
    rig.apply(complete(1, client(100), 3));
    rig.stop();
    rig.assertSound();
  }

  private static boolean[] matches(StoredRange result) {
    ByteBuffer bytes = ByteBuffer.allocate(result.payload().lengthBytes());
    result.payload().buffers().forEach(bytes::put);
    boolean[] matches = new boolean[result.blockCrcs().length];
    for (int i = 0; i < matches.length; i++) {
      matches[i] = BufferRun.crc(bytes.slice(i * BLOCK, BLOCK)) == result.blockCrcs()[i];
    }
    return matches;
  }

  /** Its checksum is that of zeros, too: the reader must not take zeros for what was written. */
  @Test
  void unreadableBlocksAreSentAsBlocksThatDoNotMatch() throws Exception {
    byte[] data = random(1, 4 * BLOCK);
    Arrays.fill(data, 2 * BLOCK, 3 * BLOCK, (byte) 0);
    rig.apply(write(1, 0, data).build());
    StoredRange before = rig.store.readNow(readOf(1, 0, data.length)).orElseThrow();
    rig.segments.makeUnreadable(SEGMENT, BLOCK);
    rig.segments.makeUnreadable(SEGMENT, 2 * BLOCK);
    boolean[] expected = {true, false, false, true};
    assertArrayEquals(expected, matches(before), "found out while it is sent");
    before.payload().release();
    assertUnhealthy("block 1 of segment 0");
    assertTrue(
        rig.store.readNow(readOf(1, 0, data.length)).isEmpty(), "a thread must wait for the disk");
    StoredRange after = rig.store.read(readOf(1, 0, data.length));
    assertFalse(after.payload() instanceof FilePayload);
    assertArrayEquals(expected, matches(after));
    after.payload().release();
    rig.apply(write(1, BLOCK, random(2, 2 * BLOCK)).by(100, 2).complete(1).build());
    StoredRange healed = rig.store.readNow(readOf(1, 0, data.length)).orElseThrow();
    assertArrayEquals(new boolean[] {true, true, true, true}, matches(healed));
    healed.payload().release();
  }

  /** A manager sends what is in its journal again after a power loss; no other process will. */
  @Test
  void aDamagedBlockIsReplacedByTheSameRecord() throws Exception {
    byte[] data = random(1, 3 * BLOCK);
    rig.apply(Requests.blocks(1, 5, data, 0, 1, 2));
    rig.segments.rot(SEGMENT, BLOCK + 100);
    assertThrows(AssertionError.class, () -> assertArrayEquals(data, checked(1, data.length)));
    byte[] older = random(2, BLOCK);
    rig.apply(Requests.blocks(1, 4, older, 1));
    assertThrows(AssertionError.class, () -> assertArrayEquals(data, checked(1, data.length)));
    rig.apply(Requests.blocks(1, 5, data, 0, 1, 2));
    assertArrayEquals(data, checked(1, data.length));
    rig.stop();
    rig.assertSound();
  }

  private byte[] checked(long object, int lengthBytes) throws WeftException {
    return read(rig.store, object, 0, lengthBytes);
  }

  @Test
  void aFailedReadOfOldBytesIsReported() throws Exception {
    rig.apply(write(1, 0, random(1, BLOCK)).build());
    rig.faults.failWhere(
        operation -> operation.kind() == StorageFaults.Kind.FILE_READ, "unreadable sector");
    rig.refuse(ErrorCode.BAD_MEDIA, write(1, 50, new byte[10]).by(100, 2).complete(1).build());
    assertUnhealthy("unreadable sector");
    rig.apply(write(1, 0, random(2, BLOCK)).by(100, 3).complete(2).build());
    rig.faults.failWhere(operation -> false, "");
    assertArrayEquals(random(2, BLOCK), read(rig.store, 1, 0, BLOCK));
  }

  @Test
  void aFailedWriteOfBytesChangesNothing() throws Exception {
    byte[] data = random(1, BLOCK);
    rig.apply(write(1, 0, data).build());
    rig.faults.failWhere(
        operation -> operation.kind() == StorageFaults.Kind.FILE_WRITE, "bad sector");
    rig.refuse(ErrorCode.BAD_MEDIA, write(1, 0, random(2, BLOCK)).by(100, 2).complete(1).build());
    assertUnhealthy("bad sector");
    assertArrayEquals(data, read(rig.store, 1, 0, BLOCK));
    rig.faults.failWhere(operation -> false, "");
    rig.apply(write(1, 0, random(2, BLOCK)).by(100, 2).complete(1).build());
    assertArrayEquals(random(2, BLOCK), read(rig.store, 1, 0, BLOCK));
    rig.stop();
    rig.assertSound();
  }

  @Test
  void afterAFailedSyncNothingIsPromisedAnyMore() throws Exception {
    // Too much for the tables to hold a copy.
    byte[] data = random(1, 9 * BLOCK);
    rig.apply(write(1, 0, data).durable().build());
    rig.faults.failWhere(
        operation ->
            operation.kind() == StorageFaults.Kind.FILE_SYNC
                && operation.target().startsWith("segment-"),
        "lost page");
    rig.refuse(ErrorCode.STORE_FAILED, write(2, 0, data).durable().build());
    assertUnhealthy("lost page");
    rig.faults.failWhere(operation -> false, "");
    // A second sync that succeeds would prove nothing.
    String message = rig.refuse(ErrorCode.STORE_FAILED, write(3, 0, data).durable().build());
    assertTrue(message.contains("start the OSD again"), message);
    assertThrows(RuntimeException.class, () -> rig.await(rig.store.checkpointNow()));
    assertArrayEquals(data, read(rig.store, 1, 0, data.length));
    rig.stop();
    assertFalse(rig.check(true).orderly());
    rig.open();
    rig.apply(write(3, 0, data).durable().build());
    rig.stop();
    rig.assertSound();
  }

  @Test
  void aFailedCommitLeavesTheStoreReadOnly() throws Exception {
    byte[] data = random(1, BLOCK);
    rig.apply(write(1, 0, data).build());
    rig.faults.failWhere(
        operation -> operation.kind() == StorageFaults.Kind.KEY_WRITE, "log write failed");
    rig.refuse(
        ErrorCode.STORE_FAILED, write(1, 0, random(2, BLOCK)).by(100, 2).complete(1).build());
    assertUnhealthy("log write failed");
    rig.faults.failWhere(operation -> false, "");
    rig.refuse(ErrorCode.STORE_FAILED, write(3, 0, data).build());
    assertArrayEquals(data, read(rig.store, 1, 0, BLOCK));
    rig.restart();
    assertArrayEquals(data, read(rig.store, 1, 0, BLOCK));
    rig.apply(write(3, 0, data).build());
    rig.stop();
    rig.assertSound();
  }

  @Test
  void unreadableTablesAreBadMedia() throws Exception {
    rig.apply(write(1, 0, random(1, BLOCK)).build());
    rig.restart();
    rig.faults.failWhere(
        operation -> operation.kind() == StorageFaults.Kind.KEY_READ, "table unreadable");
    WeftException thrown =
        assertThrows(WeftException.class, () -> rig.store.attributes(object(1), MANAGER));
    assertEquals(ErrorCode.BAD_MEDIA, thrown.code());
    rig.refuse(ErrorCode.BAD_MEDIA, write(1, 0, random(1, BLOCK)).by(100, 2).build());
    rig.refuse(ErrorCode.BAD_MEDIA, Requests.removal(1, 1000));
    assertUnhealthy("table unreadable");
    rig.faults.failWhere(operation -> false, "");
    assertEquals(BLOCK, rig.store.attributes(object(1), MANAGER).usedBytes());
  }

  /** A rebuild would take a block that it asked for as lost for good. */
  @Test
  void wantOfDescriptorsIsNoDamage() throws Exception {
    rig.apply(write(1, 0, random(1, BLOCK)).build());
    rig.restart();
    rig.faults.failWhere(
        operation -> operation.kind() == StorageFaults.Kind.KEY_READ,
        () -> new PassingException("Too many open files", null));
    WeftException thrown =
        assertThrows(WeftException.class, () -> rig.store.read(readOf(1, 0, BLOCK)));
    assertEquals(ErrorCode.BUSY, thrown.code());
    assertFalse(thrown.code().isDamage());
    rig.refuse(ErrorCode.BUSY, write(1, 0, random(1, BLOCK)).by(100, 2).build());
    rig.refuse(ErrorCode.BUSY, Requests.removal(1, 1000));
    rig.faults.failWhere(operation -> false, "");
    assertArrayEquals(random(1, BLOCK), read(rig.store, 1, 0, BLOCK));
  }

  /** Every call to the disk fails once, one after another, under one write. */
  @Test
  void aWriteFailsAsAWholeWhereverTheDiskFails() throws Exception {
    byte[] before = random(1, 5 * BLOCK);
    byte[] after = before.clone();
    byte[] data = random(2, 2 * BLOCK);
    System.arraycopy(data, 0, after, BLOCK / 2, data.length);
    boolean succeeded = false;
    for (int fatal = 1; !succeeded; fatal++) {
      rig = Rig.small();
      rig.apply(write(1, 0, before).build());
      long base = rig.faults.operations();
      long at = base + fatal;
      rig.faults.failWhere(operation -> operation.number() == at, "once");
      var stage =
          rig.store
              .apply(write(1, BLOCK / 2, data).by(100, 2).complete(1).durable().build())
              .toCompletableFuture();
      rig.time.runUntil("the write is done", stage::isDone);
      succeeded = rig.faults.operations() < at;
      assertEquals(succeeded, !stage.isCompletedExceptionally());
      rig.restart();
      byte[] now = read(rig.store, 1, 0, before.length);
      assertTrue(
          Arrays.equals(now, after) || (!succeeded && Arrays.equals(now, before)),
          "failed at " + fatal);
      rig.apply(write(1, BLOCK / 2, data).by(100, 2).complete(1).durable().build());
      assertArrayEquals(after, read(rig.store, 1, 0, before.length));
      rig.stop();
      rig.assertSound();
    }
  }
}
