package org.weft.cli.metrics;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.weft.cli.output.CommandFailure;
import org.weft.protocol.rpc.Endpoint;
import org.weft.sysmgr.rest.RestReply;
import org.weft.sysmgr.rest.RestRoutes;
import org.weft.sysmgr.rest.RestServer;

/** Answers {@code GET /metrics} on a port of its own, within the bounds of {@link RestServer}. */
public final class MetricsServer implements AutoCloseable {
  /** A daemon's metrics are found that many ports above its own, unless they are set. */
  public static final int PORT_OFFSET = 1_000;

  /** Content type of Prometheus's text format. */
  public static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";

  private final RestServer server;

  private MetricsServer(RestServer server) {
    this.server = server;
  }

  /** Starts; fails with a sentence if the port is taken. */
  public static MetricsServer start(Endpoint endpoint, Supplier<String> scrape) throws IOException {
    try {
      return new MetricsServer(RestServer.start(endpoint, routes(scrape)));
    } catch (IOException e) {
      throw new CommandFailure(
          "port "
              + endpoint.port()
              + " for /metrics cannot be listened on ("
              + e.getMessage()
              + "); choose another with --metrics HOST:PORT, or --metrics off",
          e);
    }
  }

  private static RestRoutes routes(Supplier<String> scrape) {
    return new RestRoutes()
        .get(
            "/metrics",
            request -> CompletableFuture.completedFuture(RestReply.text(TEXT, scrape.get())));
  }

  /** Where it listens, with the real port. */
  public Endpoint address() {
    return server.address();
  }

  @Override
  public void close() {
    server.close();
  }
}
