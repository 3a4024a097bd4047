package org.weft.hadoop.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.weft.client.WeftClient;
import org.weft.client.internal.ClientParts;
import org.weft.hadoop.SharedCluster;
import org.weft.hadoop.config.ClusterAddress;
import org.weft.hadoop.config.Settings;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.testkit.process.Await;

/** The registry of clients, where connecting fails. */
@Timeout(120)
class SharedClientsTest {

  private final AtomicInteger attempts = new AtomicInteger();
  private final CompletableFuture<Void> go = new CompletableFuture<>();
  private final SharedClients clients =
      new SharedClients(
          SystemEnvironment::create,
          (options, environment) -> {
            if (attempts.incrementAndGet() == 1) {
              throw new OutOfMemoryError("unable to create native thread");
            }
            return go.thenCompose(nothing -> WeftClient.connect(options, environment));
          });

  private static ClientKey key(String user) {
    URI uri = URI.create(SharedCluster.get().uri());
    Configuration conf = new Configuration();
    return ClientKey.of(ClusterAddress.of(uri, conf), Settings.of(conf), user, List.of("people"));
  }

  private void awaitNone() {
    Await.until("every client ends", () -> clients.count() == 0);
  }

  @Test
  void connectErrorIsReportedAndTheNextCallConnects() throws Exception {
    ClientReference reference = new ClientReference(clients, key("ann"), 1);
    IOException failed = assertThrows(IOException.class, reference::client);
    assertInstanceOf(OutOfMemoryError.class, root(failed));
    go.complete(null);
    assertTrue(ClientParts.of(reference.client()).cluster().clusterId() != null);
    assertEquals(2, attempts.get());
    reference.run();
    assertThrows(IOException.class, reference::client);
    awaitNone();
  }

  @Test
  void waitingThreadFailsEvenIfTheCleanupFailsToo() throws Exception {
    try (SystemEnvironment system = SystemEnvironment.create()) {
      SharedClient client = new SharedClient(key("ann"), system.environment());
      client.connect(
          (options, environment) ->
              CompletableFuture.failedFuture(new IOException("no member answers")),
          system.environment(),
          () -> {
            throw new OutOfMemoryError("unable to create native thread");
          });
      FutureTask<WeftClient> waiting = new FutureTask<>(client::await);
      new Thread(waiting, "waits").start();
      ExecutionException thrown =
          assertThrows(ExecutionException.class, () -> waiting.get(30, TimeUnit.SECONDS));
      assertEquals("no member answers", root(thrown).getMessage());
      client.end();
    }
  }

  @Test
  void failedAttemptFailsAllWaitingThreads() throws Exception {
    assertThrows(IOException.class, new ClientReference(clients, key("ann"), 1)::client);
    List<FutureTask<WeftClient>> waiting = new ArrayList<>();
    List<ClientReference> references = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      ClientReference reference = new ClientReference(clients, key("ann"), 1);
      references.add(reference);
      FutureTask<WeftClient> task = new FutureTask<>(reference::client);
      waiting.add(task);
      new Thread(task, "waits-" + i).start();
    }
    go.completeExceptionally(new StackOverflowError());
    for (FutureTask<WeftClient> task : waiting) {
      assertThrows(ExecutionException.class, () -> task.get(60, TimeUnit.SECONDS));
    }
    references.forEach(ClientReference::run);
    awaitNone();
  }

  @Test
  void clientNeededAgainInTimeIsReused() throws Exception {
    go.complete(null);
    attempts.set(1);
    ClientReference first = new ClientReference(clients, key("ann"), 3_600_000);
    WeftClient client = first.client();
    first.run();
    first.run();
    ClientReference second = new ClientReference(clients, key("ann"), 1);
    assertSame(client, second.client());
    ClientReference bob = new ClientReference(clients, key("bob"), 1);
    assertNotSame(client, bob.client());
    assertEquals(2, clients.count());
    second.run();
    bob.run();
    awaitNone();
  }

  private static Throwable root(Throwable thrown) {
    Throwable cause = thrown;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }
}
