package org.weft.osd.command;

import java.util.concurrent.CompletionStage;
import org.weft.osd.store.Delta;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.XorExchange;
import org.weft.protocol.capability.Right;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.XorReadWriteReply;
import org.weft.protocol.wire.XorReadWriteRequest;

/** XOR_READ_WRITE (P 5.3, 5.4): answered with the δ, unless all parities have it already. */
record XorReadWriteHandler(CapabilityChecker checker, ObjectStore store) implements CommandHandler {
  @Override
  public CompletionStage<Answer> handle(Command command) throws RpcException {
    return store.apply(exchange(command)).thenApply(XorReadWriteHandler::answer);
  }

  private XorExchange exchange(Command command) throws RpcException {
    XorReadWriteRequest request = command.parse(XorReadWriteRequest.parser());
    Authorized authorized =
        checker.object(command, request.getCapability(), request.getObjectId(), Right.WRITE);
    int lengthBytes = command.payload().lengthBytes();
    if (lengthBytes == 0) {
      throw Limits.invalid("an XOR_READ_WRITE needs at least one byte");
    }
    WriteFields.checkRange(request.getOffset(), lengthBytes, authorized);
    // The answer has every block touched.
    Limits.readRange(request.getOffset(), lengthBytes);
    WriteFields.checkLength(request.getEof(), request.getTruncationNumber());
    WriteIds.check(request.getSeq(), request.getCompleteUpTo());
    return new XorExchange(
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

  private static Answer answer(Receipt receipt) {
    XorReadWriteReply.Builder reply =
        XorReadWriteReply.newBuilder()
            .setPendingCheckpoint(receipt.pendingCheckpoint())
            .setDurableCheckpoint(receipt.durableCheckpoint())
            .setComplete(receipt.delta().isEmpty());
    if (receipt.delta().isEmpty()) {
      return Answer.of(reply.build());
    }
    Delta delta = receipt.delta().get();
    for (int crc : delta.blockCrcs()) {
      reply.addBlockCrc(crc);
    }
    return new Answer(reply.build(), Payload.of(delta.data(), () -> {}));
  }
}
