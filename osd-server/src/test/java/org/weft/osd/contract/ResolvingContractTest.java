package org.weft.osd.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
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
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.ErrorCode;
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
