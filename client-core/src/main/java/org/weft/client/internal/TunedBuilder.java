package org.weft.client.internal;

import java.util.Optional;
import org.weft.client.stripe.base.StripeOptions;

/** A builder of a client's options, whose streams {@link StreamTuning} may set. */
public abstract class TunedBuilder {
  private StripeOptions streams;

  protected TunedBuilder() {}

  final void tune(StripeOptions wanted) {
    streams = wanted;
  }

  /** Empty: they are as the other options say. */
  protected final Optional<StripeOptions> streams() {
    return Optional.ofNullable(streams);
  }
}
