package org.weft.osd.command.read;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.osd.command.request.Authorized;
import org.weft.osd.command.request.CapabilityChecker;
import org.weft.osd.command.request.CommandHandler;
import org.weft.osd.command.request.CommandLimits;
import org.weft.osd.command.request.CommandReply;
import org.weft.osd.command.request.ReceivedCommand;
import org.weft.osd.store.ObjectRead;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.StoredRange;
import org.weft.osd.store.value.BlockRun;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.ReadReply;
import org.weft.protocol.wire.ReadRequest;

/**
 * READ: whole blocks of what is stored, with their checksums (P 5.2). The payload goes from the
 * store's files to the transport as it is, and ends the store's pin when it was sent.
 */
record ReadHandler(CapabilityChecker checker, ObjectStore store) implements CommandHandler {
  @Override
  public CompletionStage<CommandReply> handle(ReceivedCommand command) throws WeftException {
    ReadRequest request = command.parse(ReadRequest.parser());
    Authorized authorized = authorized(command, request);
    return CompletableFuture.completedStage(
        answer(authorized, store.read(read(authorized, request))));
  }

  @Override
  public Optional<CommandReply> now(ReceivedCommand command) throws WeftException {
    ReadRequest request = command.parse(ReadRequest.parser());
    Authorized authorized = authorized(command, request);
    StoredRange result = store.readNow(read(authorized, request)).orElse(null);
    return result == null ? Optional.empty() : Optional.of(answer(authorized, result));
  }

  private Authorized authorized(ReceivedCommand command, ReadRequest request) throws WeftException {
    return checker.object(command, request.getCapability(), request.getObjectId(), Right.READ);
  }

  private static ObjectRead read(Authorized authorized, ReadRequest request) throws WeftException {
    CommandLimits.readRange(request.getOffset(), request.getLength());
    return new ObjectRead(
        authorized.name(),
        authorized.authority(),
        request.getOffset(),
        request.getLength(),
        request.getWithStamps(),
        CommandLimits.leftOut(request.getLeftOutList()));
  }

  private CommandReply answer(Authorized authorized, StoredRange result) throws WeftException {
    try {
      checker.requireStillOpen(authorized);
      return new CommandReply(message(result), result.payload());
    } catch (WeftException | RuntimeException | Error e) {
      result.payload().release();
      throw e;
    }
  }

  private static ReadReply message(StoredRange result) {
    ReadReply.Builder reply =
        ReadReply.newBuilder()
            .setEof(result.eofBytes())
            .setTruncationNumber(result.truncationNumber())
            .setMapGeneration(result.mapGeneration())
            .setPending(result.pending())
            .addAllStamps(Stamping.messages(result.stamps()));
    for (BlockRun run : result.runs()) {
      reply.addRuns(
          org.weft.protocol.wire.BlockRun.newBuilder()
              .setFirstBlock(run.firstBlock())
              .setBlockCount(run.blockCount()));
    }
    for (int crc : result.blockCrcs()) {
      reply.addBlockCrc(crc);
    }
    return reply.build();
  }
}
