package org.weft.cli.cluster;

import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Environment;

class SharedEnvironmentTest {
  private static final Endpoint UNUSED = new Endpoint("127.0.0.1", 1);

  private final SharedEnvironment shared = new SharedEnvironment();

  /** Timers run: it has not been closed. */
  private static void assertUsable(Environment environment) throws Exception {
    CompletableFuture<Void> ran = new CompletableFuture<>();
    environment.scheduler().schedule(1, Runnable::run, () -> ran.complete(null));
    ran.get(30, TimeUnit.SECONDS);
  }

  /** Why no process can be reached. */
  private static String connecting(Environment environment) {
    return assertThrows(
            CompletionException.class,
            () ->
                environment
                    .transport()
                    .connect(UNUSED, ConnectOptions.to(Optional.empty(), "test"))
                    .toCompletableFuture()
                    .join())
        .getMessage();
  }

  @Test
  void usersShareOneEnvironmentUntilTheLastReturnsIt() throws Exception {
    SharedEnvironment.Lease first = shared.take();
    SharedEnvironment.Lease second = shared.take();
    assertSame(first.environment(), second.environment());
    first.close();
    first.close();
    assertUsable(second.environment());
    try (SharedEnvironment.Lease third = shared.take()) {
      assertSame(second.environment(), third.environment());
    }
    assertTrue(connecting(second.environment()).contains("refused"));
    second.close();
    assertTrue(connecting(second.environment()).contains("closed"));
  }

  @Test
  void theNextCallerHasANewOne() throws Exception {
    SharedEnvironment.Lease first = shared.take();
    first.close();
    try (SharedEnvironment.Lease second = shared.take()) {
      assertNotSame(first.environment(), second.environment());
      assertUsable(second.environment());
    }
    assertTrue(connecting(first.environment()).contains("closed"));
  }
}
