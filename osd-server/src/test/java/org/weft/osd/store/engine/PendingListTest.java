package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.store.engine.PendingRequests.abort;
import static org.weft.osd.store.engine.PendingRequests.bytes;
import static org.weft.osd.store.engine.PendingRequests.client;
import static org.weft.osd.store.engine.PendingRequests.complete;
import static org.weft.osd.store.engine.PendingRequests.exchange;
import static org.weft.osd.store.engine.PendingRequests.inPlaceOf;
import static org.weft.osd.store.engine.PendingRequests.listed;
import static org.weft.osd.store.engine.PendingRequests.xor;
import static org.weft.osd.store.engine.PendingRequests.xored;
import static org.weft.osd.store.engine.Requests.BLOCK;
import static org.weft.osd.store.engine.Requests.MANAGER;
import static org.weft.osd.store.engine.Requests.lsn;
import static org.weft.osd.store.engine.Requests.object;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.read;
import static org.weft.osd.store.engine.Requests.readOf;
import static org.weft.osd.store.engine.Requests.truncation;
import static org.weft.osd.store.engine.Requests.write;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.osd.store.MutationOutcome;
import org.weft.osd.store.PendingList;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.Stamps;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.engine.change.PendingRules;
import org.weft.osd.store.mutation.ObjectWrite;
import org.weft.osd.store.mutation.VersionRaise;
import org.weft.osd.store.mutation.WriteCompletion;
import org.weft.osd.store.mutation.XorExchange;
import org.weft.osd.store.value.CompletionMark;
import org.weft.osd.store.value.Delta;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** The pending list of an object, rule by rule (P 5.4). */
class PendingListTest {
  private static final byte[] OLD = random(1, 6 * BLOCK);

  private Rig rig;

  @BeforeEach
  void openStore() throws WeftException {
    rig = Rig.small();
    rig.apply(write(1, 0, OLD).build());
    rig.apply(complete(1, client(100), 1));
  }

  @AfterEach
  void theStoreIsSound() throws IOException {
    rig.stop();
    rig.assertSound();
  }

  private long usedBlocks() {
    rig.await(rig.store.checkpointNow());
    return rig.store.status().usedBytes() / BLOCK;
  }

  private long eof() throws WeftException {
    return rig.store.attributes(object(1), MANAGER).eofBytes();
  }

  @Test
  void whatAWriteOverwroteIsKeptUntilItIsComplete() throws Exception {
    assertEquals(List.of(), listed(rig.store, 1));
    rig.apply(write(1, BLOCK, random(2, 2 * BLOCK)).by(100, 2).build());
    assertEquals(List.of("STRIPE 100:2-2"), listed(rig.store, 1));
    assertEquals(8, usedBlocks());
    assertEquals(8 * BLOCK, rig.store.attributes(object(1), MANAGER).usedBytes());
    rig.restart();
    assertEquals(8, usedBlocks());
    rig.apply(write(1, 4 * BLOCK, random(3, BLOCK)).by(100, 3).complete(2).build());
    assertEquals(List.of("STRIPE 100:3-3"), listed(rig.store, 1));
    assertEquals(7, usedBlocks());
    rig.apply(complete(1, client(100), 3));
    assertEquals(List.of(), listed(rig.store, 1));
    assertEquals(
        List.of(new CompletionMark(lsn(100), 3)),
        rig.store.listPending(object(1), MANAGER).marks());
    assertEquals(6, usedBlocks());
  }

  @Test
  void anAbortBringsBackBytesHolesAndLength() throws Exception {
    byte[] newer = random(2, 4 * BLOCK + 100);
    rig.apply(write(1, 4 * BLOCK + 10, newer).by(100, 2).eof(9 * BLOCK, 0).build());
    assertEquals(9 * BLOCK, eof());
    rig.restart();
    Receipt receipt = rig.apply(abort(1, client(100), 2, 1));
    assertTrue(receipt.existed());
    assertEquals(6 * BLOCK, eof());
    assertArrayEquals(Arrays.copyOf(OLD, 10 * BLOCK), read(rig.store, 1, 0, 10 * BLOCK));
    assertEquals(6, usedBlocks());
    assertEquals(List.of("ABORTED 100:2"), listed(rig.store, 1));
    rig.refuse(ErrorCode.WRITE_ABORTED, write(1, 4 * BLOCK + 10, newer).by(100, 2).build());
    assertFalse(rig.apply(abort(1, client(100), 2, 1)).existed());
    rig.apply(complete(1, client(100), 2));
    assertEquals(List.of(), listed(rig.store, 1));
    rig.refuse(ErrorCode.INVALID_ARGUMENT, abort(1, client(100), 2, 1));
  }

  @Test
  void anIdThatWasAbortedBeforeItCameIsRefused() throws Exception {
    assertFalse(rig.apply(abort(1, client(100), 7, 2)).existed());
    rig.restart();
    rig.refuse(
        ErrorCode.WRITE_ABORTED, write(1, 0, random(2, 65_537)).by(100, 7).sequences(2).build());
    rig.refuse(ErrorCode.WRITE_ABORTED, exchange(1, 0, random(2, 9), client(100), 8, 0));
    rig.refuse(ErrorCode.WRITE_ABORTED, xor(1, 0, random(2, BLOCK), client(100), 8, 0));
    assertArrayEquals(OLD, read(rig.store, 1, 0, OLD.length));
  }

  @Test
  void aRetryIsAnsweredWhateverCameAfterIt() throws Exception {
    ObjectWrite second = write(1, 0, random(2, BLOCK)).by(100, 2).build();
    rig.apply(second);
    rig.apply(write(1, BLOCK, random(3, BLOCK)).by(100, 3).build());
    rig.apply(second);
    rig.apply(write(1, 0, random(4, BLOCK)).by(100, 4).complete(2).build());
    rig.restart();
    rig.apply(second);
    assertArrayEquals(random(4, BLOCK), read(rig.store, 1, 0, BLOCK));
    assertEquals(List.of("STRIPE 100:3-3", "STRIPE 100:4-4"), listed(rig.store, 1));
  }

  @Test
  void aPendingWriteHasItsBlocksAlone() throws Exception {
    rig.apply(write(1, 0, random(2, BLOCK)).by(100, 2).build());
    rig.refuse(ErrorCode.BUSY, write(1, 10, random(3, 10)).by(100, 3).build());
    rig.refuse(ErrorCode.BUSY, write(1, 10, random(3, 10)).by(101, 1).build());
    rig.refuse(ErrorCode.BUSY, exchange(1, 10, random(3, 10), client(101), 1, 0));
    rig.refuse(ErrorCode.BUSY, xor(1, 0, random(3, BLOCK), client(101), 1, 0));
    // The completion in a request counts before its own check.
    rig.apply(exchange(1, 10, random(3, 10), client(100), 3, 2));
    rig.refuse(ErrorCode.BUSY, exchange(1, 20, random(3, 10), client(101), 1, 0));
    rig.refuse(ErrorCode.BUSY, xor(1, 0, random(3, BLOCK), client(101), 1, 0));
    rig.apply(complete(1, client(100), 3));
    rig.apply(xor(1, 0, random(3, BLOCK), client(101), 1, 0));
    rig.refuse(ErrorCode.BUSY, write(1, 10, random(3, 10)).by(100, 4).build());
    rig.apply(xor(1, 0, random(4, BLOCK), client(102), 1, 0));
  }

  @Test
  void theDeltaIsOldXorNewAndIsGivenAgain() throws Exception {
    byte[] part = random(2, 5000);
    byte[] now = OLD.clone();
    System.arraycopy(part, 0, now, 3000, part.length);
    XorExchange exchange = exchange(1, 3000, part, client(100), 2, 0);
    Delta delta = rig.apply(exchange).delta().orElseThrow();
    assertEquals(0, delta.offsetBytes());
    byte[] expected = Arrays.copyOf(xored(OLD, now), 2 * BLOCK);
    assertArrayEquals(expected, bytes(delta));
    assertArrayEquals(Requests.crcs(0, expected), delta.blockCrcs());
    assertArrayEquals(now, read(rig.store, 1, 0, OLD.length));
    rig.restart();
    assertArrayEquals(expected, bytes(rig.apply(exchange).delta().orElseThrow()));
    assertArrayEquals(expected, bytes(rig.store.readDelta(object(1), inPlaceOf(100), 2)));
    assertEquals(List.of("XOR_DATA 100:2"), listed(rig.store, 1));
    assertEquals(
        PendingRequests.PARTICIPANTS,
        rig.store.listPending(object(1), MANAGER).writes().get(0).participants());
    rig.apply(complete(1, client(100), 2));
    assertEquals(Optional.empty(), rig.apply(exchange).delta());
    assertArrayEquals(now, read(rig.store, 1, 0, OLD.length));
    assertEquals(6, usedBlocks());
  }

  @Test
  void aDeltaIsAppliedOnceAndTakenOffAlone() throws Exception {
    byte[] first = random(2, 3 * BLOCK);
    byte[] second = random(3, 2 * BLOCK);
    rig.apply(xor(1, 4 * BLOCK, first, client(101), 1, 0));
    rig.apply(xor(1, 5 * BLOCK, second, client(102), 1, 0));
    rig.apply(xor(1, 4 * BLOCK, first, client(101), 1, 0));
    rig.restart();
    rig.apply(xor(1, 4 * BLOCK, first, client(101), 1, 0));
    byte[] before = Arrays.copyOfRange(OLD, 4 * BLOCK, 7 * BLOCK);
    byte[] shifted = new byte[3 * BLOCK];
    System.arraycopy(second, 0, shifted, BLOCK, 2 * BLOCK);
    assertArrayEquals(
        xored(xored(before, first), shifted), read(rig.store, 1, 4 * BLOCK, 3 * BLOCK));
    assertArrayEquals(first, bytes(rig.store.readDelta(object(1), inPlaceOf(101), 1)));
    assertEquals(7 + 3 + 2, usedBlocks());
    rig.apply(abort(1, client(101), 1, 1));
    assertArrayEquals(xored(before, shifted), read(rig.store, 1, 4 * BLOCK, 3 * BLOCK));
    assertEquals(List.of("ABORTED 101:1", "XOR_DELTA 102:1"), listed(rig.store, 1));
    rig.refuse(ErrorCode.WRITE_ABORTED, xor(1, 4 * BLOCK, first, client(101), 1, 0));
    rig.apply(complete(1, client(102), 1));
    rig.apply(xor(1, 5 * BLOCK, second, client(102), 1, 0));
    assertArrayEquals(xored(before, shifted), read(rig.store, 1, 4 * BLOCK, 3 * BLOCK));
    assertEquals(7, usedBlocks());
  }

  @Test
  void damagedBytesAreNotComputedWith() throws Exception {
    rig.stop();
    for (String file : rig.segments.list()) {
      rig.segments.rot(file, 0);
    }
    rig.open();
    rig.refuse(ErrorCode.BAD_MEDIA, xor(1, 0, random(2, BLOCK), client(100), 2, 0));
    rig.refuse(ErrorCode.BAD_MEDIA, exchange(1, 0, random(2, BLOCK), client(100), 2, 0));
    assertEquals(List.of(), listed(rig.store, 1));
    rig.apply(write(1, 0, random(2, BLOCK)).by(100, 2).complete(1).build());
    rig.apply(complete(1, client(100), 2));
    rig.apply(xor(1, 0, random(2, BLOCK), client(100), 3, 0));
    assertArrayEquals(new byte[BLOCK], read(rig.store, 1, 0, BLOCK));
  }

  /** A bad block of a write that was durable is no lost write: it stays, for readers to find. */
  @Test
  void rotUnderAPowerLossUndoesNothingDurable() throws Exception {
    byte[] data = random(2, 2 * BLOCK);
    rig.apply(write(2, 0, data).by(100, 2).build());
    rig.await(rig.store.checkpointNow());
    rig.apply(write(3, 0, data).build());
    rig.await(rig.store.checkpointNow());
    rig.losePower();
    rig.segments.rot("segment-00000000", 6 * BLOCK);
    rig.open();
    assertEquals(List.of("STRIPE 100:2-2"), listed(rig.store, 2));
    assertArrayEquals(Arrays.copyOfRange(data, BLOCK, 2 * BLOCK), read(rig.store, 2, BLOCK, BLOCK));
    rig.refuse(ErrorCode.BUSY, write(2, 0, data).by(101, 1).build());
    rig.apply(Requests.removal(2, 500));
  }

  @Test
  void aGrantKeepsABoundedNumberOfBytes() throws Exception {
    rig.stop();
    rig.options = rig.options.withWindowBytes(4 * BLOCK);
    rig.open();
    rig.apply(xor(1, 0, random(2, 3 * BLOCK), client(100), 2, 0));
    rig.refuse(ErrorCode.BUSY, xor(1, 4 * BLOCK, random(3, 2 * BLOCK), client(100), 3, 0));
    rig.apply(xor(1, 4 * BLOCK, random(3, 2 * BLOCK), client(101), 1, 0));
    rig.apply(xor(1, 4 * BLOCK, random(3, 2 * BLOCK), client(100), 3, 2));
    rig.apply(complete(1, client(100), 3));
    // One alone may be larger.
    rig.apply(write(1, 0, random(4, 4 * BLOCK)).by(100, 4).complete(3).build());
  }

  @Test
  void aGrantHasABoundedNumberOfRecords() throws Exception {
    for (int i = 0; i < PendingRules.MAX_RECORDS; i++) {
      rig.apply(write(2, (long) i * BLOCK, random(i, 1)).by(100, 1 + i).build());
    }
    rig.refuse(ErrorCode.BUSY, write(2, 5000L * BLOCK, random(1, 1)).by(100, 5000).build());
    rig.apply(write(2, 5000L * BLOCK, random(1, 1)).by(100, 5000).complete(1).build());
    rig.apply(write(2, 5001L * BLOCK, random(1, 1)).by(101, 1).build());
  }

  @Test
  void raisingTheVersionPurgesNothingAndAFloorPurges() throws Exception {
    rig.apply(write(1, 0, random(2, BLOCK)).by(101, 1).eof(7 * BLOCK, 0).build());
    rig.apply(xor(1, 5 * BLOCK, random(3, BLOCK), client(101), 2, 0));
    rig.apply(new VersionRaise(object(1), MANAGER, lsn(110)));
    assertEquals(List.of("STRIPE 101:1-1", "XOR_DELTA 101:2"), listed(rig.store, 1));
    rig.refuse(ErrorCode.FENCED, complete(1, client(101), 2));
    rig.refuse(ErrorCode.BUSY, write(1, 0, random(4, BLOCK)).by(110, 1).build());
    rig.apply(write(1, 0, random(4, BLOCK)).by(110, 1).floor(110).build());
    assertEquals(List.of("STRIPE 110:1-1"), listed(rig.store, 1));
    assertEquals(List.of(), rig.store.listPending(object(1), MANAGER).marks());
    assertEquals(7 * BLOCK, eof());
    assertEquals(7, usedBlocks());
    // What comes late in the place of the dead writer is not executed: that is over.
    rig.apply(inPlace(write(1, 0, random(2, BLOCK)).by(101, 1).eof(7 * BLOCK, 0).build()));
    rig.apply(xor(1, 5 * BLOCK, random(3, BLOCK), inPlaceOf(101), 2, 0));
    assertArrayEquals(random(4, BLOCK), read(rig.store, 1, 0, BLOCK));
  }

  private static ObjectWrite inPlace(ObjectWrite write) {
    return new ObjectWrite(
        write.name(),
        org.weft.osd.store.value.Authority.ofManager(1, write.authority().grant()),
        write.bytes(),
        write.numbers(),
        write.length(),
        write.creation(),
        write.durable());
  }

  @Test
  void aManagerActsInThePlaceOfADeadWriter() throws Exception {
    byte[] forward = random(2, BLOCK);
    byte[] delta = random(3, BLOCK);
    rig.refuse(ErrorCode.INVALID_ARGUMENT, xor(1, 0, delta, inPlaceOf(101), 3, 0));
    rig.apply(write(1, 3 * BLOCK, random(9, BLOCK)).by(101, 4).build());
    rig.apply(new VersionRaise(object(1), MANAGER, lsn(110)));
    ObjectWrite write = inPlace(write(1, BLOCK, forward).by(101, 2).eof(8 * BLOCK, 0).build());
    rig.apply(write);
    rig.apply(xor(1, 2 * BLOCK, delta, inPlaceOf(101), 3, 0));
    rig.apply(write);
    rig.apply(xor(1, 2 * BLOCK, delta, inPlaceOf(101), 3, 0));
    rig.apply(abort(1, inPlaceOf(101), 4, 1));
    rig.apply(abort(1, inPlaceOf(101), 5, 1));
    assertEquals(
        List.of("STRIPE 101:2-2", "XOR_DELTA 101:3", "ABORTED 101:4", "ABORTED 101:5"),
        listed(rig.store, 1));
    byte[] expected = OLD.clone();
    System.arraycopy(forward, 0, expected, BLOCK, BLOCK);
    byte[] parity = xored(Arrays.copyOfRange(OLD, 2 * BLOCK, 3 * BLOCK), delta);
    System.arraycopy(parity, 0, expected, 2 * BLOCK, BLOCK);
    assertArrayEquals(expected, read(rig.store, 1, 0, OLD.length));
    rig.apply(complete(1, inPlaceOf(101), 5));
    assertEquals(List.of(), listed(rig.store, 1));
    assertEquals(8 * BLOCK, eof());
    assertEquals(6, usedBlocks());
  }

  @Test
  void whatAManagerWritesItselfLeavesNoRecordAndEndsThoseOfTheDead() throws Exception {
    rig.apply(write(1, 0, random(2, 2 * BLOCK)).by(101, 1).build());
    ObjectWrite scrub = inPlace(write(1, BLOCK, random(3, BLOCK)).by(120, 1).build());
    rig.refuse(ErrorCode.BUSY, scrub);
    rig.apply(new VersionRaise(object(1), MANAGER, lsn(120)));
    rig.apply(scrub);
    assertEquals(List.of(), listed(rig.store, 1));
    assertEquals(6, usedBlocks());
  }

  @Test
  void aRunIsOneWrite() throws Exception {
    byte[] data = random(2, 65_536 + 100);
    rig.apply(write(1, 0, data).by(100, 2).sequences(2).build());
    rig.apply(write(1, 0, data).by(100, 2).sequences(2).build());
    rig.apply(write(1, 0, Arrays.copyOf(data, 65_536)).by(100, 2).build());
    rig.refuse(
        ErrorCode.INVALID_ARGUMENT,
        write(1, 0, random(3, 140_000)).by(100, 2).sequences(3).build());
    rig.refuse(ErrorCode.INVALID_ARGUMENT, abort(1, client(100), 3, 1));
    rig.apply(complete(1, client(100), 2));
    assertEquals(List.of("STRIPE 100:2-3"), listed(rig.store, 1));
    rig.refuse(ErrorCode.INVALID_ARGUMENT, abort(1, client(100), 2, 2));
    rig.apply(complete(1, client(100), 3));
    assertEquals(List.of(), listed(rig.store, 1));
  }

  @Test
  void readersAreToldOfPendingWrites() throws Exception {
    rig.apply(xor(1, 2 * BLOCK, random(2, BLOCK), client(101), 1, 0));
    rig.apply(xor(1, 2 * BLOCK, random(3, BLOCK), client(102), 1, 0));
    rig.apply(complete(1, client(102), 1));
    // The last one is complete, the one under it is not.
    Stamps stamps = rig.store.stamps(readOf(1, 2 * BLOCK, BLOCK));
    assertTrue(stamps.pending());
    assertEquals(lsn(102), stamps.stamps().get(0).grant());
    assertFalse(rig.store.stamps(readOf(1, 3 * BLOCK, BLOCK)).pending());
    rig.apply(complete(1, client(101), 1));
    assertFalse(rig.store.stamps(readOf(1, 2 * BLOCK, BLOCK)).pending());
  }

  @Test
  void lengthsOfPendingWritesAreToldAndSettledByCompletion() throws Exception {
    rig.apply(write(1, 0, random(2, BLOCK)).by(100, 2).eof(50_000, 0).build());
    rig.apply(write(1, BLOCK, random(2, BLOCK)).by(100, 3).eof(40_000, 0).build());
    PendingList list = rig.store.listPending(object(1), MANAGER);
    assertEquals(50_000, list.eofBytes());
    rig.apply(abort(1, client(100), 2, 1));
    assertEquals(40_000, eof());
    rig.apply(complete(1, client(100), 3));
    rig.restart();
    assertEquals(40_000, eof());
    rig.apply(new WriteCompletion(object(1), client(100), 3, 60_000, 0, false));
    assertEquals(60_000, eof());
    rig.apply(new WriteCompletion(object(1), client(100), 3, 10, 0, false));
    assertEquals(60_000, eof());
  }

  @Test
  void aDeltaFindsWhatTheOthersOfItsCommitCompleted() throws Exception {
    byte[] old = random(1, BLOCK);
    byte[] delta = random(2, BLOCK);
    rig.apply(write(1, 0, old).build());
    for (MutationOutcome outcome :
        rig.applyAll(complete(1, client(100), 1), xor(1, 0, delta, client(100), 2, 0))) {
      assertNull(outcome.failure());
    }
    assertArrayEquals(xored(old, delta), read(rig.store, 1, 0, BLOCK));
    assertEquals(List.of("XOR_DELTA 100:2"), listed(rig.store, 1));
  }

  @Test
  void aTruncationCutsRecords() throws Exception {
    rig.apply(write(1, 0, random(2, 4 * BLOCK)).by(101, 1).build());
    rig.apply(xor(1, 4 * BLOCK, random(3, 2 * BLOCK), client(101), 2, 0));
    rig.apply(truncation(1, 2 * BLOCK, 1, 102, 1));
    assertEquals(List.of("STRIPE 101:1-1"), listed(rig.store, 1));
    assertEquals(4, usedBlocks());
    rig.refuse(ErrorCode.FENCED, xor(1, 4 * BLOCK, random(3, 2 * BLOCK), client(101), 2, 0));
    rig.apply(abort(1, client(101), 1, 1));
    assertArrayEquals(
        Arrays.copyOf(Arrays.copyOf(OLD, 2 * BLOCK), 6 * BLOCK), read(rig.store, 1, 0, 6 * BLOCK));
    assertEquals(2, usedBlocks());
  }

  @Test
  void aRemovalFreesWhatIsKept() throws Exception {
    rig.apply(write(1, 0, random(2, 2 * BLOCK)).by(101, 1).build());
    rig.apply(xor(1, 4 * BLOCK, random(3, 2 * BLOCK), client(101), 2, 0));
    rig.apply(Requests.removal(1, 500));
    assertEquals(0, usedBlocks());
  }

  @Test
  void anOrderlyStopKeepsTheRecords() throws Exception {
    rig.apply(write(1, 0, random(2, 2 * BLOCK)).by(101, 1).build());
    rig.apply(xor(1, 4 * BLOCK, random(3, 2 * BLOCK), client(101), 2, 0));
    rig.stop();
    rig.assertSound();
    rig.open();
    assertEquals(10, usedBlocks());
    rig.apply(abort(1, client(101), 1, 1));
    rig.apply(abort(1, client(101), 2, 1));
    assertArrayEquals(OLD, read(rig.store, 1, 0, OLD.length));
    assertEquals(6, usedBlocks());
  }

  @Test
  void xorsThatWerePreparedSideBySideDoNotForgetEachOther() throws Exception {
    byte[] first = random(2, BLOCK);
    byte[] second = random(3, BLOCK);
    List<MutationOutcome> outcomes =
        rig.applyAll(xor(1, 0, first, client(101), 1, 0), xor(1, 0, second, client(102), 1, 0));
    byte[] expected = Arrays.copyOf(OLD, BLOCK);
    expected = outcomes.get(0).failure() == null ? xored(expected, first) : expected;
    expected = outcomes.get(1).failure() == null ? xored(expected, second) : expected;
    assertArrayEquals(expected, read(rig.store, 1, 0, BLOCK));
  }

  @Test
  void xorsOfOneBlockThatArriveTogetherAreAllApplied() throws Exception {
    byte[] expected = Arrays.copyOf(OLD, BLOCK);
    StoreOptions options = rig.options;
    assertTrue(options.windowBytes() > 20 * BLOCK);
    for (int i = 1; i <= 20; i++) {
      byte[] delta = random(i, BLOCK);
      expected = xored(expected, delta);
      var unused = rig.store.apply(xor(1, 0, delta, client(101), i, 0));
    }
    for (int i = 1; i <= 20; i++) {
      rig.apply(xor(1, 0, random(i, BLOCK), client(101), i, 0));
    }
    assertArrayEquals(expected, read(rig.store, 1, 0, BLOCK));
  }
}
