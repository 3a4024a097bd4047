package org.weft.osd.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.contract.ContractCalls.BLOCK;
import static org.weft.osd.contract.ContractCalls.TAG;
import static org.weft.osd.contract.ContractCalls.UNIT;
import static org.weft.osd.contract.ContractCalls.call;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.weft.osd.contract.ContractCalls.Call;
import org.weft.osd.contract.ContractCalls.Party;
import org.weft.osd.contract.ContractOsd.Answer;
import org.weft.osd.harness.Blocks;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.wire.AbortReply;
import org.weft.protocol.wire.BlockRun;
import org.weft.protocol.wire.ListPendingReply;
import org.weft.protocol.wire.PendingKind;
import org.weft.protocol.wire.PendingWrite;
import org.weft.protocol.wire.ReadReply;
import org.weft.protocol.wire.XorReadWriteReply;

/** The pending list, rule by rule (P 5.3 to 5.5), on the fake OSD and on the real one. */
class OsdContractTest {
  private static final long GRANT = Lsn.of(3, 10).value();
  private static final long NEXT = Lsn.of(3, 20).value();
  private static final Party CLIENT = Party.client(GRANT, 0);
  private static final Party MANAGER = Party.manager(3);

  /** Which OSD. */
  enum Kind {
    FAKE {
      @Override
      ContractOsd start() {
        return new FakeContractOsd(1);
      }
    },
    REAL {
      @Override
      ContractOsd start() {
        return new RealContractOsd(1);
      }
    };

    abstract ContractOsd start();
  }

  private static Answer good(ContractOsd osd, Call call) {
    Answer answer = call.to(osd);
    assertNull(answer.error(), () -> call + " was refused: " + answer);
    return answer;
  }

  private static void refused(ErrorCode code, ContractOsd osd, Call call) {
    Answer answer = call.to(osd);
    assertEquals(code, answer.error(), () -> call + ": " + answer);
  }

  private static byte[] read(ContractOsd osd) {
    Answer answer = good(osd, MANAGER.read(0, RandomCourse.OBJECT_BYTES));
    byte[] bytes = new byte[RandomCourse.OBJECT_BYTES];
    int at = 0;
    for (BlockRun run : ((ReadReply) answer.body()).getRunsList()) {
      int length = run.getBlockCount() * BLOCK;
      System.arraycopy(answer.payload(), at, bytes, (int) run.getFirstBlock() * BLOCK, length);
      at += length;
    }
    return bytes;
  }

  private static ReadReply reply(ContractOsd osd) {
    return (ReadReply) good(osd, MANAGER.read(0, RandomCourse.OBJECT_BYTES)).body();
  }

  private static ListPendingReply pending(ContractOsd osd) {
    return (ListPendingReply) good(osd, MANAGER.listPending()).body();
  }

  private static byte[] xor(byte[] a, byte[] b) {
    byte[] sum = a.clone();
    for (int i = 0; i < b.length; i++) {
      sum[i] ^= b[i];
    }
    return sum;
  }

  private static Call write(Party party, long grant, long seq, long offset, byte[] bytes) {
    return call(party.write(grant, seq, 1, offset, bytes).setCreate(TAG), bytes);
  }

  private static Call xor(Party party, long grant, long seq, long offset, byte[] delta) {
    return call(party.xor(grant, seq, offset, delta), delta);
  }

  private static Call exchange(Party party, long grant, long seq, long offset, byte[] bytes) {
    return call(party.exchange(grant, seq, offset, bytes), bytes);
  }

  /** A first unit that is complete, under seq 1. */
  private static byte[] withFirstUnit(ContractOsd osd) {
    byte[] first = Blocks.random(1, UNIT);
    good(osd, write(CLIENT, GRANT, 1, 0, first));
    good(osd, CLIENT.complete(GRANT, 1, 0, 0));
    return first;
  }

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
  void noWriteIsExecutedAgainHoweverLateItComes(Kind kind) {
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
  void anExchangeAnswersWithWhatItChangedAsOftenAsItIsAsked(Kind kind) {
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
  void anExchangeOverNothingChangesZeros(Kind kind) {
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
  void whatWouldLoseAnUndoIsBusy(Kind kind) {
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

  private static Call of(PendingKind kind, long seq, byte[] bytes) {
    return of(kind, seq, bytes, 0);
  }

  private static Call of(PendingKind kind, long seq, byte[] bytes, long offset) {
    return switch (kind) {
      case STRIPE -> write(CLIENT, GRANT, seq, offset, bytes);
      case XOR_DATA -> exchange(CLIENT, GRANT, seq, offset, bytes);
      default -> xor(CLIENT, GRANT, seq, offset, bytes);
    };
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void whatARequestSaysOfOthersCountsFirstButOnlyIfItIsCarriedOut(Kind kind) {
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

  @ParameterizedTest
  @EnumSource(Kind.class)
  void whatIsCompleteIsNotUndone(Kind kind) {
    try (ContractOsd osd = kind.start()) {
      byte[] first = withFirstUnit(osd);
      refused(ErrorCode.INVALID_ARGUMENT, osd, CLIENT.abort(GRANT, 1, 1));
      refused(ErrorCode.INVALID_ARGUMENT, osd, MANAGER.abort(GRANT, 1, 1));
      assertArrayEquals(first, Arrays.copyOf(read(osd), UNIT));
    }
  }

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
