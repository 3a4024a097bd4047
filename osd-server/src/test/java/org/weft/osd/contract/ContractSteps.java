package org.weft.osd.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.weft.osd.contract.ContractCalls.BLOCK;
import static org.weft.osd.contract.ContractCalls.TAG;
import static org.weft.osd.contract.ContractCalls.UNIT;
import static org.weft.osd.contract.ContractCalls.call;

import com.google.protobuf.ByteString;
import org.weft.osd.contract.ContractCalls.Call;
import org.weft.osd.contract.ContractCalls.Party;
import org.weft.osd.contract.ContractOsd.Answer;
import org.weft.osd.harness.Blocks;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.BatchItem;
import org.weft.protocol.wire.BatchRequest;
import org.weft.protocol.wire.BlockRun;
import org.weft.protocol.wire.ListPendingReply;
import org.weft.protocol.wire.PendingKind;
import org.weft.protocol.wire.ReadReply;

/** Steps that tests of the contract are made of. */
final class ContractSteps {
  private ContractSteps() {}

  static final long GRANT = Lsn.of(3, 10).value();
  static final long NEXT = Lsn.of(3, 20).value();
  static final Party CLIENT = Party.client(GRANT, 0);
  static final Party MANAGER = Party.manager(3);

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

  static Answer good(ContractOsd osd, Call call) {
    Answer answer = call.to(osd);
    assertNull(answer.error(), () -> call + " was refused: " + answer);
    return answer;
  }

  static void refused(ErrorCode code, ContractOsd osd, Call call) {
    Answer answer = call.to(osd);
    assertEquals(code, answer.error(), () -> call + ": " + answer);
  }

  static byte[] read(ContractOsd osd) {
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

  static ReadReply reply(ContractOsd osd) {
    return (ReadReply) good(osd, MANAGER.read(0, RandomCourse.OBJECT_BYTES)).body();
  }

  static ListPendingReply pending(ContractOsd osd) {
    return (ListPendingReply) good(osd, MANAGER.listPending()).body();
  }

  static byte[] xor(byte[] a, byte[] b) {
    byte[] sum = a.clone();
    for (int i = 0; i < b.length; i++) {
      sum[i] ^= b[i];
    }
    return sum;
  }

  static Call batch(Call... items) {
    BatchRequest.Builder batch = BatchRequest.newBuilder();
    for (Call item : items) {
      batch.addItems(
          BatchItem.newBuilder()
              .setOpcode(item.opcode().number())
              .setBody(item.body().toByteString())
              .setPayload(ByteString.copyFrom(item.payload())));
    }
    return new Call(Opcode.BATCH, batch.build(), new byte[0]);
  }

  static Call write(Party party, long grant, long seq, long offset, byte[] bytes) {
    return call(party.write(grant, seq, 1, offset, bytes).setCreate(TAG), bytes);
  }

  static Call xor(Party party, long grant, long seq, long offset, byte[] delta) {
    return call(party.xor(grant, seq, offset, delta), delta);
  }

  static Call exchange(Party party, long grant, long seq, long offset, byte[] bytes) {
    return call(party.exchange(grant, seq, offset, bytes), bytes);
  }

  /** A first unit that is complete, under seq 1. */
  static byte[] withFirstUnit(ContractOsd osd) {
    byte[] first = Blocks.random(1, UNIT);
    good(osd, write(CLIENT, GRANT, 1, 0, first));
    good(osd, CLIENT.complete(GRANT, 1, 0, 0));
    return first;
  }

  static Call of(PendingKind kind, long seq, byte[] bytes) {
    return of(kind, seq, bytes, 0);
  }

  static Call of(PendingKind kind, long seq, byte[] bytes, long offset) {
    return switch (kind) {
      case STRIPE -> write(CLIENT, GRANT, seq, offset, bytes);
      case XOR_DATA -> exchange(CLIENT, GRANT, seq, offset, bytes);
      default -> xor(CLIENT, GRANT, seq, offset, bytes);
    };
  }
}
