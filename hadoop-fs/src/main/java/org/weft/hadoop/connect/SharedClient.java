package org.weft.hadoop.connect;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.Blocking;
import org.weft.client.ClientOptions;
import org.weft.client.WeftClient;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.HostName;

/**
 * One client of this process, and the threads on which its futures complete. Connects once; one
 * that could not is replaced by another. Thread-safe, but for what {@link SharedClients} guards.
 */
final class SharedClient {
  /** Makes the connection; {@link WeftClient#connect} but in tests. */
  @FunctionalInterface
  interface Connector {
    CompletableFuture<WeftClient> connect(ClientOptions options, Environment environment);
  }

  private static final Logger LOG = LoggerFactory.getLogger(SharedClient.class);
  private static final int CALLBACK_QUEUE_LIMIT = 1 << 20;

  private final ClientKey key;
  private final OwnedExecutor callbacks;
  private final CompletableFuture<WeftClient> connected = new CompletableFuture<>();

  // Guarded by the registry.
  private int references;
  private boolean gone;
  private Scheduler.Timer end = () -> {};

  SharedClient(ClientKey key, Environment environment) {
    this.key = key;
    this.callbacks =
        environment
            .scheduler()
            .newPool("weft-hadoop", key.terms().callbackThreads(), CALLBACK_QUEUE_LIMIT);
  }

  ClientKey key() {
    return key;
  }

  /**
   * Begins to connect; called once.
   *
   * @param failed runs before any waiting thread learns that the attempt failed
   */
  void connect(Connector connector, Environment environment, Runnable failed) {
    CompletableFuture<WeftClient> attempt;
    try {
      attempt = connector.connect(key.options(callbacks, HostName.own()), environment);
    } catch (RuntimeException | Error e) {
      attempt = CompletableFuture.failedFuture(e);
    }
    var unused =
        attempt.whenComplete(
            (client, failure) -> {
              if (failure == null) {
                connected.complete(client);
              } else {
                try {
                  failed.run();
                } finally {
                  connected.completeExceptionally(failure);
                }
              }
            });
  }

  /**
   * The client; waits until it is connected. A caller that is interrupted gives up its own waiting
   * alone.
   */
  WeftClient await() throws IOException {
    return isConnected() ? connected.join() : Blocking.await(connected.copy());
  }

  Optional<WeftClient> ifConnected() {
    return isConnected() ? Optional.of(connected.join()) : Optional.empty();
  }

  private boolean isConnected() {
    return connected.isDone() && !connected.isCompletedExceptionally();
  }

  /** Under the registry's monitor. */
  void refer() {
    references++;
    end.cancel();
  }

  /** Under the registry's monitor; true for the last reference. */
  boolean unrefer() {
    references--;
    return references == 0;
  }

  /** Under the registry's monitor. */
  void endsBy(Scheduler.Timer timer) {
    end = timer;
  }

  /** Under the registry's monitor. */
  boolean isIdle() {
    return references == 0 && !gone;
  }

  /** Marks it as gone, under the registry's monitor; true for the first call. */
  boolean leave() {
    boolean first = !gone;
    gone = true;
    end.cancel();
    return first;
  }

  /**
   * Ends the client and its threads; waits for the managers to know, at most some seconds. Not from
   * a thread of the client.
   */
  void end() {
    try {
      WeftClient client = Blocking.await(connected.copy());
      client.close();
    } catch (IOException e) {
      LOG.debug("there was no connection to end: {}", e.getMessage());
    } finally {
      callbacks.close();
    }
  }
}
