package org.weft.osd.command;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.harness.OsdCaller.TAG;
import static org.weft.osd.harness.OsdCaller.writeOf;
import static org.weft.osd.harness.Refusals.refused;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.osd.command.request.CommandLimits;
import org.weft.osd.harness.Blocks;
import org.weft.osd.harness.Caps;
import org.weft.osd.harness.OsdCaller;
import org.weft.osd.harness.OsdRig;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.Right;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.wire.AbortReply;
import org.weft.protocol.wire.AbortRequest;
import org.weft.protocol.wire.BatchItem;
import org.weft.protocol.wire.BatchReply;
import org.weft.protocol.wire.BatchRequest;
import org.weft.protocol.wire.CompleteRequest;
import org.weft.protocol.wire.ListPendingReply;
import org.weft.protocol.wire.ListPendingRequest;
import org.weft.protocol.wire.PendingKind;
import org.weft.protocol.wire.RangeReply;
import org.weft.protocol.wire.ReadDeltaReply;
import org.weft.protocol.wire.ReadDeltaRequest;
import org.weft.protocol.wire.WriteRequest;
import org.weft.protocol.wire.XorReadWriteReply;
import org.weft.protocol.wire.XorReadWriteRequest;
import org.weft.protocol.wire.XorWriteRequest;

/**
 * The commands of the pending list over the real transport (P 5.3 to 5.5): which capabilities allow
 * them, what they may ask for. What they do is the contract's.
 */
class PendingCommandsTest {
  private static final int BLOCK = Blocks.BLOCK_BYTES;
  private static final long OBJECT = 70_000;
  private static final long GRANT = Lsn.of(3, 10).value();
  private static final byte[] DATA = Blocks.random(1, 10 * BLOCK);

  @TempDir Path directory;
  private OsdRig rig;
  private OsdCaller osd;
  private SignedCapability client;
  private SignedCapability manager;

  @BeforeEach
  void start() throws IOException {
    rig = OsdRig.start(directory);
    osd = rig.caller();
    client = rig.caps().client(OBJECT, GRANT);
    manager = rig.caps().manager(3);
    osd.write(client, writeOf(OBJECT, GRANT, 1, 0, DATA).setCreate(TAG), DATA);
    complete(client, completeOf(1));
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private static XorReadWriteRequest.Builder exchange(long seq, long offset, byte[] bytes) {
    return XorReadWriteRequest.newBuilder()
        .setObjectId(OBJECT)
        .setOffset(offset)
        .addAllBlockCrc(Blocks.crcs(offset, bytes))
        .setGrant(GRANT)
        .setSeq(seq)
        .addAllParticipants(List.of(2, 0))
        .setEof(DATA.length);
  }

  private static XorWriteRequest.Builder xor(long seq, long offset, byte[] delta) {
    return XorWriteRequest.newBuilder()
        .setObjectId(OBJECT)
        .setOffset(offset)
        .addAllBlockCrc(Blocks.crcs(offset, delta))
        .setGrant(GRANT)
        .setSeq(seq)
        .addAllParticipants(List.of(2, 0))
        .setEof(DATA.length);
  }

  private RpcReply call(Opcode opcode, MessageLite body, byte[] bytes, SignedCapability signed)
      throws WeftException {
    return OsdCaller.wait(osd.send(opcode, body, bytes, signed.secret()));
  }

  private static byte[] taken(RpcReply reply) {
    byte[] bytes = new byte[reply.payload().lengthBytes()];
    ByteBuffer into = ByteBuffer.wrap(bytes);
    reply.payload().buffers().forEach(into::put);
    reply.payload().release();
    return bytes;
  }

  private RpcReply exchange(SignedCapability by, XorReadWriteRequest.Builder request, byte[] bytes)
      throws WeftException {
    XorReadWriteRequest body = request.setCapability(by.encoded()).build();
    return call(Opcode.XOR_READ_WRITE, body, bytes, by);
  }

  private RangeReply xor(SignedCapability by, XorWriteRequest.Builder request, byte[] bytes)
      throws WeftException {
    XorWriteRequest body = request.setCapability(by.encoded()).build();
    return call(Opcode.XOR_WRITE, body, bytes, by).parse(RangeReply.parser());
  }

  private AbortReply abort(SignedCapability by, AbortRequest.Builder request) throws WeftException {
    AbortRequest body = request.setCapability(by.encoded()).build();
    return call(Opcode.ABORT, body, new byte[0], by).parse(AbortReply.parser());
  }

  private static AbortRequest.Builder abortOf(long firstSeq, int count) {
    return AbortRequest.newBuilder()
        .setObjectId(OBJECT)
        .setGrant(GRANT)
        .setFirstSeq(firstSeq)
        .setSeqCount(count);
  }

  private RangeReply complete(SignedCapability by, CompleteRequest.Builder request)
      throws WeftException {
    CompleteRequest body = request.setCapability(by.encoded()).build();
    return call(Opcode.COMPLETE, body, new byte[0], by).parse(RangeReply.parser());
  }

  private static CompleteRequest.Builder completeOf(long upTo) {
    return CompleteRequest.newBuilder().setObjectId(OBJECT).setGrant(GRANT).setCompleteUpTo(upTo);
  }

  private ListPendingReply pending(SignedCapability by) throws WeftException {
    ListPendingRequest body =
        ListPendingRequest.newBuilder().setCapability(by.encoded()).setObjectId(OBJECT).build();
    return call(Opcode.LIST_PENDING, body, new byte[0], by).parse(ListPendingReply.parser());
  }

  private RpcReply readDelta(SignedCapability by, long seq) throws WeftException {
    ReadDeltaRequest body =
        ReadDeltaRequest.newBuilder()
            .setCapability(by.encoded())
            .setObjectId(OBJECT)
            .setGrant(GRANT)
            .setSeq(seq)
            .build();
    return call(Opcode.READ_DELTA, body, new byte[0], by);
  }

  @Test
  void deltasTravelBehindTheReplyWithTheirChecksums() throws Exception {
    byte[] bytes = Blocks.random(2, 3 * BLOCK);
    RpcReply reply = exchange(client, exchange(2, 100, bytes), bytes);
    XorReadWriteReply body = reply.parseBody(XorReadWriteReply.parser());
    byte[] delta = taken(reply);
    assertEquals(4 * BLOCK, delta.length);
    assertEquals(Blocks.crcs(0, delta), body.getBlockCrcList());
    assertTrue(body.getPendingCheckpoint() > body.getDurableCheckpoint());
    RpcReply asked = readDelta(manager, 2);
    assertEquals(0, asked.parseBody(ReadDeltaReply.parser()).getOffset());
    assertArrayEquals(delta, taken(asked));

    xor(client, xor(3, 5L * BLOCK, delta), delta);
    byte[] wanted = DATA.clone();
    System.arraycopy(bytes, 0, wanted, 100, bytes.length);
    for (int i = 0; i < delta.length; i++) {
      wanted[5 * BLOCK + i] ^= delta[i];
    }
    assertArrayEquals(wanted, osd.read(client, OBJECT, 0, DATA.length).bytes());
    ListPendingReply list = pending(manager);
    assertEquals(2, list.getWritesCount());
    assertEquals(PendingKind.XOR_DELTA, list.getWrites(1).getKind());
    assertEquals(List.of(2, 0), list.getWrites(1).getParticipantsList());
    assertEquals(TAG, list.getTag());
    assertEquals(DATA.length, list.getComponentBytes());
  }

  @Test
  void durablePendingWritesSurviveARestart() throws Exception {
    byte[] bytes = Blocks.random(3, BLOCK);
    exchange(client, exchange(2, 0, bytes).setDurable(true), bytes).payload().release();
    xor(client, xor(3, BLOCK, bytes).setDurable(true), bytes);
    rig.stopOsd();
    rig.startOsd();
    osd = rig.caller();
    assertEquals(2, pending(manager).getWritesCount());
    abort(client, abortOf(2, 1));
    abort(client, abortOf(3, 1));
    assertArrayEquals(DATA, osd.read(client, OBJECT, 0, DATA.length).bytes());
  }

  @Test
  void rightsAndLimitsOfCapabilitiesHold() throws Exception {
    byte[] bytes = Blocks.random(4, BLOCK);
    SignedCapability reader = rig.caps().client(OBJECT, GRANT, Right.READ);
    refused(ErrorCode.CAPABILITY_INVALID, () -> exchange(reader, exchange(2, 0, bytes), bytes));
    refused(ErrorCode.CAPABILITY_INVALID, () -> xor(reader, xor(2, 0, bytes), bytes));
    refused(ErrorCode.CAPABILITY_INVALID, () -> abort(reader, abortOf(1, 1)));
    refused(ErrorCode.CAPABILITY_INVALID, () -> complete(reader, completeOf(1)));
    refused(ErrorCode.CAPABILITY_INVALID, () -> pending(client));
    refused(ErrorCode.CAPABILITY_INVALID, () -> readDelta(client, 1));
    Capability whole = rig.caps().clientCapability(OBJECT, GRANT);
    SignedCapability limited =
        rig.cluster().sign(Caps.with(whole, 0, 2L * BLOCK, whole.expiryMillis()));
    refused(
        ErrorCode.CAPABILITY_INVALID,
        () -> exchange(limited, exchange(2, 2L * BLOCK - 1, bytes), bytes));
    refused(ErrorCode.CAPABILITY_INVALID, () -> xor(limited, xor(2, 2L * BLOCK, bytes), bytes));
    exchange(limited, exchange(2, BLOCK, bytes), bytes).payload().release();
    SignedCapability other = rig.caps().client(OBJECT + 1, GRANT);
    refused(ErrorCode.CAPABILITY_INVALID, () -> abort(other, abortOf(2, 1)));
    refused(ErrorCode.CAPABILITY_INVALID, () -> complete(other, completeOf(2)));
  }

  @Test
  void aManagerActsForAnyGrantOfItsTimeAndEarlier() throws Exception {
    byte[] bytes = Blocks.random(5, BLOCK);
    exchange(client, exchange(2, 0, bytes), bytes).payload().release();
    refused(
        ErrorCode.INVALID_ARGUMENT,
        () -> complete(manager, completeOf(2).setGrant(Lsn.of(4, 1).value())));
    SignedCapability later = rig.caps().manager(5);
    assertEquals(GRANT, pending(later).getWrites(0).getGrant());
    assertTrue(abort(later, abortOf(2, 1)).getUndone());
    complete(later, completeOf(2));
    assertEquals(2, pending(later).getMarks(0).getCompleteUpTo());
    osd.fence(later, 5);
    refused(ErrorCode.FENCED, () -> pending(manager));
    refused(ErrorCode.FENCED, () -> readDelta(manager, 2));
    refused(ErrorCode.FENCED, () -> abort(manager, abortOf(3, 1)));
    refused(ErrorCode.FENCED, () -> complete(manager, completeOf(3)));
  }

  @Test
  void lengthsAndNumbersHaveBounds() {
    byte[] block = Blocks.random(6, BLOCK);
    for (long offset : new long[] {-1, CommandLimits.MAX_COMPONENT_BYTES, Long.MAX_VALUE}) {
      refused(
          ErrorCode.INVALID_ARGUMENT,
          () -> exchange(client, exchange(2, 0, block).setOffset(offset), block));
      refused(
          ErrorCode.INVALID_ARGUMENT, () -> xor(client, xor(2, 0, block).setOffset(offset), block));
    }
    for (long wrong : new long[] {-1, CommandLimits.MAX_SEQ + 1}) {
      refused(ErrorCode.INVALID_ARGUMENT, () -> exchange(client, exchange(wrong, 0, block), block));
      refused(ErrorCode.INVALID_ARGUMENT, () -> xor(client, xor(wrong, 0, block), block));
      refused(
          ErrorCode.INVALID_ARGUMENT,
          () -> xor(client, xor(2, 0, block).setCompleteUpTo(wrong), block));
      refused(ErrorCode.INVALID_ARGUMENT, () -> abort(client, abortOf(wrong, 1)));
      refused(ErrorCode.INVALID_ARGUMENT, () -> complete(client, completeOf(wrong)));
      refused(ErrorCode.INVALID_ARGUMENT, () -> readDelta(manager, wrong));
    }
    refused(ErrorCode.INVALID_ARGUMENT, () -> readDelta(manager, 0));
    refused(ErrorCode.INVALID_ARGUMENT, () -> abort(client, abortOf(2, -1)));
    refused(
        ErrorCode.INVALID_ARGUMENT,
        () -> abort(client, abortOf(2, CommandLimits.MAX_SEQ_COUNT + 1)));
    refused(ErrorCode.INVALID_ARGUMENT, () -> complete(client, completeOf(2).setEof(-1)));
    List<Integer> tooMany = Collections.nCopies(CommandLimits.MAX_PARTICIPANTS + 1, 1);
    refused(
        ErrorCode.INVALID_ARGUMENT,
        () -> xor(client, xor(2, 0, block).addAllParticipants(tooMany), block));
    refused(
        ErrorCode.INVALID_ARGUMENT,
        () -> exchange(client, exchange(2, 0, block).addParticipants(-1), block));
    refused(ErrorCode.INVALID_ARGUMENT, () -> xor(client, xor(2, 0, block).clearBlockCrc(), block));
    for (Opcode opcode :
        List.of(Opcode.ABORT, Opcode.COMPLETE, Opcode.LIST_PENDING, Opcode.READ_DELTA)) {
      // Fields 1 and 2 are alike in all of them.
      MessageLite body =
          ListPendingRequest.newBuilder()
              .setCapability(manager.encoded())
              .setObjectId(OBJECT)
              .build();
      refused(ErrorCode.INVALID_ARGUMENT, () -> call(opcode, body, block, manager));
    }
  }

  private void add(BatchRequest.Builder batch, Opcode opcode, MessageLite body, byte[] payload) {
    batch.addItems(
        BatchItem.newBuilder()
            .setOpcode(opcode.number())
            .setBody(body.toByteString())
            .setPayload(ByteString.copyFrom(payload)));
  }

  @Test
  void abortsAndCompletionsOfManyFilesGoInOneBatch() throws Exception {
    byte[] bytes = Blocks.random(7, BLOCK);
    xor(client, xor(2, 0, bytes), bytes);
    xor(client, xor(3, BLOCK, bytes), bytes);
    SignedCapability other = rig.caps().client(OBJECT + 1, GRANT);
    WriteRequest.Builder write = writeOf(OBJECT + 1, GRANT, 1, 0, bytes).setCreate(TAG);
    osd.write(other, write, bytes);
    BatchRequest.Builder batch = BatchRequest.newBuilder();
    add(batch, Opcode.COMPLETE, completeOf(2).setCapability(client.encoded()).build(), new byte[0]);
    add(batch, Opcode.ABORT, abortOf(3, 1).setCapability(client.encoded()).build(), new byte[0]);
    add(
        batch,
        Opcode.COMPLETE,
        completeOf(1).setObjectId(OBJECT + 1).setCapability(other.encoded()).build(),
        new byte[0]);
    add(batch, Opcode.ABORT, abortOf(2, 1).setCapability(client.encoded()).build(), new byte[0]);
    add(batch, Opcode.XOR_WRITE, xor(4, 0, bytes).setCapability(client.encoded()).build(), bytes);
    BatchReply reply =
        osd.batch(
            batch.build(),
            List.of(
                client.secret(),
                client.secret(),
                other.secret(),
                client.secret(),
                client.secret()));
    assertEquals(0, reply.getItems(0).getError());
    assertTrue(AbortReply.parseFrom(reply.getItems(1).getBody()).getUndone());
    assertEquals(0, reply.getItems(2).getError());
    assertEquals(ErrorCode.INVALID_ARGUMENT.number(), reply.getItems(3).getError());
    assertEquals(ErrorCode.UNSUPPORTED.number(), reply.getItems(4).getError());
    ListPendingReply list = pending(manager);
    assertEquals(1, list.getWritesCount());
    assertEquals(PendingKind.ABORTED, list.getWrites(0).getKind());
  }

  @Test
  void inQuarantineOnlyManagersSeeTheList() throws Exception {
    rig.daemon().store().quarantine(true, Set.of());
    byte[] bytes = Blocks.random(8, BLOCK);
    refused(ErrorCode.QUARANTINED, () -> exchange(client, exchange(2, 0, bytes), bytes));
    refused(ErrorCode.QUARANTINED, () -> xor(client, xor(2, 0, bytes), bytes));
    refused(ErrorCode.QUARANTINED, () -> abort(client, abortOf(2, 1)));
    refused(ErrorCode.QUARANTINED, () -> complete(client, completeOf(2)));
    assertEquals(0, pending(manager).getWritesCount());
    rig.daemon().store().quarantine(false, Set.of());
  }
}
