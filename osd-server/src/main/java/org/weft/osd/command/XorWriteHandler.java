package org.weft.osd.command;

import com.google.protobuf.MessageLite;
import org.weft.osd.store.Mutation;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.XorApplication;
import org.weft.protocol.capability.Right;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.XorWriteRequest;

/** XOR_WRITE: a δ goes onto a parity, at most once (P 5.3, 5.4). */
final class XorWriteHandler implements MutationHandler {
  private final CapabilityChecker checker;

  XorWriteHandler(CapabilityChecker checker) {
    this.checker = checker;
  }

  @Override
  public Mutation prepare(Command command) throws RpcException {
    XorWriteRequest request = command.parse(XorWriteRequest.parser());
    Authorized authorized =
        checker.object(command, request.getCapability(), request.getObjectId(), Right.WRITE);
    int lengthBytes = command.payload().lengthBytes();
    Limits.wholeBlocks("offset", request.getOffset());
    Limits.wholeBlocks("length", lengthBytes);
    if (lengthBytes == 0) {
      throw Limits.invalid("an XOR_WRITE needs at least one block");
    }
    WriteFields.checkRange(request.getOffset(), lengthBytes, authorized);
    WriteFields.checkLength(request.getEof(), request.getTruncationNumber());
    WriteIds.check(request.getSeq(), request.getCompleteUpTo());
    return new XorApplication(
        authorized.name(),
        WriteIds.writer(request.getGrant(), authorized),
        request.getOffset(),
        command.payload().buffers(),
        Limits.blockCrcs(request.getBlockCrcList(), request.getOffset(), lengthBytes),
        request.getSeq(),
        WriteFields.participants(request.getParticipantsList()),
        request.getEof(),
        request.getTruncationNumber(),
        request.getCompleteUpTo(),
        request.getDurable());
  }

  @Override
  public MessageLite reply(Receipt receipt) {
    return RangeReplies.of(receipt);
  }
}
