package org.weft.osd.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.contract.ContractCalls.BLOCK;
import static org.weft.osd.contract.ContractCalls.UNIT;
import static org.weft.osd.contract.ContractCalls.call;
import static org.weft.osd.contract.ContractSteps.CLIENT;
import static org.weft.osd.contract.ContractSteps.GRANT;
import static org.weft.osd.contract.ContractSteps.MANAGER;
import static org.weft.osd.contract.ContractSteps.NEXT;
import static org.weft.osd.contract.ContractSteps.exchange;
import static org.weft.osd.contract.ContractSteps.good;
import static org.weft.osd.contract.ContractSteps.pending;
import static org.weft.osd.contract.ContractSteps.read;
import static org.weft.osd.contract.ContractSteps.refused;
import static org.weft.osd.contract.ContractSteps.reply;
import static org.weft.osd.contract.ContractSteps.withFirstUnit;
import static org.weft.osd.contract.ContractSteps.write;
import static org.weft.osd.contract.ContractSteps.xor;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.weft.osd.contract.ContractCalls.Call;
import org.weft.osd.contract.ContractCalls.Party;
import org.weft.osd.contract.ContractSteps.Kind;
import org.weft.osd.harness.Blocks;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.CompletionMarkMessage;
import org.weft.protocol.wire.ListPendingReply;
import org.weft.protocol.wire.PendingKind;
import org.weft.protocol.wire.PendingWrite;

/** Whose commands are heard, and what managers do for writers that are gone (P 5.4, 5.5). */
class ResolvingContractTest {
  @ParameterizedTest
  @EnumSource(Kind.class)
  void clientsSpeakForThemselvesAlone(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      byte[] block = Blocks.random(14, BLOCK);
      good(osd, write(CLIENT, GRANT, 1, 0, block));
      Party other = Party.client(NEXT, 0);
      refused(ErrorCode.INVALID_ARGUMENT, osd, other.abort(GRANT, 1, 1));
      refused(ErrorCode.INVALID_ARGUMENT, osd, other.complete(GRANT, 1, 0, 0));
      refused(ErrorCode.INVALID_ARGUMENT, osd, exchange(other, GRANT, 2, BLOCK, block));
      refused(ErrorCode.INVALID_ARGUMENT, osd, xor(other, GRANT, 2, BLOCK, block));
      refused(ErrorCode.CAPABILITY_INVALID, osd, CLIENT.listPending());
      refused(ErrorCode.CAPABILITY_INVALID, osd, CLIENT.readDelta(GRANT, 1));
      refused(ErrorCode.INVALID_ARGUMENT, osd, Party.manager(2).abort(GRANT, 1, 1));
      good(osd, Party.manager(4).abort(GRANT, 1, 1));
    }
  }

  /** The manager reads the list of a dead grant, so that raising the version leaves it be. */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void fencingKeepsTheListAndAFloorEndsIt(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      var unused = withFirstUnit(osd);
      byte[] block = Blocks.random(15, BLOCK);
      Call zombie = write(CLIENT, GRANT, 2, UNIT, block);
      good(osd, zombie);
      good(osd, exchange(CLIENT, GRANT, 3, 0, block));
      good(osd, MANAGER.raise(GRANT + 1));
      for (Call fenced :
          List.of(
              zombie,
              exchange(CLIENT, GRANT, 3, 0, block),
              xor(CLIENT, GRANT, 4, 3L * UNIT, block),
              CLIENT.abort(GRANT, 2, 1),
              CLIENT.complete(GRANT, 3, 0, 0))) {
        refused(ErrorCode.FENCED, osd, fenced);
      }
      osd.restart();
      assertEquals(2, pending(osd).getWritesCount());
      assertEquals(1, pending(osd).getMarksCount());
      byte[] next = Blocks.random(16, BLOCK);
      refused(ErrorCode.BUSY, osd, write(Party.client(NEXT, GRANT), NEXT, 1, UNIT, next));
      good(osd, write(Party.client(NEXT, NEXT), NEXT, 1, UNIT, next));
      ListPendingReply list = pending(osd);
      assertEquals(1, list.getWritesCount());
      assertEquals(NEXT, list.getWrites(0).getGrant());
      assertEquals(0, list.getMarksCount());
      assertEquals(NEXT, list.getObjectVersion());
      // A command of the resolution that was under way all the while must not bring back bytes.
      good(osd, write(MANAGER, GRANT, 2, UNIT, block));
      good(osd, xor(MANAGER, GRANT, 4, 0, block));
      refused(ErrorCode.INVALID_ARGUMENT, osd, MANAGER.abort(GRANT, 3, 1));
      assertArrayEquals(next, Arrays.copyOfRange(read(osd), UNIT, UNIT + BLOCK));
      assertArrayEquals(block, Arrays.copyOf(read(osd), BLOCK));
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aManagerActsInADeadWritersPlace(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      byte[] old = withFirstUnit(osd);
      good(osd, MANAGER.raise(NEXT));
      byte[] forward = Blocks.random(17, UNIT);
      byte[] delta = Blocks.random(18, UNIT);
      Call roll = write(MANAGER, GRANT, 5, UNIT, forward);
      good(osd, roll);
      good(osd, roll);
      good(osd, xor(MANAGER, GRANT, 6, 0, delta));
      good(osd, xor(MANAGER, GRANT, 6, 0, delta));
      assertEquals(
          List.of(PendingKind.STRIPE, PendingKind.XOR_DELTA),
          pending(osd).getWritesList().stream().map(PendingWrite::getKind).toList());
      assertArrayEquals(xor(old, delta), Arrays.copyOf(read(osd), UNIT));
      assertArrayEquals(forward, Arrays.copyOfRange(read(osd), UNIT, 2 * UNIT));
      good(osd, MANAGER.abort(GRANT, 6, 1));
      assertArrayEquals(old, Arrays.copyOf(read(osd), UNIT));
      good(osd, MANAGER.complete(GRANT, 6, 123_456, 0));
      assertEquals(0, pending(osd).getWritesCount());
      assertEquals(123_456, reply(osd).getEof());
    }
  }

  /** A component that is only made for a write, or told of its length, lists it all the same. */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void anUndoneWriteTakesItsLengthAlongEvenWithoutBytes(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      byte[] none = new byte[0];
      var unused = withFirstUnit(osd);
      long before = reply(osd).getEof();
      Call told = call(CLIENT.write(GRANT, 7, 2, 0, none).setEof(before + 50_000), none);
      good(osd, told);
      good(osd, told);
      assertEquals(before + 50_000, reply(osd).getEof());
      assertEquals(1, pending(osd).getWritesCount());
      assertEquals(PendingKind.STRIPE, pending(osd).getWrites(0).getKind());
      assertEquals(0, pending(osd).getWrites(0).getLength());
      osd.restart();
      assertEquals(before + 50_000, pending(osd).getEof());
      good(osd, CLIENT.abort(GRANT, 7, 2));
      assertEquals(before, reply(osd).getEof());
      refused(ErrorCode.WRITE_ABORTED, osd, told);
      good(osd, call(CLIENT.write(GRANT, 9, 1, 0, none).setEof(before + 70_000), none));
      good(osd, CLIENT.complete(GRANT, 9, 0, 0));
      assertEquals(0, pending(osd).getWritesCount());
      assertEquals(before + 70_000, reply(osd).getEof());
      // Without an id there is nothing to undo it by.
      good(osd, call(CLIENT.write(GRANT, 0, 0, 0, none).setEof(before + 90_000), none));
      assertEquals(0, pending(osd).getWritesCount());
      assertEquals(before + 90_000, reply(osd).getEof());
    }
  }

  /** Of a file that many have written, a mark for each would not go: the floor stands for them. */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void anAttributeFlushEndsGrantsBelowItsFloor(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      var unused = withFirstUnit(osd);
      byte[] block = Blocks.random(31, BLOCK);
      good(osd, call(CLIENT.write(GRANT, 2, 1, UNIT, block).setEof(77_777), block));
      good(osd, write(Party.client(NEXT, 0), NEXT, 1, 2L * UNIT, block));
      CompletionMarkMessage mark =
          CompletionMarkMessage.newBuilder().setGrant(NEXT).setCompleteUpTo(1).build();
      good(osd, MANAGER.flushed(GRANT, mark));
      assertEquals(1, pending(osd).getWritesCount(), "a floor ends smaller grants alone");
      good(osd, MANAGER.flushed(NEXT));
      osd.restart();
      ListPendingReply list = pending(osd);
      assertEquals(0, list.getWritesCount());
      assertEquals(List.of(mark), list.getMarksList());
      assertEquals(NEXT, list.getResolvedBelow());
      assertEquals(NEXT, list.getObjectVersion());
      assertEquals(77_777, list.getEof());
      refused(ErrorCode.FENCED, osd, write(CLIENT, GRANT, 3, 3L * UNIT, block));
      good(osd, MANAGER.flushed(GRANT));
      assertEquals(NEXT, pending(osd).getResolvedBelow(), "a floor that comes late");
      for (int closed = 1; closed <= 1_100; closed++) {
        CompletionMarkMessage one =
            CompletionMarkMessage.newBuilder().setGrant(NEXT + closed).setCompleteUpTo(9).build();
        good(osd, MANAGER.flushed(NEXT + closed, one));
      }
      assertEquals(1, pending(osd).getMarksCount());
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aManagersWriteCarriesItsFloorToo(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      var unused = withFirstUnit(osd);
      byte[] block = Blocks.random(32, BLOCK);
      good(osd, write(CLIENT, GRANT, 2, UNIT, block));
      Party above = Party.manager(3, NEXT);
      refused(ErrorCode.INVALID_ARGUMENT, osd, above.complete(GRANT, 2, 0, 0));
      assertEquals(1, pending(osd).getWritesCount());
      good(osd, write(above, NEXT, 1, UNIT, block));
      assertEquals(0, pending(osd).getWritesCount());
      assertEquals(NEXT, pending(osd).getResolvedBelow());
      assertEquals(NEXT, pending(osd).getObjectVersion());
    }
  }

  /** A cut that was on its way while its grant was resolved, and others wrote since. */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void aCutBelowTheFloorIsAnsweredButNotExecuted(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      byte[] first = withFirstUnit(osd);
      good(osd, MANAGER.flushed(NEXT));
      good(osd, MANAGER.truncate(GRANT, 9, 0, 0, 7, 0));
      good(osd, MANAGER.punch(GRANT, 9, 0, UNIT, 0));
      assertArrayEquals(first, Arrays.copyOf(read(osd), UNIT));
      assertEquals(UNIT, reply(osd).getEof());
      assertEquals(0, reply(osd).getTruncationNumber());
      // A manager's own number lies below the floor, too, and is another matter.
      good(osd, MANAGER.truncate(Lsn.of(3, 0).value(), 1, 0, 100, 7, 0));
      assertEquals(7, reply(osd).getTruncationNumber());
    }
  }

  /**
   * A removal that keeps an object from being made never takes away what was made a moment before.
   */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void aRequestThatExpectsAbsenceRemovesNoExistingObject(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      byte[] first = withFirstUnit(osd);
      refused(ErrorCode.EXISTS, osd, MANAGER.remove(NEXT, true));
      osd.restart();
      assertArrayEquals(first, Arrays.copyOf(read(osd), UNIT));
      good(osd, CLIENT.complete(GRANT, 2, 0, 0));
      good(osd, MANAGER.remove(NEXT, false));
      // No tombstone was left by the one that was refused, but one by this.
      refused(ErrorCode.TOMBSTONE, osd, write(CLIENT, GRANT, 3, 0, first));
      good(osd, MANAGER.remove(NEXT + 2, true));
      osd.restart();
      refused(ErrorCode.TOMBSTONE, osd, write(Party.client(NEXT + 1, 0), NEXT + 1, 1, 0, first));
      good(osd, write(Party.client(NEXT + 2, 0), NEXT + 2, 1, 0, first));
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aRefusedRemovalLeavesNoTombstone(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      var unused = withFirstUnit(osd);
      refused(ErrorCode.EXISTS, osd, MANAGER.remove(NEXT, true));
      good(osd, MANAGER.raise(GRANT + 1));
      refused(ErrorCode.FENCED, osd, MANAGER.remove(GRANT, false));
      good(osd, MANAGER.remove(GRANT + 1, false));
      good(osd, write(Party.client(GRANT + 1, 0), GRANT + 1, 1, 0, Blocks.random(33, UNIT)));
    }
  }

  /** A removal of an attempt that was given up since, on an object that a later one counts on. */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void aLateRemovalDoesNotTouchARaisedObject(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      byte[] first = withFirstUnit(osd);
      good(osd, MANAGER.raise(NEXT));
      refused(ErrorCode.FENCED, osd, MANAGER.remove(NEXT - 1, false));
      osd.restart();
      assertArrayEquals(first, Arrays.copyOf(read(osd), UNIT));
      good(osd, MANAGER.remove(NEXT, false));
      refused(ErrorCode.NO_SUCH_OBJECT, osd, MANAGER.listPending());
    }
  }

  /** Whatever of it was still on its way when the file was resolved by another one, and written. */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void aLateCommandOfAnEarlierAttemptChangesNothing(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      byte[] first = withFirstUnit(osd);
      byte[] block = Blocks.random(51, BLOCK);
      good(osd, write(CLIENT, GRANT, 2, UNIT, block));
      Party earlier = Party.attempt(GRANT + 3);
      Party later = Party.attempt(GRANT + 5);
      good(osd, earlier.raise(GRANT + 3));
      good(osd, later.raise(GRANT + 5));
      List<Call> late =
          List.of(
              write(earlier, GRANT, 3, 2L * UNIT, block),
              write(earlier, GRANT + 3, 1, 2L * UNIT, block),
              xor(earlier, GRANT, 4, 0, block),
              earlier.abort(GRANT, 2, 1),
              earlier.complete(GRANT, 4, 123_456, 0),
              earlier.raise(GRANT + 3),
              earlier.remove(GRANT + 3, false));
      for (Call call : late) {
        refused(ErrorCode.FENCED, osd, call);
      }
      assertEquals(1, pending(osd).getWritesCount());
      good(osd, later.abort(GRANT, 2, 1));
      good(osd, later.complete(GRANT, 2, 0, 0));
      osd.restart();
      // No floor: a client that shares the file with others keeps the version where it is.
      good(osd, write(Party.client(NEXT, 0), NEXT, 1, UNIT, first));
      for (Call call : late) {
        refused(ErrorCode.FENCED, osd, call);
      }
      assertArrayEquals(first, Arrays.copyOf(read(osd), UNIT));
      assertArrayEquals(first, Arrays.copyOfRange(read(osd), UNIT, 2 * UNIT));
      assertEquals(1, pending(osd).getWritesCount());
      // The manager's right to everything in the partition belongs to no attempt.
      good(osd, MANAGER.complete(NEXT, 1, 0, 0));
    }
  }

  /** An XOR under a number of the manager's own could not be told from its repetition. */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void aManagersOwnNumbersLeaveNoRecords(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      byte[] old = withFirstUnit(osd);
      byte[] block = Blocks.random(19, BLOCK);
      good(osd, write(MANAGER, NEXT, 1, UNIT, block));
      good(osd, write(MANAGER, Lsn.of(3, 0).value(), 1, 2L * UNIT, block));
      assertEquals(0, pending(osd).getWritesCount());
      refused(ErrorCode.INVALID_ARGUMENT, osd, xor(MANAGER, NEXT, 2, 0, block));
      refused(ErrorCode.INVALID_ARGUMENT, osd, exchange(MANAGER, NEXT, 2, 0, block));
      good(osd, exchange(CLIENT, GRANT, 2, 0, block));
      refused(ErrorCode.BUSY, osd, write(MANAGER, NEXT, 3, 0, old));
      good(osd, MANAGER.raise(GRANT + 1));
      good(osd, write(MANAGER, NEXT, 3, 0, old));
      assertEquals(0, pending(osd).getWritesCount());
      assertArrayEquals(old, Arrays.copyOf(read(osd), UNIT));
    }
  }

  /** Old numbers of a manager lie below the floors of newer grants, and are still its own. */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void aManagersPlainNumberIsNeverTakenForADeadGrant(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      byte[] block = Blocks.random(20, BLOCK);
      good(osd, write(Party.client(NEXT, NEXT), NEXT, 1, 0, block));
      byte[] plain = Blocks.random(21, BLOCK);
      good(osd, write(MANAGER, Lsn.of(3, 0).value(), 1, UNIT, plain));
      assertArrayEquals(plain, Arrays.copyOfRange(read(osd), UNIT, UNIT + BLOCK));
      assertEquals(1, pending(osd).getWritesCount());
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aGrantHasABoundedNumberOfRecords(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      byte[] first = withFirstUnit(osd);
      byte[] delta = Blocks.random(22, BLOCK);
      for (int seq = 2; seq < 2 + 1_024; seq++) {
        good(osd, xor(CLIENT, GRANT, seq, 0, delta));
      }
      refused(ErrorCode.BUSY, osd, xor(CLIENT, GRANT, 5_000, 0, delta));
      refused(ErrorCode.BUSY, osd, CLIENT.abort(GRANT, 5_001, 1));
      Party other = Party.client(NEXT, 0);
      good(osd, xor(other, NEXT, 1, 0, delta));
      good(osd, CLIENT.complete(GRANT, 2, 0, 0));
      good(osd, xor(CLIENT, GRANT, 5_000, 0, delta));
      assertArrayEquals(first, Arrays.copyOf(read(osd), UNIT), "1,026 times the same");
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aLongListComesInParts(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      byte[] first = withFirstUnit(osd);
      byte[] delta = Blocks.random(41, BLOCK);
      for (int seq = 2; seq < 7; seq++) {
        good(osd, xor(CLIENT, GRANT, seq, 0, delta));
      }
      good(osd, xor(Party.client(NEXT, 0), NEXT, 1, 0, delta));
      ListPendingReply whole = pending(osd);
      assertEquals(6, whole.getWritesCount());
      assertFalse(whole.getMore());
      ListPendingReply one = part(osd, 0, 0, 4);
      assertTrue(one.getMore());
      assertEquals(whole.getWritesList().subList(0, 4), one.getWritesList());
      assertEquals(whole.getMarksList(), one.getMarksList());
      assertEquals(whole.getState(), one.getState());
      ListPendingReply two = part(osd, GRANT, 5, 2);
      assertFalse(two.getMore());
      assertEquals(whole.getWritesList().subList(4, 6), two.getWritesList());
      assertEquals(whole.getState(), two.getState());
      assertEquals(0, part(osd, NEXT, 1, 9).getWritesCount());
      good(osd, CLIENT.complete(GRANT, 2, 0, 0));
      assertNotEquals(whole.getState(), part(osd, GRANT, 5, 2).getState());
      assertArrayEquals(first, Arrays.copyOf(read(osd), UNIT));
    }
  }

  private static ListPendingReply part(ContractOsd osd, long afterGrant, long afterSeq, int max) {
    return (ListPendingReply) good(osd, MANAGER.listPending(afterGrant, afterSeq, max)).body();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void absentObjectsHaveNoList(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      byte[] block = Blocks.random(23, BLOCK);
      Stream.of(
              exchange(CLIENT, GRANT, 1, 0, block),
              xor(CLIENT, GRANT, 1, 0, block),
              CLIENT.abort(GRANT, 1, 1),
              CLIENT.complete(GRANT, 1, 0, 0),
              MANAGER.listPending(),
              MANAGER.readDelta(GRANT, 1))
          .forEach(call -> refused(ErrorCode.NO_SUCH_OBJECT, osd, call));
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void senselessRequestsAreRefused(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      var unused = withFirstUnit(osd);
      byte[] block = Blocks.random(24, BLOCK);
      refused(ErrorCode.INVALID_ARGUMENT, osd, exchange(CLIENT, GRANT, 0, 0, block));
      refused(ErrorCode.INVALID_ARGUMENT, osd, exchange(CLIENT, GRANT, 2, 0, new byte[0]));
      refused(ErrorCode.INVALID_ARGUMENT, osd, xor(CLIENT, GRANT, 0, 0, block));
      refused(ErrorCode.INVALID_ARGUMENT, osd, xor(CLIENT, GRANT, 2, 0, new byte[0]));
      refused(ErrorCode.INVALID_ARGUMENT, osd, xor(CLIENT, GRANT, 2, 100, block));
      refused(ErrorCode.INVALID_ARGUMENT, osd, xor(CLIENT, GRANT, 2, 0, new byte[100]));
      refused(ErrorCode.INVALID_ARGUMENT, osd, CLIENT.abort(GRANT, 0, 1));
      refused(ErrorCode.INVALID_ARGUMENT, osd, CLIENT.abort(GRANT, 2, 0));
      refused(
          ErrorCode.BAD_CHECKSUM,
          osd,
          call(CLIENT.exchange(GRANT, 2, 0, block).setBlockCrc(0, 7), block));
      refused(
          ErrorCode.BAD_CHECKSUM,
          osd,
          call(CLIENT.xor(GRANT, 2, 0, block).setBlockCrc(0, 7), block));
      assertEquals(0, pending(osd).getWritesCount());
    }
  }
}
