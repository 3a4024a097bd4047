package org.weft.osd.command.read;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.osd.command.request.AttributePages;
import org.weft.osd.command.request.Authorized;
import org.weft.osd.command.request.CapabilityChecker;
import org.weft.osd.command.request.CommandHandler;
import org.weft.osd.command.request.CommandLimits;
import org.weft.osd.command.request.CommandReply;
import org.weft.osd.command.request.ReceivedCommand;
import org.weft.osd.store.ObjectAttributes;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.value.AttributeValue;
import org.weft.protocol.capability.Right;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.GetAttributesReply;
import org.weft.protocol.wire.GetAttributesRequest;

/** GET_ATTRIBUTES: pages, map tag and figures of one object (P 4.4). */
public record GetAttributesHandler(CapabilityChecker checker, ObjectStore store)
    implements CommandHandler {
  @Override
  public CompletionStage<CommandReply> handle(ReceivedCommand command) throws WeftException {
    return CompletableFuture.completedStage(CommandReply.of(reply(command)));
  }

  /** What is asked for; reads the store. */
  public GetAttributesReply reply(ReceivedCommand command) throws WeftException {
    GetAttributesRequest request = command.parse(GetAttributesRequest.parser());
    Authorized authorized =
        checker.object(
            command, request.getCapability(), request.getObjectId(), Right.READ_ATTRIBUTES);
    CommandLimits.atMost(
        "count of attribute pages", request.getPageCount(), CommandLimits.MAX_ATTRIBUTE_PAGES);
    int[] pages = request.getPageList().stream().mapToInt(Integer::intValue).distinct().toArray();
    for (int page : pages) {
      CommandLimits.atMost("attribute page number", page, CommandLimits.MAX_PAGE_NUMBER);
    }
    ObjectAttributes attributes =
        store.attributes(authorized.name(), authorized.authority(), pages);
    return message(attributes);
  }

  private static GetAttributesReply message(ObjectAttributes attributes) throws WeftException {
    long valueBytes = 0;
    GetAttributesReply.Builder reply = GetAttributesReply.newBuilder();
    for (AttributeValue value : attributes.pages()) {
      valueBytes += value.value().length;
      if (valueBytes > CommandLimits.MAX_REPLY_BODY_BYTES) {
        throw CommandLimits.invalid(
            "the pages have more than %d bytes together: ask for some of them by number",
            CommandLimits.MAX_REPLY_BODY_BYTES);
      }
      reply.addPages(AttributePages.message(value));
    }
    return reply
        .setTag(attributes.tag().toMessage())
        .setEof(attributes.eofBytes())
        .setTruncationNumber(attributes.truncationNumber())
        .setObjectVersion(attributes.version())
        .setUsedBytes(attributes.usedBytes())
        .setComponentBytes(attributes.componentBytes())
        .setPending(attributes.pending())
        .build();
  }
}
