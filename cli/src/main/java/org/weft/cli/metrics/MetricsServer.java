package org.weft.cli.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.weft.cli.CommandFailure;
import org.weft.protocol.rpc.Endpoint;

/** Answers {@code GET /metrics} on a port of its own, one request at a time. */
public final class MetricsServer implements AutoCloseable {
  /** A daemon's metrics are found that many ports above its own, unless they are set. */
  public static final int PORT_OFFSET = 1_000;

  /** Content type of Prometheus's text format. */
  public static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";

  private static final int MOST_WAITING = 8;

  private final HttpServer server;
  private final ExecutorService thread;

  private MetricsServer(HttpServer server, ExecutorService thread) {
    this.server = server;
    this.thread = thread;
  }

  /** Starts; fails with a sentence if the port is taken. */
  public static MetricsServer start(Endpoint endpoint, Supplier<String> scrape) throws IOException {
    HttpServer server;
    try {
      server =
          HttpServer.create(
              new InetSocketAddress(InetAddress.getByName(endpoint.host()), endpoint.port()),
              MOST_WAITING);
    } catch (BindException e) {
      throw new CommandFailure(
          "port "
              + endpoint.port()
              + " for /metrics cannot be listened on ("
              + e.getMessage()
              + "); choose another with --metrics HOST:PORT, or --metrics off",
          e);
    }
    ExecutorService thread =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread made = new Thread(task, "weft-metrics");
              made.setDaemon(true);
              return made;
            });
    server.setExecutor(thread);
    server.createContext("/", exchange -> answer(exchange, scrape));
    server.start();
    return new MetricsServer(server, thread);
  }

  private static void answer(HttpExchange exchange, Supplier<String> scrape) throws IOException {
    try (exchange) {
      boolean metrics = exchange.getRequestURI().getPath().equals("/metrics");
      boolean get = exchange.getRequestMethod().equals("GET");
      String body = metrics && get ? scrape.get() : "ask for GET /metrics\n";
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", TEXT);
      exchange.sendResponseHeaders(metrics ? (get ? 200 : 405) : 404, bytes.length);
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(bytes);
      }
    }
  }

  /** Where it listens, with the real port. */
  public Endpoint address() {
    return new Endpoint(server.getAddress().getHostString(), server.getAddress().getPort());
  }

  @Override
  public void close() {
    server.stop(0);
    thread.shutdownNow();
  }
}
