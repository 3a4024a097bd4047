package org.weft.cli.cluster;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.rpc.Endpoint;

/** Finds out at once whether anything listens at the addresses of a cluster. */
final class Listening {
  private static final int CONNECT_MILLIS = 2_000;

  private Listening() {}

  /** What came of an attempt; no failure: the address accepts connections. */
  private record Attempt(int index, Optional<String> failure) {}

  /**
   * Tries all addresses at the same time, for two seconds at most.
   *
   * @return why none accepts a connection, with each address; empty if one does
   */
  static Optional<String> failure(List<Endpoint> endpoints) throws IOException {
    BlockingQueue<Attempt> attempts = new LinkedBlockingQueue<>();
    for (int i = 0; i < endpoints.size(); i++) {
      int index = i;
      // A name look-up may take any time: no caller waits for the thread.
      Thread thread =
          new Thread(
              () -> attempts.add(new Attempt(index, failure(endpoints.get(index)))), "weft-probe");
      thread.setDaemon(true);
      thread.start();
    }
    TreeMap<Integer, String> failures = new TreeMap<>();
    long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CONNECT_MILLIS);
    while (failures.size() < endpoints.size()) {
      Attempt attempt = next(attempts, deadlineNanos);
      if (attempt == null) {
        break;
      }
      if (attempt.failure().isEmpty()) {
        return Optional.empty();
      }
      failures.put(attempt.index(), attempt.failure().get());
    }
    List<String> all = new ArrayList<>();
    for (int i = 0; i < endpoints.size(); i++) {
      all.add(endpoints.get(i) + ": " + failures.getOrDefault(i, noAnswer()));
    }
    return Optional.of(String.join(", ", all));
  }

  private static Attempt next(BlockingQueue<Attempt> attempts, long deadlineNanos)
      throws IOException {
    try {
      return attempts.poll(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static Optional<String> failure(Endpoint endpoint) {
    InetSocketAddress address = new InetSocketAddress(endpoint.host(), endpoint.port());
    try (Socket socket = new Socket()) {
      socket.connect(address, CONNECT_MILLIS);
      return Optional.empty();
    } catch (UnknownHostException e) {
      return Optional.of("unknown host");
    } catch (SocketTimeoutException e) {
      return Optional.of(noAnswer());
    } catch (IOException e) {
      String message = String.valueOf(e.getMessage());
      return Optional.of(message.toLowerCase(Locale.ROOT));
    }
  }

  private static String noAnswer() {
    return "no reply within " + CONNECT_MILLIS / 1_000 + " s";
  }
}
