package org.weft.sysmgr.rest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.weft.protocol.rpc.Endpoint;

/** The HTTP server. Thread-safe. */
public final class RestServer implements AutoCloseable {
  private static final int MAX_THREADS = 8;
  private static final int MIN_THREADS = 2;
  private static final int IDLE_MILLIS = 30_000;
  private static final int MAX_HEADER_BYTES = 8 << 10;
  private static final int ACCEPT_QUEUE = 64;
  private static final int ARRIVAL_MILLIS = 10_000;

  private final Server server;
  private final RestGate gate;
  private final Endpoint address;

  private RestServer(Server server, RestGate gate, Endpoint address) {
    this.server = server;
    this.gate = gate;
    this.address = address;
  }

  /** Listens; port 0 takes any free one. A taken port is an IOException that names it. */
  public static RestServer start(Endpoint listen, RestRoutes routes) throws IOException {
    return start(listen, routes, ARRIVAL_MILLIS);
  }

  /** With another time for requests to arrive, for tests. */
  static RestServer start(Endpoint listen, RestRoutes routes, int arrivalMillis)
      throws IOException {
    QueuedThreadPool threads = new QueuedThreadPool(MAX_THREADS, MIN_THREADS, IDLE_MILLIS);
    threads.setName("weft-rest");
    threads.setDaemon(true);
    Server server = new Server(threads);
    // Browsers keep connections open: stopping does not wait for them.
    server.setStopTimeout(0);
    HttpConfiguration configuration = new HttpConfiguration();
    configuration.setSendServerVersion(false);
    configuration.setSendDateHeader(false);
    configuration.setRequestHeaderSize(MAX_HEADER_BYTES);
    configuration.setIdleTimeout(IDLE_MILLIS);
    ServerConnector connector =
        new ServerConnector(server, 1, 1, new HttpConnectionFactory(configuration));
    connector.setHost(listen.host());
    connector.setPort(listen.port());
    connector.setAcceptQueueSize(ACCEPT_QUEUE);
    connector.setIdleTimeout(IDLE_MILLIS);
    server.addConnector(connector);
    RestConnections connections = new RestConnections(connector.getScheduler(), arrivalMillis);
    connector.addBean(connections);
    RestGate gate = new RestGate(listen.host(), routes.routes(), connections);
    server.setHandler(gate);
    open(server, connector, listen);
    return new RestServer(server, gate, new Endpoint(listen.host(), connector.getLocalPort()));
  }

  private static void open(Server server, ServerConnector connector, Endpoint listen)
      throws IOException {
    try {
      connector.open();
    } catch (IOException e) {
      throw new IOException(
          "port "
              + listen.port()
              + " for the REST interface ("
              + listen
              + ") cannot be listened on: another process has taken it, or the address is not"
              + " this machine's; free it or choose another",
          e);
    }
    try {
      server.start();
    } catch (Exception e) {
      // Jetty declares any exception; what it throws here is a mistake in the setup above.
      connector.close();
      throw new IOException("the REST interface could not be started: " + e, e);
    }
  }

  /** Where it listens, or did before it was closed, with the real port. */
  public Endpoint address() {
    return address;
  }

  /** Answers these paths too from now on; they come before those that were there. */
  public void addRoutes(RestRoutes routes) {
    List<RestRoutes.Route> all = new ArrayList<>(routes.routes());
    gate.prepend(all);
  }

  @Override
  public void close() {
    try {
      server.stop();
    } catch (Exception e) {
      throw new IllegalStateException("the REST interface did not stop: " + e, e);
    }
  }
}
