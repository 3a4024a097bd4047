package org.weft.osd.command.write;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.weft.osd.command.request.CapabilityChecker;
import org.weft.osd.command.request.CommandHandler;
import org.weft.osd.command.request.CommandLimits;
import org.weft.osd.command.request.CommandReply;
import org.weft.osd.command.request.ReceivedCommand;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.mutation.XorExchange;
import org.weft.osd.store.mutation.XorWrite;
import org.weft.osd.store.value.Delta;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.XorReadWriteReply;
import org.weft.protocol.wire.XorReadWriteRequest;

/** XOR_READ_WRITE (P 5.3, 5.4): answered with the δ, unless all parities have it already. */
record XorReadWriteHandler(CapabilityChecker checker, ObjectStore store) implements CommandHandler {
  @Override
  public CompletionStage<CommandReply> handle(ReceivedCommand command) throws WeftException {
    return store.apply(exchange(command)).thenApply(XorReadWriteHandler::answer);
  }

  @Override
  public Optional<CompletionStage<CommandReply>> begin(ReceivedCommand command)
      throws WeftException {
    return store
        .applyNow(exchange(command))
        .map(stage -> stage.thenApply(XorReadWriteHandler::answer));
  }

  private XorExchange exchange(ReceivedCommand command) throws WeftException {
    XorReadWriteRequest request = command.parse(XorReadWriteRequest.parser());
    XorWrite write = XorFields.of(request).checked(checker, command);
    // The answer has every block touched.
    CommandLimits.readRange(request.getOffset(), command.payload().lengthBytes());
    return new XorExchange(write);
  }

  private static CommandReply answer(Receipt receipt) {
    XorReadWriteReply.Builder reply =
        XorReadWriteReply.newBuilder()
            .setPendingCheckpoint(receipt.pendingCheckpoint())
            .setDurableCheckpoint(receipt.durableCheckpoint())
            .setComplete(receipt.delta().isEmpty());
    if (receipt.delta().isEmpty()) {
      return CommandReply.of(reply.build());
    }
    Delta delta = receipt.delta().get();
    for (int crc : delta.blockCrcs()) {
      reply.addBlockCrc(crc);
    }
    return new CommandReply(reply.build(), Payload.of(delta.data(), () -> {}));
  }
}
