package org.weft.osd.command.read;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.osd.command.request.Answer;
import org.weft.osd.command.request.Authorized;
import org.weft.osd.command.request.CapabilityChecker;
import org.weft.osd.command.request.Command;
import org.weft.osd.command.request.CommandHandler;
import org.weft.osd.command.request.Limits;
import org.weft.osd.store.ObjectRead;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.ReadResult;
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
  public CompletionStage<Answer> handle(Command command) throws WeftException {
    ReadRequest request = command.parse(ReadRequest.parser());
    Authorized authorized = authorized(command, request);
    return CompletableFuture.completedStage(
        answer(authorized, store.read(read(authorized, request))));
  }

  @Override
  public Optional<Answer> now(Command command) throws WeftException {
    ReadRequest request = command.parse(ReadRequest.parser());
    Authorized authorized = authorized(command, request);
    ReadResult result = store.readNow(read(authorized, request)).orElse(null);
    return result == null ? Optional.empty() : Optional.of(answer(authorized, result));
  }

  private Authorized authorized(Command command, ReadRequest request) throws WeftException {
    return checker.object(command, request.getCapability(), request.getObjectId(), Right.READ);
  }

  private static ObjectRead read(Authorized authorized, ReadRequest request) throws WeftException {
    Limits.readRange(request.getOffset(), request.getLength());
    return new ObjectRead(
        authorized.name(),
        authorized.authority(),
        request.getOffset(),
        request.getLength(),
        request.getWithStamps(),
        Limits.leftOut(request.getLeftOutList()));
  }

  private Answer answer(Authorized authorized, ReadResult result) throws WeftException {
    try {
      checker.requireStillOpen(authorized);
      return new Answer(message(result), result.payload());
    } catch (WeftException | RuntimeException | Error e) {
      result.payload().release();
      throw e;
    }
  }

  private static ReadReply message(ReadResult result) {
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
