package org.weft.osd.contract;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import com.google.protobuf.UnsafeByteOperations;
import java.util.List;
import org.weft.osd.harness.Blocks;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.Right;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.AbortRequest;
import org.weft.protocol.wire.CompleteRequest;
import org.weft.protocol.wire.CompletionMarkMessage;
import org.weft.protocol.wire.ComponentTag;
import org.weft.protocol.wire.GetAttributesRequest;
import org.weft.protocol.wire.GetStampRequest;
import org.weft.protocol.wire.ListPendingRequest;
import org.weft.protocol.wire.PunchRequest;
import org.weft.protocol.wire.RaiseVersionRequest;
import org.weft.protocol.wire.ReadDeltaRequest;
import org.weft.protocol.wire.ReadRequest;
import org.weft.protocol.wire.RemoveRequest;
import org.weft.protocol.wire.SetAttributesRequest;
import org.weft.protocol.wire.TruncateRequest;
import org.weft.protocol.wire.WriteRequest;
import org.weft.protocol.wire.XorReadWriteRequest;
import org.weft.protocol.wire.XorWriteRequest;

/** Commands on one object, as callers send them. */
final class ContractCalls {
  static final long PARTITION = 7;
  static final long OBJECT = 70_000;
  static final int BLOCK = Blocks.BLOCK_BYTES;

  /** Units of two blocks. */
  static final int UNIT = 2 * BLOCK;

  static final ComponentTag TAG =
      ComponentTag.newBuilder()
          .setMapGeneration(1)
          .setComponentIndex(2)
          .setDataUnits(4)
          .setParityUnits(2)
          .setUnitBytes(UNIT)
          .setGroups(1)
          .setGroupDepth(2_000)
          .build();

  private static final int RIGHTS =
      Right.bits(Right.READ, Right.WRITE, Right.CREATE, Right.READ_ATTRIBUTES);

  private ContractCalls() {}

  /** A command with the bytes behind it. */
  record Call(Opcode opcode, MessageLite body, byte[] payload) {
    ContractOsd.Answer to(ContractOsd osd) {
      return osd.call(opcode, body, payload);
    }

    @Override
    public String toString() {
      String fields = body.toString().replaceAll("capability: .*\n", "").replace('\n', ' ');
      return opcode + " " + fields + "(" + payload.length + " bytes)";
    }
  }

  /** In whose name a command comes. */
  record Party(ByteString capability) {
    static Party client(long grant, long floor) {
      return of(OBJECT, RIGHTS, grant, floor);
    }

    static Party manager(long epoch) {
      return manager(epoch, 0);
    }

    static Party manager(long epoch, long floor) {
      return of(0, RIGHTS | Right.MANAGE.bit(), Lsn.of(epoch, 0).value(), floor);
    }

    /** A manager in the course of one attempt to resolve the object. */
    static Party attempt(long number) {
      return of(OBJECT, RIGHTS | Right.MANAGE.bit(), number, 0);
    }

    private static Party of(long object, int rights, long grant, long floor) {
      Capability capability =
          new Capability(
              ObjectName.of(PARTITION, object),
              rights,
              1,
              grant,
              floor,
              Long.MAX_VALUE,
              Long.MAX_VALUE,
              77,
              1,
              0);
      return new Party(UnsafeByteOperations.unsafeWrap(capability.encode()));
    }

    WriteRequest.Builder write(long grant, long firstSeq, int count, long offset, byte[] bytes) {
      return WriteRequest.newBuilder()
          .setCapability(capability)
          .setObjectId(OBJECT)
          .setOffset(offset)
          .addAllBlockCrc(Blocks.crcs(offset, bytes))
          .setGrant(grant)
          .setFirstSeq(firstSeq)
          .setSeqCount(count)
          .addAllParticipants(List.of(0, 1, 2))
          .setEof(offset + bytes.length);
    }

    XorReadWriteRequest.Builder exchange(long grant, long seq, long offset, byte[] bytes) {
      return XorReadWriteRequest.newBuilder()
          .setCapability(capability)
          .setObjectId(OBJECT)
          .setOffset(offset)
          .addAllBlockCrc(Blocks.crcs(offset, bytes))
          .setGrant(grant)
          .setSeq(seq)
          .addAllParticipants(List.of(2, 0))
          .setEof(offset + bytes.length);
    }

    XorWriteRequest.Builder xor(long grant, long seq, long offset, byte[] delta) {
      return XorWriteRequest.newBuilder()
          .setCapability(capability)
          .setObjectId(OBJECT)
          .setOffset(offset)
          .addAllBlockCrc(Blocks.crcs(offset, delta))
          .setGrant(grant)
          .setSeq(seq)
          .addAllParticipants(List.of(5, 2))
          .setEof(offset + delta.length);
    }

    Call abort(long grant, long firstSeq, int count) {
      return new Call(
          Opcode.ABORT,
          AbortRequest.newBuilder()
              .setCapability(capability)
              .setObjectId(OBJECT)
              .setGrant(grant)
              .setFirstSeq(firstSeq)
              .setSeqCount(count)
              .build(),
          new byte[0]);
    }

    Call complete(long grant, long upTo, long eof, int truncation) {
      return new Call(
          Opcode.COMPLETE,
          CompleteRequest.newBuilder()
              .setCapability(capability)
              .setObjectId(OBJECT)
              .setGrant(grant)
              .setCompleteUpTo(upTo)
              .setEof(eof)
              .setTruncationNumber(truncation)
              .build(),
          new byte[0]);
    }

    Call raise(long version) {
      return new Call(
          Opcode.RAISE_VERSION,
          RaiseVersionRequest.newBuilder()
              .setCapability(capability)
              .setObjectId(OBJECT)
              .setVersion(version)
              .build(),
          new byte[0]);
    }

    /** What an attribute flush says of other grants, and no page. */
    Call flushed(long floor, CompletionMarkMessage... marks) {
      return new Call(
          Opcode.SET_ATTRIBUTES,
          SetAttributesRequest.newBuilder()
              .setCapability(capability)
              .setObjectId(OBJECT)
              .setFloor(floor)
              .addAllComplete(List.of(marks))
              .build(),
          new byte[0]);
    }

    Call remove(long lsn, boolean onlyIfAbsent) {
      return new Call(
          Opcode.REMOVE,
          RemoveRequest.newBuilder()
              .setCapability(capability)
              .setObjectId(OBJECT)
              .setLsn(lsn)
              .setOnlyIfAbsent(onlyIfAbsent)
              .build(),
          new byte[0]);
    }

    Call read(long offset, int length) {
      return new Call(
          Opcode.READ,
          ReadRequest.newBuilder()
              .setCapability(capability)
              .setObjectId(OBJECT)
              .setOffset(offset)
              .setLength(length)
              .setWithStamps(true)
              .build(),
          new byte[0]);
    }

    Call stamps(long offset, int length) {
      return new Call(
          Opcode.GET_STAMP,
          GetStampRequest.newBuilder()
              .setCapability(capability)
              .setObjectId(OBJECT)
              .setOffset(offset)
              .setLength(length)
              .build(),
          new byte[0]);
    }

    Call attributes() {
      return new Call(
          Opcode.GET_ATTRIBUTES,
          GetAttributesRequest.newBuilder().setCapability(capability).setObjectId(OBJECT).build(),
          new byte[0]);
    }

    Call listPending(long afterGrant, long afterSeq, int max) {
      return new Call(
          Opcode.LIST_PENDING,
          ListPendingRequest.newBuilder()
              .setCapability(capability)
              .setObjectId(OBJECT)
              .setAfterGrant(afterGrant)
              .setAfterSeq(afterSeq)
              .setMaxWrites(max)
              .build(),
          new byte[0]);
    }

    Call listPending() {
      return new Call(
          Opcode.LIST_PENDING,
          ListPendingRequest.newBuilder().setCapability(capability).setObjectId(OBJECT).build(),
          new byte[0]);
    }

    Call readDelta(long grant, long seq) {
      return new Call(
          Opcode.READ_DELTA,
          ReadDeltaRequest.newBuilder()
              .setCapability(capability)
              .setObjectId(OBJECT)
              .setGrant(grant)
              .setSeq(seq)
              .build(),
          new byte[0]);
    }

    Call truncate(long grant, long seq, long length, long eof, int truncation, long completeUpTo) {
      return new Call(
          Opcode.TRUNCATE,
          TruncateRequest.newBuilder()
              .setCapability(capability)
              .setObjectId(OBJECT)
              .setLength(length)
              .setEof(eof)
              .setTruncationNumber(truncation)
              .setGrant(grant)
              .setSeq(seq)
              .setCompleteUpTo(completeUpTo)
              .build(),
          new byte[0]);
    }

    Call punch(long grant, long seq, long offset, long length, long completeUpTo) {
      return new Call(
          Opcode.PUNCH,
          PunchRequest.newBuilder()
              .setCapability(capability)
              .setObjectId(OBJECT)
              .setOffset(offset)
              .setLength(length)
              .setGrant(grant)
              .setSeq(seq)
              .setCompleteUpTo(completeUpTo)
              .build(),
          new byte[0]);
    }
  }

  static Call call(WriteRequest.Builder request, byte[] bytes) {
    return new Call(Opcode.WRITE, request.build(), bytes);
  }

  static Call call(XorReadWriteRequest.Builder request, byte[] bytes) {
    return new Call(Opcode.XOR_READ_WRITE, request.build(), bytes);
  }

  static Call call(XorWriteRequest.Builder request, byte[] bytes) {
    return new Call(Opcode.XOR_WRITE, request.build(), bytes);
  }
}
