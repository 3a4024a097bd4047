package org.weft.client.stripe.hedge;

/**
 * When a unit that does not come is rebuilt from the others instead of waited for (DESIGN 5).
 *
 * @param enabled false: every unit is waited for until its attempt's time is over
 * @param leastMillis no read counts as late before, however fast its peers answer
 * @param mostMillis a read counts as late after that, however slow its peers are; also while
 *     nothing is known of them
 * @param budgetPercent how much may be read in addition to what was asked for, of all bytes
 */
public record HedgeLimits(boolean enabled, int leastMillis, int mostMillis, int budgetPercent) {
  private static final int DEFAULT_MIN_MILLIS = 10;
  private static final int DEFAULT_MAX_MILLIS = 1_000;
  private static final int DEFAULT_BUDGET_PERCENT = 10;

  public HedgeLimits {
    check(leastMillis, mostMillis, budgetPercent);
  }

  /**
   * Checks the bounds of the numbers.
   *
   * @throws IllegalArgumentException if one is out of them
   */
  public static void check(int leastMillis, int mostMillis, int budgetPercent) {
    if (leastMillis <= 0 || mostMillis < leastMillis) {
      throw new IllegalArgumentException(
          "a read must be late after at least 1 ms and the least not above the most, got "
              + leastMillis
              + " to "
              + mostMillis
              + " ms");
    }
    if (budgetPercent < 0 || budgetPercent > 100) {
      throw new IllegalArgumentException(
          "the budget of hedged reads must be 0 to 100 percent, got " + budgetPercent);
    }
  }

  /** Late after 10 ms to 1 s; a tenth more at most. */
  public static HedgeLimits defaults() {
    return new HedgeLimits(true, DEFAULT_MIN_MILLIS, DEFAULT_MAX_MILLIS, DEFAULT_BUDGET_PERCENT);
  }

  /** Waits for every unit. */
  public static HedgeLimits off() {
    return new HedgeLimits(false, DEFAULT_MIN_MILLIS, DEFAULT_MAX_MILLIS, 0);
  }
}
