package org.weft.osd.command;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.weft.osd.store.Mutation;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.Outcome;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.BatchItem;
import org.weft.protocol.wire.BatchItemReply;
import org.weft.protocol.wire.BatchReply;
import org.weft.protocol.wire.BatchRequest;

/**
 * BATCH: many small changes in one frame and one commit (DESIGN 5, P 6.3). An item that is refused,
 * here or by the store, is reported and the others go on; an item that only asks is refused as
 * UNSUPPORTED.
 */
final class BatchHandler implements CommandHandler {
  private final ObjectStore store;
  private final Map<Opcode, MutationHandler> mutations;

  BatchHandler(ObjectStore store, Map<Opcode, MutationHandler> mutations) {
    this.store = store;
    this.mutations = mutations;
  }

  /** An item on its way: refused already, or the mutation it became. */
  private record Item(MutationHandler handler, Mutation mutation, RpcException refusal) {}

  @Override
  public CompletionStage<Answer> handle(Command command) throws RpcException {
    if (!(command instanceof FrameCommand frame)) {
      throw new RpcException(ErrorCode.UNSUPPORTED, "a BATCH cannot be an item of a BATCH");
    }
    BatchRequest request = command.parse(BatchRequest.parser());
    Limits.atMost("count of items", request.getItemsCount(), Limits.MAX_BATCH_ITEMS);
    if (command.payload().lengthBytes() > 0) {
      throw Limits.invalid("items of a BATCH carry their own payloads; the frame has none");
    }
    List<Item> items = new ArrayList<>(request.getItemsCount());
    List<Mutation> wanted = new ArrayList<>(request.getItemsCount());
    for (int index = 0; index < request.getItemsCount(); index++) {
      Item item = prepared(frame, index, request.getItems(index));
      items.add(item);
      if (item.refusal() == null) {
        wanted.add(item.mutation());
      }
    }
    return store.applyAll(wanted).thenApply(outcomes -> Answer.of(reply(items, outcomes)));
  }

  private Item prepared(FrameCommand frame, int index, BatchItem item) {
    try {
      MutationHandler handler = handlerOf(item.getOpcode());
      Opcode opcode = Opcode.of(item.getOpcode()).orElseThrow();
      return new Item(
          handler, handler.prepare(new ItemCommand(opcode, frame.request(), index, item)), null);
    } catch (RpcException refusal) {
      return new Item(null, null, refusal);
    }
  }

  private MutationHandler handlerOf(int opcodeNumber) throws RpcException {
    Optional<Opcode> opcode = Opcode.of(opcodeNumber);
    MutationHandler handler = opcode.map(mutations::get).orElse(null);
    if (handler == null) {
      throw new RpcException(
          ErrorCode.UNSUPPORTED,
          "%s cannot be an item of a BATCH; items are %s"
              .formatted(UnknownCommand.name(opcodeNumber), mutations.keySet()));
    }
    return handler;
  }

  private static BatchReply reply(List<Item> items, List<Outcome> outcomes) {
    BatchReply.Builder reply = BatchReply.newBuilder();
    int next = 0;
    for (Item item : items) {
      if (item.refusal() != null) {
        reply.addItems(refused(item.refusal()));
        continue;
      }
      Outcome outcome = outcomes.get(next++);
      reply.addItems(
          outcome.failure() != null
              ? refused(outcome.failure())
              : done(item.handler().reply(outcome.receipt()).toByteString()));
    }
    return reply.build();
  }

  private static BatchItemReply done(ByteString body) {
    return BatchItemReply.newBuilder().setBody(body).build();
  }

  private static BatchItemReply refused(RpcException refusal) {
    return BatchItemReply.newBuilder()
        .setError(refusal.code().number())
        .setMessage(refusal.getMessage())
        .build();
  }
}
