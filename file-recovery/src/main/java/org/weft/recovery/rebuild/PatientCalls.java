package org.weft.recovery.rebuild;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.weft.client.stripe.base.StripeContext;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.retry.Backoff;

/**
 * Calls that may be made again are, a few times, where what stood in the way may pass; where an OSD
 * has too much to do, for 15 to 20 seconds and ever more seldom. One that was refused because its
 * capability had expired is made again by the next capability, if there is one by then.
 */
final class PatientCalls {
  private static final int MAX_TRIES = 4;
  private static final int MAX_TRIES_OF_BUSY = 10;

  /** Tries are counted: little jitter, so that they do not end much sooner. */
  private static final int JITTER_PERCENT = 20;

  private static final Backoff RETRIES =
      new Backoff(
          TimeUnit.MILLISECONDS.toNanos(200), TimeUnit.MILLISECONDS.toNanos(3_200), JITTER_PERCENT);

  private final StripeContext context;
  private final Supplier<Optional<SignedCapability>> capability;

  /** By one capability, which is not renewed. */
  PatientCalls(StripeContext context) {
    this.context = context;
    this.capability = Optional::empty;
  }

  /**
   * @param capability that calls are made by from now on; any thread
   */
  PatientCalls(StripeContext context, Supplier<SignedCapability> capability) {
    this.context = context;
    this.capability = () -> Optional.of(capability.get());
  }

  <T> CompletableFuture<T> repeat(Supplier<CompletableFuture<T>> call) {
    return repeat(call, 1);
  }

  private <T> CompletableFuture<T> repeat(Supplier<CompletableFuture<T>> call, int tries) {
    Optional<SignedCapability> by = capability.get();
    return call.get()
        .exceptionallyCompose(
            thrown -> {
              WeftException why = WeftException.of(thrown);
              boolean isRenewed =
                  why.code() == ErrorCode.CAPABILITY_EXPIRED && !capability.get().equals(by);
              int most = why.code() == ErrorCode.OVERLOADED ? MAX_TRIES_OF_BUSY : MAX_TRIES;
              return tries < most && (why.code().mayPass() || isRenewed)
                  ? after(RETRIES.delayNanos(tries, context.random()))
                      .thenCompose(n -> repeat(call, tries + 1))
                  : CompletableFuture.failedFuture(thrown);
            });
  }

  private CompletableFuture<Void> after(long nanos) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    context.after(nanos, () -> done.complete(null));
    return done;
  }
}
