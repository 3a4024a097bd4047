package org.weft.sysmgr.service;

import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.wire.GetEventsReply;
import org.weft.protocol.wire.GetEventsRequest;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.cluster.Event;
import org.weft.sysmgr.configuration.cluster.EventLog;

/** GET_EVENTS: what happened last, once a majority has confirmed that this member leads. */
final class EventsHandler {
  private final Leadership leadership;
  private final Proposals proposals;
  private final ReplicatedConfiguration configuration;

  EventsHandler(Leadership leadership, Proposals proposals, ReplicatedConfiguration configuration) {
    this.leadership = leadership;
    this.proposals = proposals;
    this.configuration = configuration;
  }

  CompletionStage<? extends MessageLite> list(InboundRequest request) throws WeftException {
    GetEventsRequest wanted = request.parse(GetEventsRequest.parser());
    leadership.require();
    return proposals.barrier().thenApply(done -> reply(configuration.events(), wanted));
  }

  static GetEventsReply reply(EventLog log, GetEventsRequest wanted) {
    int max = wanted.getMax() <= 0 ? EventLog.MAX : Math.min(wanted.getMax(), EventLog.MAX);
    List<Event> matching =
        log.events().stream()
            .filter(each -> each.number() > wanted.getAfterNumber())
            .filter(each -> each.millis() >= wanted.getSinceMillis())
            .toList();
    GetEventsReply.Builder reply =
        GetEventsReply.newBuilder()
            .setLastEvent(log.lastNumber())
            .setFirstEvent(log.events().isEmpty() ? 0 : log.events().get(0).number())
            .setMore(matching.size() > max);
    matching.stream().limit(max).forEach(each -> reply.addEvents(each.toMessage()));
    return reply.build();
  }
}
