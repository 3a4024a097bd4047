package org.weft.bench.rebuild;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.bench.load.Measurement;

/**
 * Rates of one line of a figure, and the straight line that fits them. Beside it stands the line
 * that they would lie on if all disks were busy. A rate includes the time until the first file is
 * begun, which weighs more where all of it takes less.
 */
final class FittedPoints {
  private final String unit;
  private final SortedMap<Double, Double> rates = new TreeMap<>();
  private final SortedMap<Double, Double> quietRates = new TreeMap<>();
  private final SortedMap<Double, Double> bounds = new TreeMap<>();
  private int fewestRounds = Integer.MAX_VALUE;
  private double widestPercent;

  /**
   * @param unit what the slope is by, as it is printed
   */
  FittedPoints(String unit) {
    this.unit = unit;
  }

  /**
   * @param rounds MB/s of each
   * @param bound MB/s if all disks were busy
   * @param isBusy the machine was too busy in a round
   */
  void add(double x, List<Double> rounds, double bound, boolean isBusy) {
    double[] all = rounds.stream().mapToDouble(rate -> rate).toArray();
    double median = Measurement.median(all);
    rates.put(x, median);
    if (!isBusy) {
      quietRates.put(x, median);
    }
    bounds.put(x, bound);
    fewestRounds = Math.min(fewestRounds, rounds.size());
    double least = rounds.stream().mapToDouble(rate -> rate).min().orElseThrow();
    double most = rounds.stream().mapToDouble(rate -> rate).max().orElseThrow();
    widestPercent = Math.max(widestPercent, 100 * (most - least) / median);
  }

  /** Of all points, and of those at which the machine was not too busy; none for too few. */
  List<String> sentences() {
    List<String> said = new ArrayList<>();
    sentence(rates, "").ifPresent(said::add);
    if (quietRates.size() < rates.size()) {
      said.add(
          sentence(quietRates, "without busy points ")
              .orElse("too few points without busy ones for a line"));
    }
    return said;
  }

  private Optional<String> sentence(SortedMap<Double, Double> points, String which) {
    return LineFit.of(points)
        .map(
            fit ->
                String.format(
                    Locale.ROOT,
                    "%s%.3f MB/s %s (%.3f if all disks are busy), %.3f MB/s at zero, R2 %s"
                        + " (%d points, medians of %d rounds that lie up to %.0f %% apart)",
                    which,
                    fit.slope(),
                    unit,
                    LineFit.of(boundsOf(points)).orElseThrow().slope(),
                    fit.intercept(),
                    fit.r2().isPresent()
                        ? String.format(Locale.ROOT, "%.3f", fit.r2().getAsDouble())
                        : "not defined, all rates are the same",
                    fit.points(),
                    fewestRounds,
                    widestPercent));
  }

  private Map<Double, Double> boundsOf(SortedMap<Double, Double> points) {
    SortedMap<Double, Double> same = new TreeMap<>(bounds);
    same.keySet().retainAll(points.keySet());
    return same;
  }
}
