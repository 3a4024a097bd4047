package org.weft.osd.command.write;

import com.google.protobuf.ByteString;
import java.util.List;
import org.weft.osd.command.request.Authorized;
import org.weft.osd.command.request.CapabilityChecker;
import org.weft.osd.command.request.CommandLimits;
import org.weft.osd.command.request.ReceivedCommand;
import org.weft.osd.command.request.WriteIds;
import org.weft.osd.store.mutation.XorWrite;
import org.weft.osd.store.value.ByteSpan;
import org.weft.osd.store.value.FileLength;
import org.weft.osd.store.value.WriteNumbers;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.XorReadWriteRequest;
import org.weft.protocol.wire.XorWriteRequest;

/** What both commands that XOR say of their write (P 5.3). */
record XorFields(
    ByteString capability,
    long objectId,
    long offset,
    List<Integer> blockCrcs,
    long grant,
    long seq,
    List<Integer> participants,
    long eof,
    int truncationNumber,
    long completeUpTo,
    boolean durable) {
  static XorFields of(XorReadWriteRequest request) {
    return new XorFields(
        request.getCapability(),
        request.getObjectId(),
        request.getOffset(),
        request.getBlockCrcList(),
        request.getGrant(),
        request.getSeq(),
        request.getParticipantsList(),
        request.getEof(),
        request.getTruncationNumber(),
        request.getCompleteUpTo(),
        request.getDurable());
  }

  static XorFields of(XorWriteRequest request) {
    return new XorFields(
        request.getCapability(),
        request.getObjectId(),
        request.getOffset(),
        request.getBlockCrcList(),
        request.getGrant(),
        request.getSeq(),
        request.getParticipantsList(),
        request.getEof(),
        request.getTruncationNumber(),
        request.getCompleteUpTo(),
        request.getDurable());
  }

  /** Checks the right and the fields; the payload has at least one byte. */
  XorWrite checked(CapabilityChecker checker, ReceivedCommand command) throws WeftException {
    Authorized authorized = checker.object(command, capability, objectId, Right.WRITE);
    int lengthBytes = command.payload().lengthBytes();
    if (lengthBytes == 0) {
      throw CommandLimits.invalid("%s needs at least one byte", command.opcode());
    }
    WriteFields.checkRange(offset, lengthBytes, authorized);
    WriteFields.checkLength(eof, truncationNumber);
    WriteIds.check(seq, completeUpTo);
    return new XorWrite(
        authorized.name(),
        WriteIds.writer(grant, authorized),
        new ByteSpan(
            offset,
            command.payload().buffers(),
            CommandLimits.blockCrcs(blockCrcs, offset, lengthBytes)),
        new WriteNumbers(seq, 1, WriteFields.participants(participants), completeUpTo),
        new FileLength(eof, truncationNumber),
        durable);
  }
}
