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
import static org.weft.osd.store.engine.Requests.blocks;
import static org.weft.osd.store.engine.Requests.lsn;
import static org.weft.osd.store.engine.Requests.object;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.read;
import static org.weft.osd.store.engine.Requests.readOf;
import static org.weft.osd.store.engine.Requests.removal;
import static org.weft.osd.store.engine.Requests.write;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.osd.store.MutationOutcome;
import org.weft.osd.store.ObjectAttributes;
import org.weft.osd.store.ObjectRead;
import org.weft.osd.store.StoredRange;
import org.weft.osd.store.mutation.AttributeUpdate;
import org.weft.osd.store.mutation.BlockWrite;
import org.weft.osd.store.mutation.ObjectRemoval;
import org.weft.osd.store.mutation.PartitionFence;
import org.weft.osd.store.mutation.PartitionUpdate;
import org.weft.osd.store.mutation.VersionRaise;
import org.weft.osd.store.value.AttributeValue;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.BlockRun;
import org.weft.osd.store.value.CompletionMark;
import org.weft.osd.store.value.Stamp;
import org.weft.osd.store.value.WorkingKey;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.PartitionId;

/** What single requests do. */
class OsdfsStoreTest {
  private Rig rig;

  @BeforeEach
  void openStore() throws WeftException {
    rig = Rig.small();
  }

  @Test
  void writtenBytesAreRead() throws Exception {
    byte[] data = random(1, 300_000);
    rig.apply(write(1, 0, data).inPieces(7).sequences(5).build());
    assertArrayEquals(data, read(rig.store, 1, 0, data.length));
    assertArrayEquals(Arrays.copyOfRange(data, 70_001, 70_101), read(rig.store, 1, 70_001, 100));
    assertEquals(1, rig.store.status().objects());
    assertEquals(74 * BLOCK, rig.store.status().usedBytes());
    rig.stop();
    rig.assertSound();
  }

  @Test
  void aWriteWithoutCreateNeedsTheObject() {
    rig.refuse(ErrorCode.NO_SUCH_OBJECT, write(1, 0, random(1, 10)).noCreate().build());
    assertEquals(0, rig.store.status().objects());
    assertEquals(0, rig.store.status().usedBytes());
  }

  @Test
  void anUnknownPartitionIsRefused() {
    ObjectRemoval elsewhere =
        new ObjectRemoval(
            org.weft.protocol.id.ObjectName.of(99, 1), MANAGER, lsn(1), 0, false, false);
    rig.refuse(ErrorCode.NO_SUCH_PARTITION, elsewhere);
  }

  @Test
  void anEmptyWriteMakesTheComponentAndSetsItsLength() throws Exception {
    rig.apply(write(1, 0, new byte[0]).eof(1_000_000, 0).build());
    StoredRange result = rig.store.read(readOf(1, 0, 65536));
    assertEquals(1_000_000, result.eofBytes());
    assertEquals(List.of(), result.runs());
    assertEquals(0, result.payload().lengthBytes());
    assertEquals(1, result.mapGeneration());
    result.payload().release();
  }

  @Test
  void partOfABlockIsMergedWithItsOldBytes() throws Exception {
    byte[] data = random(1, 3 * BLOCK);
    rig.apply(write(1, 0, data).build());
    byte[] more = random(2, BLOCK + 200);
    rig.apply(write(1, BLOCK - 100, more).by(100, 2).complete(1).build());
    System.arraycopy(more, 0, data, BLOCK - 100, more.length);
    assertArrayEquals(data, read(rig.store, 1, 0, data.length));
    byte[] tail = random(3, 10);
    rig.apply(write(1, 3 * BLOCK + 5, tail).by(100, 3).complete(2).build());
    byte[] end = read(rig.store, 1, 3 * BLOCK, 20);
    assertArrayEquals(new byte[5], Arrays.copyOf(end, 5));
    assertArrayEquals(tail, Arrays.copyOfRange(end, 5, 15));
    assertEquals(3 * BLOCK + 15, rig.store.attributes(object(1), MANAGER).componentBytes());
  }

  @Test
  void holesAreLeftOut() throws Exception {
    rig.apply(write(1, 10L * BLOCK, random(1, BLOCK)).build());
    rig.apply(write(1, 12L * BLOCK, random(2, 2 * BLOCK)).by(100, 2).build());
    StoredRange result = rig.store.read(readOf(1, 0, 100 * BLOCK));
    assertEquals(List.of(new BlockRun(10, 1), new BlockRun(12, 2)), result.runs());
    assertEquals(3, result.blockCrcs().length);
    result.payload().release();
  }

  @Test
  void aWrongChecksumWritesNothing() {
    rig.refuse(ErrorCode.BAD_CHECKSUM, write(1, 0, random(1, 2 * BLOCK)).damaged(1).build());
    assertEquals(0, rig.store.status().objects());
    assertEquals(0, rig.store.status().usedBytes());
  }

  @Test
  void aRetryIsAnsweredAndNotExecuted() throws Exception {
    byte[] first = random(1, 4 * BLOCK);
    rig.apply(write(1, 0, first).build());
    // The same id with other bytes: were it executed, they would be seen.
    rig.apply(write(1, 0, random(2, 4 * BLOCK)).build());
    assertArrayEquals(first, read(rig.store, 1, 0, first.length));
    byte[] second = random(3, 4 * BLOCK);
    rig.apply(write(1, 0, second).by(100, 2).complete(1).build());
    // Overwritten since, but known to be complete.
    rig.apply(write(1, 0, first).build());
    assertArrayEquals(second, read(rig.store, 1, 0, second.length));
    rig.restart();
    rig.apply(write(1, 0, first).by(100, 2).build());
    assertArrayEquals(second, read(rig.store, 1, 0, second.length));
    assertEquals(8 * BLOCK, rig.store.status().usedBytes());
    rig.apply(complete(1, client(100), 2));
    rig.await(rig.store.checkpointNow());
    assertEquals(4 * BLOCK, rig.store.status().usedBytes());
  }

  @Test
  void blocksOfAnIncompleteWriteAreBusy() throws Exception {
    rig.apply(write(1, 0, random(1, BLOCK)).build());
    assertTrue(rig.store.stamps(readOf(1, 0, BLOCK)).pending());
    rig.refuse(ErrorCode.BUSY, write(1, 0, random(2, BLOCK)).by(100, 2).build());
    rig.refuse(ErrorCode.BUSY, write(1, 0, random(2, BLOCK)).by(101, 1).build());
    rig.apply(write(1, 0, random(2, BLOCK)).by(100, 2).complete(1).build());
    // What a dead writer left may yet be undone; a floor says that it is resolved.
    rig.apply(new VersionRaise(object(1), MANAGER, lsn(101)));
    assertTrue(rig.store.stamps(readOf(1, 0, BLOCK)).pending());
    rig.apply(write(1, 0, random(3, BLOCK)).by(101, 1).floor(101).build());
  }

  @Test
  void aRunOfStripesStampsEachUnit() throws Exception {
    byte[] data = random(1, 5 * 65536 / 2);
    rig.apply(write(1, 65536, data).by(100, 10).sequences(3).complete(10).build());
    assertEquals(
        List.of(
            new Stamp(16, 16, lsn(100), 10),
            new Stamp(32, 16, lsn(100), 11),
            new Stamp(48, 8, lsn(100), 12)),
        rig.store.stamps(readOf(1, 0, 1 << 20)).stamps());
    // A run is complete as a whole.
    assertTrue(rig.store.stamps(readOf(1, 65536, 65536)).pending());
    assertTrue(rig.store.stamps(readOf(1, 65536, 65537)).pending());
    rig.refuse(
        ErrorCode.INVALID_ARGUMENT, write(1, 1 << 20, data).by(100, 20).sequences(2).build());
  }

  @Test
  void lengthFollowsTheTruncationNumber() throws Exception {
    rig.apply(write(1, 0, random(1, 100)).eof(5000, 1).build());
    rig.apply(write(1, BLOCK, random(1, 100)).by(100, 2).eof(4000, 1).build());
    assertEquals(5000, rig.store.attributes(object(1), MANAGER).eofBytes());
    rig.refuse(
        ErrorCode.FENCED, write(1, 2 * BLOCK, random(1, 100)).by(100, 3).eof(9000, 0).build());
    assertEquals(5000, rig.store.attributes(object(1), MANAGER).eofBytes());
    rig.apply(write(1, 3 * BLOCK, random(1, 100)).by(100, 4).eof(200, 2).build());
    ObjectAttributes attributes = rig.store.attributes(object(1), MANAGER);
    assertEquals(200, attributes.eofBytes());
    assertEquals(2, attributes.truncationNumber());
  }

  @Test
  void grantsBelowTheVersionAreFenced() throws Exception {
    rig.apply(write(1, 0, random(1, BLOCK)).by(100, 1).build());
    assertEquals(lsn(105), rig.apply(new VersionRaise(object(1), MANAGER, lsn(105))).inForce());
    assertEquals(lsn(105), rig.apply(new VersionRaise(object(1), MANAGER, lsn(90))).inForce());
    rig.refuse(ErrorCode.FENCED, write(1, 0, random(1, BLOCK)).by(104, 1).build());
    ObjectRead revoked =
        new ObjectRead(object(1), Authority.ofClient(lsn(104), 0), 0, BLOCK, false);
    assertEquals(
        ErrorCode.FENCED, assertThrows(WeftException.class, () -> rig.store.read(revoked)).code());
    rig.apply(write(1, 0, random(1, BLOCK)).by(110, 1).floor(110).build());
    rig.refuse(ErrorCode.FENCED, write(1, 0, random(1, BLOCK)).by(106, 1).build());
    rig.restart();
    assertEquals(lsn(110), rig.store.attributes(object(1), MANAGER).version());
  }

  @Test
  void managersBelowTheFenceAreRefused() throws Exception {
    assertEquals(5, rig.apply(new PartitionFence(Rig.PARTITION, 5)).inForce());
    rig.refuse(ErrorCode.FENCED, removal(1, 1));
    rig.refuse(ErrorCode.FENCED, new PartitionFence(Rig.PARTITION, 4));
    assertThrows(
        WeftException.class, () -> rig.store.list(Rig.PARTITION, MANAGER, new ObjectId(0), 10));
    // A fence binds managers, not clients.
    rig.apply(write(1, 0, random(1, 10)).build());
    List<WorkingKey> keys = List.of(new WorkingKey(2, random(5, 32)));
    assertEquals(5, rig.apply(new PartitionUpdate(Rig.PARTITION, keys, 3)).inForce());
    rig.restart();
    assertEquals(5, rig.store.partition(Rig.PARTITION).orElseThrow().fenceEpoch());
    assertArrayEquals(
        keys.get(0).key(),
        rig.store.partition(Rig.PARTITION).orElseThrow().key(2).orElseThrow().key());
    rig.refuse(ErrorCode.NO_SUCH_PARTITION, new PartitionFence(new PartitionId(8), 5));
  }

  @Test
  void aRemovedObjectIsNotMadeAgainByAnOlderGrant() throws Exception {
    rig.apply(write(1, 0, random(1, 3 * BLOCK)).by(100, 1).build());
    assertTrue(rig.apply(removal(1, 200)).existed());
    assertFalse(rig.apply(removal(2, 200)).existed());
    assertEquals(0, rig.store.status().objects());
    rig.refuse(ErrorCode.TOMBSTONE, write(1, 0, random(1, BLOCK)).by(150, 1).build());
    rig.refuse(ErrorCode.TOMBSTONE, write(2, 0, random(1, BLOCK)).by(150, 1).build());
    rig.refuse(ErrorCode.TOMBSTONE, blocks(2, 150, random(1, BLOCK), 0));
    rig.refuse(
        ErrorCode.TOMBSTONE, Requests.attributes(2, new AttributeValue(0, lsn(150), new byte[1])));
    rig.apply(write(1, 0, random(1, BLOCK)).by(201, 1).build());
    rig.await(rig.store.checkpointNow());
    assertEquals(BLOCK, rig.store.status().usedBytes());
  }

  @Test
  void theCreateFloorTakesThePlaceOfTombstonesBelowIt() throws Exception {
    rig.apply(removal(1, 200));
    rig.apply(removal(2, 300));
    rig.apply(new ObjectRemoval(object(3), MANAGER, lsn(301), lsn(250), false, false));
    rig.refuse(ErrorCode.TOMBSTONE, write(1, 0, random(1, 10)).by(249, 1).build());
    rig.apply(write(1, 0, random(1, 10)).by(250, 1).build());
    rig.refuse(ErrorCode.TOMBSTONE, write(2, 0, random(1, 10)).by(250, 1).build());
    assertEquals(lsn(250), rig.store.partition(Rig.PARTITION).orElseThrow().createFloor());
    rig.stop();
    assertEquals(2, rig.check(true).tombstones());
    rig.assertSound();
  }

  /** A flush that was given up may arrive when no tombstone tells of the removal any more. */
  @Test
  void anEarlierFlushRoundRecreatesNoForgottenObject() throws Exception {
    rig.apply(attributesIn(MANAGER, 7, 1));
    rig.apply(removalIn(MANAGER, 8, 1, 200, 150));
    rig.refuse(ErrorCode.TOMBSTONE, attributesIn(MANAGER, 7, 1));
    rig.apply(removalIn(MANAGER, 9, 2, 300, 250));
    rig.refuse(ErrorCode.BUSY, attributesIn(MANAGER, 7, 1));
    rig.refuse(ErrorCode.BUSY, blocksIn(MANAGER, 8, 1));
    rig.stop();
    rig.open();
    rig.refuse(ErrorCode.BUSY, attributesIn(MANAGER, 8, 1));
    rig.apply(attributesIn(MANAGER, 9, 3));
    rig.apply(blocksIn(MANAGER, 9, 4));
    Authority next = Authority.ofManager(MANAGER.epoch() + 1);
    rig.apply(attributesIn(next, 1, 5));
    rig.apply(removalIn(next, 2, 5, 400, 350));
    rig.refuse(ErrorCode.BUSY, attributesIn(next, 1, 6));
    rig.apply(attributesIn(next, 2, 6));
  }

  private static AttributeUpdate attributesIn(Authority manager, long round, long object) {
    return new AttributeUpdate(
        object(object),
        manager.inRound(round),
        List.of(new AttributeValue(0, lsn(149), new byte[1])),
        Optional.of(Requests.TAG),
        List.of(),
        0,
        0,
        false);
  }

  private static BlockWrite blocksIn(Authority manager, long round, long object) {
    BlockWrite write = blocks(object, 149, random(1, BLOCK), 0);
    return new BlockWrite(
        write.name(),
        manager.inRound(round),
        write.numbers(),
        write.lsns(),
        write.blockCrcs(),
        write.data(),
        Optional.of(Requests.TAG),
        0,
        false);
  }

  private static ObjectRemoval removalIn(
      Authority manager, long round, long object, int lsn, int createFloor) {
    return new ObjectRemoval(
        object(object), manager.inRound(round), lsn(lsn), lsn(createFloor), false, false);
  }

  /** Late, of an attempt to resolve a file that was removed since. */
  @Test
  void aManagersWriteBelowTheCreateFloorMakesNothing() throws Exception {
    rig.apply(removal(1, 200));
    rig.apply(new ObjectRemoval(object(2), MANAGER, lsn(301), lsn(300), false, false));
    Authority attempt = Authority.ofManager(MANAGER.epoch(), lsn(199)).inAttempt(lsn(199));
    rig.refuse(ErrorCode.TOMBSTONE, write(1, 0, random(1, 10)).as(attempt).build());
  }

  @Test
  void attributePagesAreReplacedByNewerOnes() throws Exception {
    AttributeValue initial = new AttributeValue(0, lsn(99), "first".getBytes());
    rig.apply(write(1, 0, random(1, 10)).attributes(initial).build());
    AttributeValue newer = new AttributeValue(0, lsn(120), "second".getBytes());
    AttributeValue other = new AttributeValue(3, lsn(120), "other".getBytes());
    assertEquals(0, rig.apply(Requests.attributes(1, newer, other)).skipped());
    assertEquals(1, rig.apply(Requests.attributes(1, initial)).skipped());
    // A late create must not bring the initial page back.
    rig.apply(write(1, BLOCK, random(1, 10)).by(100, 2).attributes(initial).build());
    List<AttributeValue> pages = rig.store.attributes(object(1), MANAGER).pages();
    assertEquals(List.of(0, 3), pages.stream().map(AttributeValue::page).toList());
    assertArrayEquals("second".getBytes(), pages.get(0).value());
    assertEquals(lsn(120), pages.get(0).lsn());
    assertEquals(1, rig.store.attributes(object(1), MANAGER, 3, 4).pages().size());
  }

  @Test
  void aCompletionMarkComesWithTheAttributes() throws Exception {
    rig.apply(write(1, 0, random(1, BLOCK)).by(100, 4).build());
    rig.apply(
        new AttributeUpdate(
            object(1),
            MANAGER,
            List.of(),
            Optional.empty(),
            List.of(new CompletionMark(lsn(100), 4)),
            0,
            0,
            false));
    assertFalse(rig.store.stamps(readOf(1, 0, BLOCK)).pending());
  }

  @Test
  void blocksAreWrittenIfTheyAreNewer() throws Exception {
    byte[] first = random(1, 2 * BLOCK);
    assertEquals(0, rig.apply(blocks(1, 10, first, 5, 3)).skipped());
    byte[] second = random(2, 2 * BLOCK);
    rig.apply(blocks(1, 12, Arrays.copyOf(second, BLOCK), 3));
    assertEquals(1, rig.apply(blocks(1, 11, second, 5, 3)).skipped());
    assertArrayEquals(Arrays.copyOf(second, BLOCK), read(rig.store, 1, 5 * BLOCK, BLOCK));
    assertArrayEquals(Arrays.copyOf(second, BLOCK), read(rig.store, 1, 3 * BLOCK, BLOCK));
    assertEquals(2, rig.apply(blocks(1, 11, second, 5, 3)).skipped());
    rig.await(rig.store.checkpointNow());
    assertEquals(2 * BLOCK, rig.store.status().usedBytes());
    rig.refuse(ErrorCode.INVALID_ARGUMENT, blocks(1, 11, second, 5, 5));
  }

  @Test
  void objectsAreListedInOrderAndInParts() throws Exception {
    for (long id : new long[] {5, -2, 1, 300, 7}) {
      rig.apply(write(id, 0, random(1, 10)).build());
    }
    rig.apply(new PartitionUpdate(new PartitionId(8), List.of(new WorkingKey(1, new byte[32])), 1));
    assertEquals(
        List.of(new ObjectId(1), new ObjectId(5), new ObjectId(7)),
        rig.store.list(Rig.PARTITION, MANAGER, new ObjectId(0), 3).objects());
    assertTrue(rig.store.list(Rig.PARTITION, MANAGER, new ObjectId(0), 3).more());
    assertEquals(
        List.of(new ObjectId(300), new ObjectId(-2)),
        rig.store.list(Rig.PARTITION, MANAGER, new ObjectId(7), 3).objects());
    assertFalse(rig.store.list(Rig.PARTITION, MANAGER, new ObjectId(7), 3).more());
    assertEquals(List.of(), rig.store.list(Rig.PARTITION, MANAGER, new ObjectId(-1), 3).objects());
    assertEquals(
        List.of(), rig.store.list(new PartitionId(8), MANAGER, new ObjectId(0), 3).objects());
  }

  @Test
  void aBatchCommitsWhatIsNotRefused() throws Exception {
    List<MutationOutcome> outcomes =
        rig.applyAll(
            blocks(1, 10, random(1, BLOCK), 0),
            write(2, 0, random(1, BLOCK)).noCreate().build(),
            blocks(1, 11, random(2, BLOCK), 0),
            Requests.attributes(3, new AttributeValue(0, lsn(10), new byte[3])),
            removal(3, 20),
            new VersionRaise(object(4), MANAGER, lsn(1)));
    assertEquals(
        List.of(true, false, true, true, true, false),
        outcomes.stream().map(outcome -> outcome.failure() == null).toList());
    assertEquals(ErrorCode.NO_SUCH_OBJECT, outcomes.get(1).failure().code());
    assertTrue(outcomes.get(4).receipt().existed());
    assertArrayEquals(random(2, BLOCK), read(rig.store, 1, 0, BLOCK));
    assertEquals(1, rig.store.status().objects());
    rig.await(rig.store.checkpointNow());
    assertEquals(BLOCK, rig.store.status().usedBytes());
  }

  @Test
  void twoWritesOfABatchDoNotShareABlock() throws Exception {
    List<MutationOutcome> outcomes =
        rig.applyAll(
            write(1, 0, random(1, 100)).build(),
            write(1, 100, random(2, 100)).by(100, 2).complete(1).build());
    assertEquals(null, outcomes.get(0).failure());
    assertEquals(ErrorCode.BUSY, outcomes.get(1).failure().code());
    assertArrayEquals(random(1, 100), read(rig.store, 1, 0, 100));
    rig.apply(write(1, 100, random(2, 100)).by(100, 2).complete(1).build());
    assertArrayEquals(random(2, 100), read(rig.store, 1, 100, 100));
  }

  @Test
  void checkpointsAreNumberedAndMadeInTime() {
    long durable = rig.store.status().durableCheckpoint();
    long pending = rig.apply(write(1, 0, random(1, BLOCK)).build()).pendingCheckpoint();
    assertTrue(pending > durable);
    assertEquals(durable, rig.store.status().durableCheckpoint());
    rig.time.pass(rig.options.checkpointMillis() * 1_100_000);
    assertEquals(pending, rig.store.status().durableCheckpoint());
    rig.time.pass(rig.options.checkpointMillis() * 3_000_000);
    assertEquals(pending, rig.store.status().durableCheckpoint());
    long next = rig.apply(write(1, BLOCK, random(1, BLOCK)).by(100, 2).build()).pendingCheckpoint();
    assertEquals(pending + 1, next);
    assertEquals(next, rig.await(rig.store.checkpointNow()));
  }

  @Test
  void aLargeObjectIsFreedPieceByPiece() throws Exception {
    for (int i = 0; i < 100; i++) {
      // One page of extents each.
      rig.apply(write(1, i * 512L * 1024, random(i, BLOCK)).by(100, i + 1).build());
    }
    rig.apply(removal(1, 200));
    assertEquals(0, rig.store.status().objects());
    rig.kill();
    rig.assertSound();
    rig.open();
    rig.time.pass(1_000_000);
    rig.await(rig.store.checkpointNow());
    assertEquals(0, rig.store.status().usedBytes());
    rig.stop();
    rig.assertSound();
  }

  @Test
  void figuresAndBytesSurviveRestarts() throws Exception {
    byte[] data = random(1, 1 << 20);
    rig.apply(write(1, 0, data).sequences(16).build());
    rig.apply(blocks(2, 10, random(2, BLOCK), 9));
    rig.restart();
    assertEquals(2, rig.store.status().objects());
    assertEquals(257 * BLOCK, rig.store.status().usedBytes());
    assertArrayEquals(data, read(rig.store, 1, 0, data.length));
    assertEquals(2, rig.store.identity().incarnation());
    rig.stop();
    assertTrue(rig.check(true).orderly());
    rig.open();
    assertEquals(2, rig.store.status().objects());
    assertEquals(257 * BLOCK, rig.store.status().usedBytes());
    assertArrayEquals(data, read(rig.store, 1, 0, data.length));
    rig.apply(write(3, 0, data).sequences(16).build());
    assertArrayEquals(data, read(rig.store, 1, 0, data.length));
    rig.stop();
    rig.assertSound();
  }
}
