package org.weft.bench.plot;

import java.util.List;

/**
 * A line of a chart.
 *
 * @param dashed for what is not measured: a bound, or what was expected
 */
public record Series(String name, List<Point> points, boolean dashed) {
  /** Where it passes. */
  public record Point(double x, double y) {}

  public Series {
    points = List.copyOf(points);
  }
}
