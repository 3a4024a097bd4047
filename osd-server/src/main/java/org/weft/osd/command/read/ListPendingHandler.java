package org.weft.osd.command.read;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.osd.command.request.Authorized;
import org.weft.osd.command.request.CapabilityChecker;
import org.weft.osd.command.request.CommandHandler;
import org.weft.osd.command.request.CommandLimits;
import org.weft.osd.command.request.CommandReply;
import org.weft.osd.command.request.ReceivedCommand;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.PendingList;
import org.weft.osd.store.PendingWrite;
import org.weft.osd.store.value.BlockRun;
import org.weft.osd.store.value.CompletionMark;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.CompletionMarkMessage;
import org.weft.protocol.wire.ListPendingReply;
import org.weft.protocol.wire.ListPendingRequest;
import org.weft.protocol.wire.PendingKind;

/** LIST_PENDING: what a manager needs to know of an object to resolve its writers (P 5.5). */
record ListPendingHandler(CapabilityChecker checker, ObjectStore store) implements CommandHandler {
  /** Far below what a frame takes, and more than most lists have. */
  private static final int MAX_BYTES_OF_WRITES = 1 << 20;

  private static final int BYTES_AROUND_A_WRITE = 8;

  @Override
  public CompletionStage<CommandReply> handle(ReceivedCommand command) throws WeftException {
    ListPendingRequest request = command.parse(ListPendingRequest.parser());
    Authorized authorized =
        checker.object(command, request.getCapability(), request.getObjectId(), Right.MANAGE);
    CommandLimits.noPayload(command);
    CommandLimits.atMost("after seq", request.getAfterSeq(), CommandLimits.MAX_SEQ);
    CommandLimits.atMost("count of writes", request.getMaxWrites(), Integer.MAX_VALUE);
    PendingList list = store.listPending(authorized.name(), authorized.authority());
    return CompletableFuture.completedStage(CommandReply.of(reply(list, request)));
  }

  /** The part of the list that is asked for, or as much of it as goes into one answer. */
  static ListPendingReply reply(PendingList list, ListPendingRequest request) {
    ListPendingReply.Builder reply = withoutWrites(list);
    addWrites(reply, list, request);
    return reply.build();
  }

  private static ListPendingReply.Builder withoutWrites(PendingList list) {
    ListPendingReply.Builder reply =
        ListPendingReply.newBuilder()
            .setObjectVersion(list.version())
            .setResolvedBelow(list.resolvedBelow())
            .setEof(list.eofBytes())
            .setTruncationNumber(list.truncationNumber())
            .setTag(list.tag().toMessage())
            .setComponentBytes(list.componentBytes())
            .setState(state(list));
    for (CompletionMark mark : list.marks()) {
      reply.addMarks(
          CompletionMarkMessage.newBuilder().setGrant(mark.grant()).setCompleteUpTo(mark.upTo()));
    }
    for (BlockRun run : list.givenBack()) {
      reply.addGivenBack(
          org.weft.protocol.wire.BlockRun.newBuilder()
              .setFirstBlock(run.firstBlock())
              .setBlockCount(run.blockCount()));
    }
    return reply;
  }

  private static ByteString state(PendingList list) {
    ByteBuffer state = ByteBuffer.allocate(2 * Long.BYTES);
    state.putLong(list.handle()).putLong(list.change());
    return ByteString.copyFrom(state.flip());
  }

  private static void addWrites(
      ListPendingReply.Builder reply, PendingList list, ListPendingRequest request) {
    int most = request.getMaxWrites() == 0 ? Integer.MAX_VALUE : request.getMaxWrites();
    int bytes = 0;
    for (PendingWrite write : list.writes()) {
      if (!isBehind(write, request)) {
        continue;
      }
      org.weft.protocol.wire.PendingWrite message = message(write);
      bytes += message.getSerializedSize() + BYTES_AROUND_A_WRITE;
      if (reply.getWritesCount() == most || bytes > MAX_BYTES_OF_WRITES) {
        reply.setMore(true);
        return;
      }
      reply.addWrites(message);
    }
  }

  private static boolean isBehind(PendingWrite write, ListPendingRequest request) {
    int order = Long.compareUnsigned(write.grant(), request.getAfterGrant());
    return order > 0 || (order == 0 && write.firstSequence() > request.getAfterSeq());
  }

  private static org.weft.protocol.wire.PendingWrite message(PendingWrite write) {
    return org.weft.protocol.wire.PendingWrite.newBuilder()
        .setGrant(write.grant())
        .setFirstSeq(write.firstSequence())
        .setSeqCount(write.sequenceCount())
        .setKind(kind(write.kind()))
        .addAllParticipants(write.participants())
        .setOffset(write.offsetBytes())
        .setLength(write.lengthBytes())
        .setEof(write.eofBytes())
        .setTruncationNumber(write.truncationNumber())
        .build();
  }

  private static PendingKind kind(org.weft.osd.store.PendingKind kind) {
    return switch (kind) {
      case STRIPE -> PendingKind.STRIPE;
      case XOR_DATA -> PendingKind.XOR_DATA;
      case XOR_DELTA -> PendingKind.XOR_DELTA;
      case ABORTED -> PendingKind.ABORTED;
    };
  }
}
