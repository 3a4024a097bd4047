package org.weft.osd.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.contract.ContractCalls.BLOCK;
import static org.weft.osd.contract.ContractCalls.TAG;
import static org.weft.osd.contract.ContractCalls.UNIT;
import static org.weft.osd.contract.ContractCalls.call;
import static org.weft.osd.contract.ContractSteps.CLIENT;
import static org.weft.osd.contract.ContractSteps.GRANT;
import static org.weft.osd.contract.ContractSteps.MANAGER;
import static org.weft.osd.contract.ContractSteps.NEXT;
import static org.weft.osd.contract.ContractSteps.exchange;
import static org.weft.osd.contract.ContractSteps.good;
import static org.weft.osd.contract.ContractSteps.of;
import static org.weft.osd.contract.ContractSteps.pending;
import static org.weft.osd.contract.ContractSteps.read;
import static org.weft.osd.contract.ContractSteps.refused;
import static org.weft.osd.contract.ContractSteps.reply;
import static org.weft.osd.contract.ContractSteps.withFirstUnit;
import static org.weft.osd.contract.ContractSteps.write;
import static org.weft.osd.contract.ContractSteps.xor;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.weft.osd.contract.ContractCalls.Call;
import org.weft.osd.contract.ContractCalls.Party;
import org.weft.osd.contract.ContractOsd.Answer;
import org.weft.osd.contract.ContractSteps.Kind;
import org.weft.osd.harness.Blocks;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.wire.AbortReply;
import org.weft.protocol.wire.BatchReply;
import org.weft.protocol.wire.PendingKind;
import org.weft.protocol.wire.PendingWrite;
import org.weft.protocol.wire.XorReadWriteReply;

/** The pending list, rule by rule (P 5.3, 5.4), on the fake OSD and on the real one. */
class OsdContractTest {
  @ParameterizedTest
  @EnumSource(Kind.class)
  void aWriteIsPendingUntilItIsComplete(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      byte[] run = Blocks.random(1, 3 * UNIT - 100);
      good(osd, call(CLIENT.write(GRANT, 1, 3, UNIT, run).setCreate(TAG).setEof(99_999), run));
      assertTrue(reply(osd).getPending());
      PendingWrite record = pending(osd).getWrites(0);
      PendingWrite wanted =
          PendingWrite.newBuilder()
              .setGrant(GRANT)
              .setFirstSeq(1)
              .setSeqCount(3)
              .setKind(PendingKind.STRIPE)
              .addAllParticipants(List.of(0, 1, 2))
              .setOffset(UNIT)
              .setLength(run.length)
              .setEof(99_999)
              .build();
      assertEquals(wanted, record);
      good(osd, CLIENT.complete(GRANT, 2, 0, 0));
      assertEquals(1, pending(osd).getWritesCount(), "the last stripe of the run is not complete");
      good(osd, CLIENT.complete(GRANT, 3, 0, 0));
      osd.restart();
      assertFalse(reply(osd).getPending());
      assertEquals(0, pending(osd).getWritesCount());
      assertEquals(3, pending(osd).getMarks(0).getCompleteUpTo());
      assertEquals(99_999, reply(osd).getEof());
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aLateRepeatOfAWriteIsNotExecuted(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      byte[] first = Blocks.random(1, UNIT);
      byte[] second = Blocks.random(2, UNIT);
      Call one = write(CLIENT, GRANT, 1, 0, first);
      good(osd, one);
      good(osd, one);
      assertEquals(1, pending(osd).getWritesCount());
      good(osd, call(CLIENT.write(GRANT, 2, 1, 0, second).setCompleteUpTo(1), second));
      good(osd, one);
      osd.restart();
      good(osd, one);
      assertArrayEquals(second, Arrays.copyOf(read(osd), UNIT));
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aRepeatedExchangeReturnsTheSameDelta(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      byte[] old = withFirstUnit(osd);
      byte[] part = Blocks.random(3, 5_000);
      Call exchange = exchange(CLIENT, GRANT, 2, 1_000, part);
      byte[] now = old.clone();
      System.arraycopy(part, 0, now, 1_000, part.length);
      byte[] delta = xor(now, old);
      assertArrayEquals(delta, good(osd, exchange).payload());
      assertArrayEquals(now, Arrays.copyOf(read(osd), UNIT));
      osd.restart();
      Answer again = good(osd, exchange);
      assertArrayEquals(delta, again.payload());
      XorReadWriteReply reply = (XorReadWriteReply) again.body();
      assertEquals(Blocks.crcs(0, delta), reply.getBlockCrcList());
      assertFalse(reply.getComplete());
      assertArrayEquals(delta, good(osd, MANAGER.readDelta(GRANT, 2)).payload());
      good(osd, CLIENT.complete(GRANT, 2, 0, 0));
      Answer late = good(osd, exchange);
      assertTrue(((XorReadWriteReply) late.body()).getComplete());
      assertEquals(0, late.payload().length);
      refused(ErrorCode.INVALID_ARGUMENT, osd, MANAGER.readDelta(GRANT, 2));
      assertArrayEquals(now, Arrays.copyOf(read(osd), UNIT));
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void anExchangeOverAHoleChangesZeros(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      var unused = withFirstUnit(osd);
      byte[] part = Blocks.random(3, 10);
      byte[] delta = good(osd, exchange(CLIENT, GRANT, 2, 3L * UNIT + 5, part)).payload();
      byte[] wanted = new byte[BLOCK];
      System.arraycopy(part, 0, wanted, 5, part.length);
      assertArrayEquals(wanted, delta);
      good(osd, CLIENT.abort(GRANT, 2, 1));
      assertArrayEquals(new byte[5 * UNIT], Arrays.copyOfRange(read(osd), UNIT, 6 * UNIT));
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aDeltaIsAppliedOnce(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      byte[] old = withFirstUnit(osd);
      byte[] delta = Blocks.random(4, UNIT);
      Call xor = xor(CLIENT, GRANT, 2, 0, delta);
      good(osd, xor);
      good(osd, xor);
      osd.restart();
      good(osd, xor);
      assertArrayEquals(xor(old, delta), Arrays.copyOf(read(osd), UNIT));
      good(osd, CLIENT.complete(GRANT, 2, 0, 0));
      good(osd, xor);
      osd.restart();
      good(osd, xor);
      assertArrayEquals(xor(old, delta), Arrays.copyOf(read(osd), UNIT));
    }
  }

  /** Also after others landed on the same block: each δ stays to be had, and comes off alone. */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void deltasOfSeveralWritersComeOffInAnyOrder(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      byte[] old = withFirstUnit(osd);
      Party other = Party.client(NEXT, 0);
      byte[] one = Blocks.random(5, UNIT);
      byte[] two = Blocks.random(6, BLOCK);
      byte[] three = Blocks.random(7, UNIT);
      good(osd, xor(CLIENT, GRANT, 2, 0, one));
      good(osd, xor(other, NEXT, 1, BLOCK, two));
      good(osd, xor(CLIENT, GRANT, 3, 0, three));
      assertArrayEquals(two, good(osd, MANAGER.readDelta(NEXT, 1)).payload());
      assertArrayEquals(one, good(osd, MANAGER.readDelta(GRANT, 2)).payload());
      good(osd, CLIENT.abort(GRANT, 2, 1));
      byte[] shifted = new byte[UNIT];
      System.arraycopy(two, 0, shifted, BLOCK, BLOCK);
      assertArrayEquals(xor(xor(old, shifted), three), Arrays.copyOf(read(osd), UNIT));
      osd.restart();
      good(osd, MANAGER.abort(NEXT, 1, 1));
      assertArrayEquals(xor(old, three), Arrays.copyOf(read(osd), UNIT));
      assertArrayEquals(three, good(osd, MANAGER.readDelta(GRANT, 3)).payload());
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aWriteOverAPendingOneIsBusy(Kind kind) {
    byte[] block = Blocks.random(8, BLOCK);
    for (PendingKind there :
        List.of(PendingKind.STRIPE, PendingKind.XOR_DATA, PendingKind.XOR_DELTA)) {
      for (PendingKind comes :
          List.of(PendingKind.STRIPE, PendingKind.XOR_DATA, PendingKind.XOR_DELTA)) {
        try (ContractOsd osd = kind.start()) {
          var unused = withFirstUnit(osd);
          good(osd, of(there, 2, block));
          Call next = of(comes, 3, block);
          if (there == PendingKind.XOR_DELTA && comes == PendingKind.XOR_DELTA) {
            good(osd, next);
          } else {
            refused(ErrorCode.BUSY, osd, next);
          }
          // The block beside it is free.
          good(osd, of(comes, 4, block, BLOCK));
          good(osd, CLIENT.complete(GRANT, 4, 0, 0));
          good(osd, of(comes, 5, block));
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void completionMarksOfARequestApplyFirstUnlessItIsRefused(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      byte[] block = Blocks.random(9, BLOCK);
      good(osd, write(CLIENT, GRANT, 1, 0, block));
      good(osd, write(CLIENT, GRANT, 2, BLOCK, block));
      byte[] two = Blocks.random(10, 2 * BLOCK);
      refused(ErrorCode.BUSY, osd, call(CLIENT.write(GRANT, 3, 1, 0, two).setCompleteUpTo(1), two));
      assertEquals(2, pending(osd).getWritesCount());
      assertEquals(0, pending(osd).getMarksCount());
      good(osd, call(CLIENT.write(GRANT, 3, 1, 0, two).setCompleteUpTo(2), two));
      assertEquals(1, pending(osd).getWritesCount());
    }
  }

  /** One commit, and yet one after another. */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void anItemOfABatchFindsWhatTheItemsBeforeItDid(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      byte[] first = Blocks.random(50, 2 * UNIT);
      byte[] second = Blocks.random(51, UNIT);
      byte[] third = Blocks.random(52, UNIT);
      allDone(
          osd,
          call(CLIENT.write(GRANT, 1, 2, 0, first).setCreate(TAG), first),
          call(CLIENT.write(GRANT, 3, 1, 2L * UNIT, second), second));
      allDone(
          osd,
          CLIENT.complete(GRANT, 3, 0, 0),
          call(CLIENT.write(GRANT, 4, 1, 0, second), second),
          MANAGER.raise(NEXT),
          call(MANAGER.write(GRANT, 5, 1, UNIT, third), third));
      assertEquals(
          List.of(PendingKind.STRIPE, PendingKind.STRIPE),
          pending(osd).getWritesList().stream().map(PendingWrite::getKind).toList());
      byte[] now = read(osd);
      assertArrayEquals(second, Arrays.copyOf(now, UNIT));
      assertArrayEquals(third, Arrays.copyOfRange(now, UNIT, 2 * UNIT));
      assertArrayEquals(second, Arrays.copyOfRange(now, 2 * UNIT, 3 * UNIT));
      allDone(osd, MANAGER.abort(GRANT, 4, 1), MANAGER.abort(GRANT, 5, 1));
      assertArrayEquals(first, Arrays.copyOf(read(osd), 2 * UNIT));
    }
  }

  private static void allDone(ContractOsd osd, Call... calls) {
    BatchReply reply = (BatchReply) good(osd, ContractSteps.batch(calls)).body();
    for (int i = 0; i < calls.length; i++) {
      assertEquals(0, reply.getItems(i).getError(), calls[i] + ": " + reply.getItems(i));
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void anAbortBringsBackBytesHolesAndLength(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      byte[] first = withFirstUnit(osd);
      byte[] run = Blocks.random(11, 4 * UNIT - 5_000);
      good(osd, call(CLIENT.write(GRANT, 2, 4, 5_000, run).setEof(500_000), run));
      assertEquals(500_000, reply(osd).getEof());
      refused(ErrorCode.INVALID_ARGUMENT, osd, CLIENT.abort(GRANT, 3, 1));
      AbortReply undone = (AbortReply) good(osd, CLIENT.abort(GRANT, 2, 4)).body();
      assertTrue(undone.getUndone());
      osd.restart();
      assertArrayEquals(Arrays.copyOf(first, RandomCourse.OBJECT_BYTES), read(osd));
      assertEquals(UNIT, reply(osd).getEof());
      assertFalse(reply(osd).getPending());
      assertFalse(((AbortReply) good(osd, CLIENT.abort(GRANT, 2, 4)).body()).getUndone());
    }
  }

  /**
   * A length of a newer truncation number counts alone, and goes with the write that brought it.
   */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void lengthsFollowTheirWrites(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      var unused = withFirstUnit(osd);
      byte[] block = Blocks.random(12, BLOCK);
      good(osd, call(CLIENT.write(GRANT, 2, 1, UNIT, block).setEof(70_000), block));
      good(
          osd,
          call(
              CLIENT.write(GRANT, 3, 1, 2L * UNIT, block).setEof(30_000).setTruncationNumber(1),
              block));
      assertEquals(30_000, reply(osd).getEof());
      assertEquals(1, reply(osd).getTruncationNumber());
      refused(ErrorCode.FENCED, osd, write(CLIENT, GRANT, 4, 3L * UNIT, block));
      good(osd, CLIENT.abort(GRANT, 3, 1));
      assertEquals(70_000, reply(osd).getEof());
      assertEquals(0, reply(osd).getTruncationNumber());
      good(osd, CLIENT.abort(GRANT, 2, 1));
      assertEquals(UNIT, reply(osd).getEof());
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void anAbortedIdDoesNotComeBack(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      byte[] first = withFirstUnit(osd);
      byte[] block = Blocks.random(13, BLOCK);
      assertFalse(((AbortReply) good(osd, CLIENT.abort(GRANT, 2, 1)).body()).getUndone());
      osd.restart();
      for (PendingKind kind2 :
          List.of(PendingKind.STRIPE, PendingKind.XOR_DATA, PendingKind.XOR_DELTA)) {
        refused(ErrorCode.WRITE_ABORTED, osd, of(kind2, 2, block));
      }
      assertEquals(PendingKind.ABORTED, pending(osd).getWrites(0).getKind());
      assertFalse(reply(osd).getPending());
      // An aborted seq counts as complete: it is answered, and still not executed.
      good(osd, CLIENT.complete(GRANT, 2, 0, 0));
      assertEquals(0, pending(osd).getWritesCount());
      good(osd, of(PendingKind.STRIPE, 2, block));
      assertArrayEquals(first, Arrays.copyOf(read(osd), UNIT));
    }
  }

  /** An aborted run stays until its last number is complete; earlier ones may be so before. */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void aCompleteNumberOfAnAbortedRunIsAnswered(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      byte[] first = withFirstUnit(osd);
      byte[] block = Blocks.random(60, BLOCK);
      good(osd, CLIENT.abort(GRANT, 2, 3));
      good(osd, CLIENT.complete(GRANT, 3, 0, 0));
      for (PendingKind each :
          List.of(PendingKind.STRIPE, PendingKind.XOR_DATA, PendingKind.XOR_DELTA)) {
        good(osd, of(each, 3, block));
        refused(ErrorCode.WRITE_ABORTED, osd, of(each, 4, block));
      }
      XorReadWriteReply reply =
          (XorReadWriteReply) good(osd, of(PendingKind.XOR_DATA, 3, block)).body();
      assertTrue(reply.getComplete());
      assertArrayEquals(first, Arrays.copyOf(read(osd), UNIT));
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aCompleteWriteIsNotUndone(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      byte[] first = withFirstUnit(osd);
      refused(ErrorCode.INVALID_ARGUMENT, osd, CLIENT.abort(GRANT, 1, 1));
      refused(ErrorCode.INVALID_ARGUMENT, osd, MANAGER.abort(GRANT, 1, 1));
      assertArrayEquals(first, Arrays.copyOf(read(osd), UNIT));
    }
  }
}
