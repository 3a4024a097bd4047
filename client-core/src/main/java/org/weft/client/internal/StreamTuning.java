package org.weft.client.internal;

import org.weft.client.stripe.base.StripeOptions;

/** Streams of sizes that the options of a client do not allow: small ones, for simulated files. */
public final class StreamTuning {
  private StreamTuning() {}

  /** Sets all of them, in place of what the other options say of windows, memory and hedges. */
  public static void apply(TunedBuilder options, StripeOptions streams) {
    options.tune(streams);
  }
}
