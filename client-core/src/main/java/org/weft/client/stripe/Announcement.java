package org.weft.client.stripe;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.rpc.Payload;

/**
 * Shows a new grant to components that exist: from then on they refuse the grant before it, and
 * nothing of that counts as pending any more (P 5.7).
 */
final class Announcement implements ComponentOrder {
  private final StripeEngine engine;
  private final List<Integer> components;

  Announcement(StripeEngine engine, List<Integer> components) {
    this.engine = engine;
    this.components = components;
  }

  @Override
  public List<Integer> participants() {
    return components;
  }

  @Override
  public CompletableFuture<?> attempt(Try attempt) {
    return engine
        .osds()
        .write(
            attempt.target(),
            WriteOrder.request(attempt.terms(), attempt.completeUpTo()),
            Payload.EMPTY);
  }
}
