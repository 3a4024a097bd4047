package org.weft.client.stripe;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.weft.protocol.rpc.RpcException;

/** Calls that may be made again are, a few times, where what stood in the way may pass. */
final class PatientCalls {
  private static final int MOST_TRIES = 4;
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final StripeEngine engine;

  PatientCalls(StripeEngine engine) {
    this.engine = engine;
  }

  <T> CompletableFuture<T> repeat(Supplier<CompletableFuture<T>> call) {
    return repeat(call, 1);
  }

  private <T> CompletableFuture<T> repeat(Supplier<CompletableFuture<T>> call, int tries) {
    return call.get()
        .exceptionallyCompose(
            thrown ->
                tries < MOST_TRIES && mayPass(RpcException.of(thrown))
                    ? after(FIRST_PAUSE_NANOS << tries).thenCompose(n -> repeat(call, tries + 1))
                    : CompletableFuture.failedFuture(thrown));
  }

  private CompletableFuture<Void> after(long nanos) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    engine.after(nanos, () -> done.complete(null));
    return done;
  }

  static boolean mayPass(RpcException failure) {
    return switch (failure.code()) {
      case UNAVAILABLE, CONNECTION_LOST, DEADLINE_EXCEEDED, BUSY, OVERLOADED -> true;
      default -> false;
    };
  }
}
