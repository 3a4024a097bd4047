package org.weft.client;

import org.weft.client.stripe.hedge.HedgeLimits;

/**
 * When a unit that does not come is rebuilt from the others instead of waited for.
 *
 * @param enabled false: every unit is waited for until its attempt's time is over
 * @param leastMillis no read counts as late before, however fast its peers answer; 1 or more
 * @param mostMillis a read counts as late after that, however slow its peers are; also while
 *     nothing is known of them. No less than {@code leastMillis}
 * @param budgetPercent how much may be read in addition to what was asked for, of all bytes: 0 to
 *     100
 */
public record HedgeOptions(boolean enabled, int leastMillis, int mostMillis, int budgetPercent) {
  private static final HedgeOptions DEFAULTS = of(HedgeLimits.defaults());
  private static final HedgeOptions OFF = of(HedgeLimits.off());

  /**
   * Checks the bounds.
   *
   * @throws IllegalArgumentException if a number is out of its bounds
   */
  public HedgeOptions {
    HedgeLimits.check(leastMillis, mostMillis, budgetPercent);
  }

  /** Late after 10 ms to 1 s; a tenth more at most. */
  public static HedgeOptions defaults() {
    return DEFAULTS;
  }

  /** Waits for every unit. */
  public static HedgeOptions off() {
    return OFF;
  }

  private static HedgeOptions of(HedgeLimits limits) {
    return new HedgeOptions(
        limits.enabled(), limits.leastMillis(), limits.mostMillis(), limits.budgetPercent());
  }

  /** The same, below the API. */
  HedgeLimits limits() {
    return new HedgeLimits(enabled, leastMillis, mostMillis, budgetPercent);
  }
}
