package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.store.engine.PendingRequests.abort;
import static org.weft.osd.store.engine.PendingRequests.client;
import static org.weft.osd.store.engine.PendingRequests.complete;
import static org.weft.osd.store.engine.Requests.BLOCK;
import static org.weft.osd.store.engine.Requests.MANAGER;
import static org.weft.osd.store.engine.Requests.blocks;
import static org.weft.osd.store.engine.Requests.lsn;
import static org.weft.osd.store.engine.Requests.object;
import static org.weft.osd.store.engine.Requests.punch;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.read;
import static org.weft.osd.store.engine.Requests.readOf;
import static org.weft.osd.store.engine.Requests.truncation;
import static org.weft.osd.store.engine.Requests.write;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.osd.store.ObjectAttributes;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.StoredRange;
import org.weft.osd.store.mutation.BlockRelease;
import org.weft.osd.store.mutation.ObjectPunch;
import org.weft.osd.store.mutation.ObjectTruncation;
import org.weft.osd.store.mutation.VersionRaise;
import org.weft.osd.store.value.BlockRun;
import org.weft.osd.store.value.Stamp;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** Truncation and punching (P 4.3). */
class ReleaseTest {
  private static final int PAGE_BLOCKS = 128;

  private Rig rig;

  @BeforeEach
  void openStore() throws WeftException {
    rig = Rig.small();
  }

  @AfterEach
  void theStoreIsSound() throws IOException {
    rig.stop();
    rig.assertSound();
  }

  private void sync() {
    rig.await(rig.store.checkpointNow());
  }

  @Test
  void truncatedBlocksAreFreedAndReadAsZeros() throws Exception {
    byte[] data = random(1, 20 * BLOCK);
    rig.apply(write(1, 0, data).build());
    rig.apply(truncation(1, 7L * BLOCK, 1, 100, 2));
    byte[] expected = Arrays.copyOf(Arrays.copyOf(data, 7 * BLOCK), 20 * BLOCK);
    assertArrayEquals(expected, read(rig.store, 1, 0, 20 * BLOCK));
    ObjectAttributes attributes = rig.store.attributes(object(1), MANAGER);
    assertEquals(7 * BLOCK, attributes.componentBytes());
    assertEquals(7 * BLOCK, attributes.eofBytes());
    assertEquals(1, attributes.truncationNumber());
    assertEquals(7 * BLOCK, attributes.usedBytes());
    sync();
    assertEquals(7 * BLOCK, rig.store.status().usedBytes());
    rig.restart();
    assertArrayEquals(expected, read(rig.store, 1, 0, 20 * BLOCK));
  }

  @Test
  void cutBlocksWaitForTheirReaders() throws Exception {
    byte[] data = random(1, 20 * BLOCK);
    rig.apply(write(1, 0, data).build());
    sync();
    StoredRange result = rig.store.read(readOf(1, 0, 20 * BLOCK));
    rig.apply(truncation(1, 0, 1, 100, 2));
    sync();
    assertEquals(20 * BLOCK, rig.store.status().usedBytes());
    assertArrayEquals(data, Requests.bytes(result, 0, 20 * BLOCK));
    result.payload().release();
    assertEquals(0, rig.store.status().usedBytes());
  }

  @Test
  void aLateTruncationCutsNothingNewer() throws Exception {
    rig.apply(write(1, 0, random(1, 10 * BLOCK)).build());
    BlockRelease cut = truncation(1, 2L * BLOCK, 1, 100, 2);
    rig.apply(cut);
    byte[] newer = random(2, BLOCK);
    rig.apply(write(1, 5L * BLOCK, newer).by(100, 3).eof(6L * BLOCK, 1).build());
    rig.apply(cut);
    assertArrayEquals(newer, read(rig.store, 1, 5L * BLOCK, BLOCK));
    assertEquals(6 * BLOCK, rig.store.attributes(object(1), MANAGER).eofBytes());
    assertEquals(6 * BLOCK, rig.store.attributes(object(1), MANAGER).componentBytes());
    // One of another grant, that comes before the newer write in the order of ids.
    rig.apply(truncation(1, 0, 1, 99, 50));
    assertArrayEquals(newer, read(rig.store, 1, 5L * BLOCK, BLOCK));
    // One that is complete is answered without a look.
    rig.apply(write(1, 9L * BLOCK, newer).by(100, 4).complete(3).eof(9L * BLOCK, 1).build());
    rig.apply(truncation(1, 0, 7, 100, 3));
    assertEquals(1, rig.store.attributes(object(1), MANAGER).truncationNumber());
  }

  @Test
  void aWriteFromBeforeATruncationIsRefused() throws Exception {
    byte[] data = random(1, 10 * BLOCK);
    rig.apply(write(1, 0, data).build());
    var late = write(1, 8L * BLOCK, random(2, BLOCK)).by(100, 2).complete(1).build();
    rig.apply(truncation(1, 4L * BLOCK, 1, 100, 3));
    // It is complete: answered, and not executed.
    rig.apply(late);
    assertArrayEquals(new byte[BLOCK], read(rig.store, 1, 8L * BLOCK, BLOCK));
    String why =
        rig.refuse(
            ErrorCode.FENCED,
            write(1, 8L * BLOCK, random(2, BLOCK)).by(100, 4).complete(3).build());
    assertTrue(why.contains("truncation number"), why);
    rig.refuse(ErrorCode.FENCED, write(1, 0, new byte[0]).by(101, 1).eof(1 << 20, 0).build());
    assertEquals(4 * BLOCK, rig.store.attributes(object(1), MANAGER).eofBytes());
    assertEquals(4 * BLOCK, rig.store.attributes(object(1), MANAGER).usedBytes());
  }

  @Test
  void blocksOfSeveralStripesAreCutByTheirOwnIds() throws Exception {
    int unit = 16 * BLOCK;
    rig.apply(write(1, 0, random(1, 4 * unit)).by(100, 5).sequences(4).complete(4).build());
    // Stripes 5 and 6 are older than 6, 7 and 8 are not.
    rig.apply(new VersionRaise(object(1), MANAGER, lsn(90)));
    rig.apply(truncation(1, 0, 1, 100, 6));
    assertEquals(
        List.of(new Stamp(32, 16, lsn(100), 7), new Stamp(48, 16, lsn(100), 8)),
        rig.store.stamps(readOf(1, 0, 4 * unit)).stamps());
    assertEquals(4 * unit, rig.store.attributes(object(1), MANAGER).componentBytes());
    sync();
    assertEquals(2 * unit, rig.store.status().usedBytes());
  }

  @Test
  void bytesThatReturnBehindTheEndBelongToTheComponent() throws Exception {
    byte[] data = random(1, 6 * BLOCK);
    rig.apply(write(1, 0, data).build());
    rig.apply(write(1, 5L * BLOCK, new byte[BLOCK]).by(100, 3).complete(1).build());
    // The record keeps the old block; the zeros in its place go, and then the end.
    rig.apply(new ObjectPunch(object(1), client(100), 5L * BLOCK, BLOCK, 4, 1, 0));
    rig.apply(truncation(1, 2L * BLOCK, 1, 100, 2));
    rig.apply(abort(1, client(100), 3, 1));
    assertEquals(6L * BLOCK, rig.store.attributes(object(1), MANAGER).componentBytes());
    byte[] last = Arrays.copyOfRange(data, 5 * BLOCK, 6 * BLOCK);
    assertArrayEquals(last, read(rig.store, 1, 5L * BLOCK, BLOCK));
    rig.apply(write(1, 5L * BLOCK, new byte[100]).eof(6L * BLOCK, 1).by(100, 5).build());
    Arrays.fill(last, 0, 100, (byte) 0);
    assertArrayEquals(last, read(rig.store, 1, 5L * BLOCK, BLOCK));
  }

  @Test
  void aPunchGivesBackZerosAndNothingElse() throws Exception {
    byte[] data = random(1, 10 * BLOCK);
    rig.apply(write(1, 0, data).build());
    rig.apply(write(1, 3L * BLOCK, new byte[4 * BLOCK]).by(100, 2).complete(1).build());
    rig.apply(write(1, 6L * BLOCK, new byte[BLOCK]).by(100, 4).complete(2).build());
    byte[] before = read(rig.store, 1, 0, 10 * BLOCK);
    rig.apply(punch(1, 0, 10L * BLOCK, 100, 3));
    assertArrayEquals(before, read(rig.store, 1, 0, 10 * BLOCK));
    StoredRange result = rig.store.read(readOf(1, 0, 10 * BLOCK));
    // Block 6 was written again, later.
    assertEquals(List.of(new BlockRun(0, 3), new BlockRun(6, 4)), result.runs());
    result.payload().release();
    ObjectAttributes attributes = rig.store.attributes(object(1), MANAGER);
    assertEquals(10 * BLOCK, attributes.eofBytes());
    assertEquals(10 * BLOCK, attributes.componentBytes());
    rig.apply(complete(1, client(100), 4));
    sync();
    assertEquals(7 * BLOCK, rig.store.status().usedBytes());
  }

  @Test
  void aLongComponentIsCutInParts() throws Exception {
    for (int part = 0; part < 5; part++) {
      long first = part * 250L;
      long[] numbers =
          LongStream.range(first, first + 250).map(page -> page * PAGE_BLOCKS + 3).toArray();
      rig.apply(blocks(1, 50, random(part, 250 * BLOCK), numbers));
    }
    BlockRelease cut = truncation(1, 10L * PAGE_BLOCKS * BLOCK, 1, 100, 1);
    Receipt first = rig.apply(cut);
    assertTrue(first.resumeBlock() > 0);
    // Killed between the parts: the whole of it is repeated.
    rig.restart();
    assertTrue(rig.store.attributes(object(1), MANAGER).usedBytes() < 1_250L * BLOCK);
    int parts = 0;
    for (Receipt receipt = rig.apply(cut); receipt.resumeBlock() > 0; parts++) {
      receipt = rig.apply(cut.resumedAt(receipt.resumeBlock()));
    }
    assertEquals(1, parts);
    assertEquals(10 * BLOCK, rig.store.attributes(object(1), MANAGER).usedBytes());
    assertEquals(
        10L * PAGE_BLOCKS * BLOCK, rig.store.attributes(object(1), MANAGER).componentBytes());
    sync();
    assertEquals(10 * BLOCK, rig.store.status().usedBytes());
  }

  @Test
  void aCutWithoutTheRightIsRefused() throws Exception {
    rig.refuse(ErrorCode.NO_SUCH_OBJECT, truncation(1, 0, 1, 100, 1));
    byte[] data = random(1, 2 * BLOCK);
    rig.apply(write(1, 0, data).build());
    rig.refuse(ErrorCode.INVALID_ARGUMENT, truncation(1, 100, 1, 100, 2));
    rig.refuse(ErrorCode.INVALID_ARGUMENT, truncation(1, 0, 1, 100, 0));
    rig.refuse(ErrorCode.INVALID_ARGUMENT, punch(1, 0, 100, 100, 2));
    rig.refuse(ErrorCode.INVALID_ARGUMENT, punch(1, -BLOCK, BLOCK, 100, 2));
    rig.apply(new VersionRaise(object(1), MANAGER, lsn(101)));
    rig.refuse(ErrorCode.FENCED, truncation(1, 0, 1, 100, 2));
    rig.refuse(ErrorCode.FENCED, punch(1, 0, BLOCK, 100, 2));
    assertArrayEquals(data, read(rig.store, 1, 0, 2 * BLOCK));
  }

  @Test
  void truncatedBytesDoNotReturnAfterAPowerLoss() throws Exception {
    for (long seed = 0; seed < 20; seed++) {
      Rig other = new Rig(seed, rig.options);
      byte[] older = random(seed, 8 * BLOCK);
      other.apply(write(1, 0, older).durable().build());
      other.apply(write(1, 0, random(seed + 100, 8 * BLOCK)).by(100, 2).complete(1).build());
      other.await(other.store.apply(durable(truncation(1, 0, 1, 100, 3))));
      byte[] newer = random(seed + 200, 8 * BLOCK);
      other.apply(write(1, 0, newer).by(100, 4).complete(3).eof(8L * BLOCK, 1).build());
      other.losePower();
      other.open();
      StoredRange result = other.store.read(readOf(1, 0, 8 * BLOCK));
      for (Stamp stamp : result.stamps()) {
        assertEquals(4, stamp.sequence(), "seed " + seed);
      }
      result.payload().release();
      other.stop();
    }
  }

  private static ObjectTruncation durable(ObjectTruncation cut) {
    return new ObjectTruncation(
        cut.name(),
        cut.authority(),
        cut.lengthBytes(),
        cut.eofBytes(),
        cut.truncationNumber(),
        cut.sequence(),
        cut.completeUpTo(),
        0,
        true);
  }
}
