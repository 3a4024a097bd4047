package org.weft.bench.rebuild.model;

/**
 * How often files are lost, to the first order. OSDs fail for good one by one, independently of
 * each other, and each as often at any age. A loss takes one OSD more than the parity bears. Each
 * of them fails before the data that the last failure left in danger is whole again. Rebuilds of
 * the model tell when that is. Times in which two rebuilds share disks are not counted, nor are
 * errors of reading, nor failures of hosts.
 *
 * @param osds that there are
 * @param meanYears until an OSD fails
 * @param detectSeconds from a failure until its rebuild begins
 */
record LossRates(int osds, double meanYears, double detectSeconds) {
  private static final double SECONDS_PER_YEAR = 365.25 * 86_400;

  /** Losses a year with one parity unit, by the rebuild of one OSD. */
  double withOneParity(ModelOutcome one) {
    return firsts() * expected(one.criticalOsdSeconds(detectSeconds));
  }

  /** Files lost a year with one parity unit. */
  double filesWithOneParity(ModelOutcome one) {
    return firsts() * expected(one.criticalFileSeconds(detectSeconds));
  }

  /**
   * Losses a year with two parity units.
   *
   * @param one the rebuild after the first failure
   * @param two the rebuild of two at once: those files first that have lost two components
   */
  double withTwoParity(ModelOutcome one, ModelOutcome two) {
    return firsts()
        * expected(one.exposedOsdSeconds(detectSeconds))
        * expected(two.criticalOsdSeconds(detectSeconds));
  }

  /**
   * Losses a year where OSDs stand in fixed groups, and each that fails is written anew onto one
   * spare OSD.
   *
   * @param width OSDs of a group
   * @param rebuildSeconds to write all of a disk
   */
  double ofFixedGroups(int width, int parityUnits, double rebuildSeconds) {
    double rate = firsts();
    for (int others = width - 1; others >= width - parityUnits; others--) {
      rate *= expected(others * (detectSeconds + rebuildSeconds));
    }
    return rate;
  }

  /** In how many of the years something is lost. */
  static double probability(double yearly) {
    return -Math.expm1(-yearly);
  }

  private double firsts() {
    return osds / meanYears;
  }

  /** Failures of one OSD expected in so many of its seconds. */
  private double expected(double osdSeconds) {
    return osdSeconds / SECONDS_PER_YEAR / meanYears;
  }
}
