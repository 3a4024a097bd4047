package org.weft.client.stripe.commit;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.weft.client.stripe.base.StripeContext;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Payload;

/**
 * Shows a new grant to components that exist. From then on they refuse the grant before it, and
 * nothing of that counts as pending any more (P 5.7).
 */
final class Announcement implements ComponentOrder {
  private final StripeContext context;
  private final List<Integer> components;

  Announcement(StripeContext context, List<Integer> components) {
    this.context = context;
    this.components = components;
  }

  @Override
  public List<Integer> participants() {
    return components;
  }

  @Override
  public CompletableFuture<?> attempt(Try attempt) {
    return context
        .osds()
        .write(
            attempt.target(),
            WriteOrder.request(attempt.terms(), attempt.completeUpTo()),
            Payload.EMPTY)
        .handle((reply, thrown) -> heard(thrown));
  }

  /**
   * A component that has heard of something newer meanwhile need not hear this. Nor need an object
   * that is not there any more, of which nothing is pending.
   */
  private static Void heard(Throwable thrown) {
    if (thrown == null) {
      return null;
    }
    WeftException refusal = WeftException.of(thrown);
    if (!refusal.code().isOvertaken() && refusal.code() != ErrorCode.NO_SUCH_OBJECT) {
      throw new CompletionException(refusal);
    }
    return null;
  }
}
