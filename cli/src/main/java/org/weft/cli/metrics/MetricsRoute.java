package org.weft.cli.metrics;

import java.util.concurrent.CompletableFuture;
import org.weft.sysmgr.rest.RestReply;
import org.weft.sysmgr.rest.RestRoutes;

/** {@code /metrics} among the paths of SysMgr's REST interface. */
public final class MetricsRoute {
  private MetricsRoute() {}

  public static RestRoutes of(ProcessMeters meters) {
    return new RestRoutes()
        .get(
            "/metrics",
            request ->
                CompletableFuture.completedFuture(
                    RestReply.text(MetricsServer.TEXT, meters.scrape())));
  }
}
