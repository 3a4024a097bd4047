package org.weft.cli.quickstart;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.cli.output.CommandFailure;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.sysmgr.rest.RestReply;
import org.weft.sysmgr.rest.RestRequest;
import org.weft.sysmgr.rest.RestRoutes;

/**
 * What a quickstart in one process adds to SysMgr's REST interface: stopping and starting its OSDs.
 */
final class QuickstartRoutes {
  /** One action on an OSD. */
  private interface Action {
    void on(int number) throws Exception;
  }

  private QuickstartRoutes() {}

  static RestRoutes of(InProcessCluster cluster, RestToken token) {
    return new RestRoutes()
        .post(
            "/api/v1/quickstart/osds/{number}/stop",
            request -> apply(request, token, "stopped", cluster::stopOsd))
        .post(
            "/api/v1/quickstart/osds/{number}/start",
            request -> apply(request, token, "started", cluster::startOsd));
  }

  private static CompletionStage<RestReply> apply(
      RestRequest request, RestToken token, String done, Action action) throws WeftException {
    token.require(request.token());
    int number = number(request.variable("number"));
    try {
      action.on(number);
    } catch (CommandFailure e) {
      throw new WeftException(ErrorCode.INVALID_ARGUMENT, e.getMessage(), e);
    } catch (Exception e) {
      throw WeftException.of(e);
    }
    return CompletableFuture.completedFuture(RestReply.json(Map.of("osd-" + number, done)));
  }

  private static int number(String text) throws WeftException {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT, "expected the number of an OSD, got '" + text + "'", e);
    }
  }
}
