package org.weft.osd.command;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.osd.command.read.GetAttributesHandler;
import org.weft.osd.command.request.CommandHandler;
import org.weft.osd.command.request.CommandLimits;
import org.weft.osd.command.request.CommandReply;
import org.weft.osd.command.request.MutationHandler;
import org.weft.osd.command.request.ReceivedCommand;
import org.weft.osd.command.turn.FrameCommand;
import org.weft.osd.store.MutationOutcome;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.mutation.Mutation;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.BatchItem;
import org.weft.protocol.wire.BatchItemReply;
import org.weft.protocol.wire.BatchReply;
import org.weft.protocol.wire.BatchRequest;

/**
 * BATCH: many small changes in one frame and one commit (DESIGN 5, P 6.3), or the attributes of
 * many objects. An item that reads gets the state before the changes of its BATCH. An item that is
 * refused, here or by the store, is reported, and the others go on. Items that only read anything
 * else are refused as UNSUPPORTED.
 */
final class BatchHandler implements CommandHandler {
  /** Leaves room for 4,096 refusals in words. */
  private static final long MAX_ANSWERED_BYTES = 2 << 20;

  private static final long ANSWER_OVERHEAD_BYTES = 16;

  private final ObjectStore store;
  private final Map<Opcode, MutationHandler> mutations;
  private final GetAttributesHandler attributes;

  BatchHandler(
      ObjectStore store, Map<Opcode, MutationHandler> mutations, GetAttributesHandler attributes) {
    this.store = store;
    this.mutations = mutations;
    this.attributes = attributes;
  }

  /** What is left of the reply. */
  private static final class Room {
    private long bytes = MAX_ANSWERED_BYTES;

    /** Once something did not fit nothing is read for those behind it either. */
    ByteString answer(GetAttributesHandler attributes, ReceivedCommand asked) throws WeftException {
      if (bytes > 0) {
        ByteString body = attributes.reply(asked).toByteString();
        bytes -= body.size() + ANSWER_OVERHEAD_BYTES;
        if (bytes >= 0) {
          return body;
        }
      }
      throw CommandLimits.invalid(
          "the items of this BATCH ask for more than %d bytes together: ask for fewer objects",
          MAX_ANSWERED_BYTES);
    }
  }

  /** An item on its way. */
  private sealed interface Item {
    record Change(MutationHandler handler, Mutation mutation) implements Item {}

    record Answered(ByteString body) implements Item {}

    record Refused(WeftException refusal) implements Item {}
  }

  @Override
  public CompletionStage<CommandReply> handle(ReceivedCommand command) throws WeftException {
    if (!(command instanceof FrameCommand frame)) {
      throw new WeftException(ErrorCode.UNSUPPORTED, "a BATCH cannot be an item of a BATCH");
    }
    BatchRequest request = command.parse(BatchRequest.parser());
    CommandLimits.atMost("count of items", request.getItemsCount(), CommandLimits.MAX_BATCH_ITEMS);
    if (command.payload().lengthBytes() > 0) {
      throw CommandLimits.invalid("items of a BATCH carry their own payloads; the frame has none");
    }
    List<Item> items = new ArrayList<>(request.getItemsCount());
    List<Mutation> wanted = new ArrayList<>(request.getItemsCount());
    Room room = new Room();
    for (int index = 0; index < request.getItemsCount(); index++) {
      Item item = prepared(frame, index, request.getItems(index), room);
      items.add(item);
      if (item instanceof Item.Change change) {
        wanted.add(change.mutation());
      }
    }
    return wanted.isEmpty()
        ? CompletableFuture.completedStage(CommandReply.of(reply(items, List.of())))
        : store.applyAll(wanted).thenApply(outcomes -> CommandReply.of(reply(items, outcomes)));
  }

  private Item prepared(FrameCommand frame, int index, BatchItem item, Room room) {
    try {
      if (item.getOpcode() == Opcode.GET_ATTRIBUTES.number()) {
        ReceivedCommand asked =
            new ItemCommand(Opcode.GET_ATTRIBUTES, frame.request(), index, item);
        return new Item.Answered(room.answer(attributes, asked));
      }
      MutationHandler handler = handlerOf(item.getOpcode());
      Opcode opcode = Opcode.of(item.getOpcode()).orElseThrow();
      return new Item.Change(
          handler, handler.prepare(new ItemCommand(opcode, frame.request(), index, item)));
    } catch (WeftException refusal) {
      return new Item.Refused(refusal);
    }
  }

  private MutationHandler handlerOf(int opcodeNumber) throws WeftException {
    Optional<Opcode> opcode = Opcode.of(opcodeNumber);
    MutationHandler handler = opcode.map(mutations::get).orElse(null);
    if (handler == null) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED,
          "%s cannot be an item of a BATCH; items are %s and %s"
              .formatted(
                  UnknownCommand.name(opcodeNumber), mutations.keySet(), Opcode.GET_ATTRIBUTES));
    }
    return handler;
  }

  private static BatchReply reply(List<Item> items, List<MutationOutcome> outcomes) {
    BatchReply.Builder reply = BatchReply.newBuilder();
    Iterator<MutationOutcome> next = outcomes.iterator();
    for (Item item : items) {
      if (item instanceof Item.Change change) {
        MutationOutcome outcome = next.next();
        reply.addItems(
            outcome.failure() != null
                ? refused(outcome.failure())
                : done(change.handler().reply(outcome.receipt()).toByteString()));
      } else if (item instanceof Item.Answered answered) {
        reply.addItems(done(answered.body()));
      } else if (item instanceof Item.Refused no) {
        reply.addItems(refused(no.refusal()));
      }
    }
    return reply.build();
  }

  private static BatchItemReply done(ByteString body) {
    return BatchItemReply.newBuilder().setBody(body).build();
  }

  private static BatchItemReply refused(WeftException refusal) {
    return BatchItemReply.newBuilder()
        .setError(refusal.code().number())
        .setMessage(refusal.getMessage())
        .build();
  }
}
