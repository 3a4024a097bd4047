package org.weft.bench.rebuild;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The straight line that fits points best, by least squares.
 *
 * @param slope of y over x
 * @param intercept y at x = 0
 * @param r2 which part of the variance of y the line explains, 0 to 1; empty: all y are the same,
 *     and there is nothing to explain
 * @param points how many there are
 */
record LineFit(double slope, double intercept, OptionalDouble r2, int points) {
  /** A line through two points says nothing of whether they lie on one. */
  private static final int MIN_POINTS = 3;

  /** Empty for fewer than three points, or where all have one x. */
  static Optional<LineFit> of(Map<Double, Double> yByX) {
    int count = yByX.size();
    if (count < MIN_POINTS) {
      return Optional.empty();
    }
    double meanX = yByX.keySet().stream().mapToDouble(x -> x).average().orElseThrow();
    double meanY = yByX.values().stream().mapToDouble(y -> y).average().orElseThrow();
    double xx = 0;
    double xy = 0;
    double yy = 0;
    for (Map.Entry<Double, Double> point : yByX.entrySet()) {
      double dx = point.getKey() - meanX;
      double dy = point.getValue() - meanY;
      xx += dx * dx;
      xy += dx * dy;
      yy += dy * dy;
    }
    double slope = xy / xx;
    OptionalDouble r2 = yy == 0 ? OptionalDouble.empty() : OptionalDouble.of(xy * xy / (xx * yy));
    return Optional.of(new LineFit(slope, meanY - slope * meanX, r2, count));
  }
}
