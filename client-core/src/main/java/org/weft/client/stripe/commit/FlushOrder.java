package org.weft.client.stripe.commit;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.base.StripeContext;
import org.weft.protocol.wire.FlushRequest;

/** Brings what components have acknowledged to their stable storage (P 5.9). */
final class FlushOrder implements ComponentOrder {
  private final StripeContext context;
  private final UnsyncedComponents undurable;
  private final List<Integer> components;
  private final long moment;

  FlushOrder(StripeContext context, UnsyncedComponents undurable) {
    this.context = context;
    this.undurable = undurable;
    this.moment = undurable.now();
    this.components = undurable.components();
  }

  @Override
  public List<Integer> participants() {
    return components;
  }

  @Override
  public boolean raisesVersion() {
    return false;
  }

  @Override
  public CompletableFuture<?> attempt(Try attempt) {
    FlushRequest.Builder request =
        FlushRequest.newBuilder().setObjectId(attempt.terms().file().name().object().value());
    return context.osds().flush(attempt.target(), request);
  }

  @Override
  public void acknowledged(int component) {
    undurable.flushed(component, moment);
  }
}
