package org.weft.sysmgr.rest;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.EventMessage;
import org.weft.protocol.wire.Problem;

/** The paths that every SysMgr member answers. All of them only look. */
public final class ClusterRoutes {
  /** The finding of a member that hears no leader. */
  private static final String NO_LEADER = "sysmgr-no-leader";

  private final Supplier<CompletionStage<ClusterStatus>> status;

  private ClusterRoutes(Supplier<CompletionStage<ClusterStatus>> status) {
    this.status = status;
  }

  /**
   * @param status asked for each request; fails with NOT_LEADER where another member knows better
   */
  public static RestRoutes of(Supplier<CompletionStage<ClusterStatus>> status) {
    return of(status, () -> status.get().thenApply(ClusterStatus::getLastEventsList), status);
  }

  /**
   * As the other one.
   *
   * @param events all that are kept, the oldest first
   * @param own the status by this member itself, for a load balancer that looks for the leader
   */
  public static RestRoutes of(
      Supplier<CompletionStage<ClusterStatus>> status,
      Supplier<CompletionStage<List<EventMessage>>> events,
      Supplier<CompletionStage<ClusterStatus>> own) {
    ClusterRoutes routes = new ClusterRoutes(status);
    return new RestRoutes()
        .get(
            "/api/v1/events",
            request -> events.get().thenApply(known -> RestReply.json(Views.events(known))))
        .get("/", request -> routes.page())
        .get("/healthz", request -> own.get().thenApply(ClusterRoutes::health))
        .get("/api/v1/status", request -> routes.json(Views.Status::of))
        .get("/api/v1/table", request -> routes.json(Views.Table::of))
        .get("/api/v1/osds", request -> routes.json(Views::osds))
        .get("/api/v1/osds/{id}", routes::osd)
        .get("/api/v1/nfs", request -> routes.json(NfsView::of))
        .get("/api/v1/volumes", request -> routes.json(Views::volumes));
  }

  /** A member that knows no leader tells what it knew last: it does not lead. */
  private static RestReply health(ClusterStatus known) {
    for (Problem problem : known.getProblemsList()) {
      if (problem.getName().equals(NO_LEADER)) {
        throw new CompletionException(new WeftException(ErrorCode.UNAVAILABLE, problem.getWhat()));
      }
    }
    return RestReply.json(Map.of("status", "ok"));
  }

  private CompletionStage<RestReply> json(Function<ClusterStatus, Object> view) {
    return status.get().thenApply(known -> RestReply.json(view.apply(known)));
  }

  private CompletionStage<RestReply> osd(RestRequest request) throws WeftException {
    int id = id(request.variable("id"));
    return json(
        known ->
            Views.osds(known).stream()
                .filter(osd -> osd.id() == id)
                .findFirst()
                .orElseThrow(() -> noSuchOsd(id)));
  }

  private static int id(String text) throws WeftException {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT, "an OSD's id is a number, got '" + text + "'", e);
    }
  }

  private static CompletionException noSuchOsd(int id) {
    return new CompletionException(
        new WeftException(ErrorCode.NOT_FOUND, "no OSD " + id + " has joined; see /api/v1/osds"));
  }

  private CompletionStage<RestReply> page() {
    return status
        .get()
        .handle(
            (known, failure) ->
                RestReply.page(
                    failure == null
                        ? StatusPage.of(Views.Status.of(known))
                        : StatusPage.unknown(WeftException.of(failure).getMessage())));
  }
}
