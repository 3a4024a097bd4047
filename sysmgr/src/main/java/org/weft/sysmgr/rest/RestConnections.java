package org.weft.sysmgr.rest;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * The connections of the HTTP server, each of which brings one request. There are so many of one
 * host, and in all. For one more, the oldest whose request has not arrived ends. Where all requests
 * have arrived, the new connection ends. A request has ten seconds to arrive, however its bytes
 * come. Thread-safe.
 */
final class RestConnections implements Connection.Listener {
  static final int MAX = 128;
  static final int MAX_OF_HOST = 64;

  private record Arriving(String host, Optional<Scheduler.Task> deadline) {
    Arriving arrived() {
      return new Arriving(host, Optional.empty());
    }
  }

  private final Scheduler scheduler;
  private final int arrivalMillis;

  /** In the order in which they came. */
  private final Map<Connection, Arriving> connections = new LinkedHashMap<>();

  RestConnections(Scheduler scheduler, int arrivalMillis) {
    this.scheduler = scheduler;
    this.arrivalMillis = arrivalMillis;
  }

  @Override
  public void onOpened(Connection connection) {
    String host = host(connection);
    Connection ended = null;
    synchronized (this) {
      boolean hostIsFull =
          connections.values().stream().filter(each -> each.host().equals(host)).count()
              >= MAX_OF_HOST;
      if (hostIsFull || connections.size() >= MAX) {
        ended =
            connections.entrySet().stream()
                .filter(each -> !hostIsFull || each.getValue().host().equals(host))
                .filter(each -> each.getValue().deadline().isPresent())
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(connection);
        forget(ended);
      }
      if (ended != connection) {
        Scheduler.Task deadline =
            scheduler.schedule(() -> end(connection), arrivalMillis, TimeUnit.MILLISECONDS);
        connections.put(connection, new Arriving(host, Optional.of(deadline)));
      }
    }
    if (ended != null) {
      end(ended);
    }
  }

  private static String host(Connection connection) {
    SocketAddress remote = connection.getEndPoint().getRemoteSocketAddress();
    return remote instanceof InetSocketAddress address
        ? address.getAddress().getHostAddress()
        : String.valueOf(remote);
  }

  /** All of the request is there: it may take its time to be answered. */
  synchronized void arrived(Connection connection) {
    connections.computeIfPresent(
        connection,
        (key, arriving) -> {
          arriving.deadline().ifPresent(Scheduler.Task::cancel);
          return arriving.arrived();
        });
  }

  private static void end(Connection connection) {
    connection.getEndPoint().close();
  }

  @Override
  public synchronized void onClosed(Connection connection) {
    forget(connection);
  }

  private void forget(Connection connection) {
    Arriving arriving = connections.remove(connection);
    if (arriving != null) {
      arriving.deadline().ifPresent(Scheduler.Task::cancel);
    }
  }
}
