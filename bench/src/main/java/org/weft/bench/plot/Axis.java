package org.weft.bench.plot;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * From values to places, and the values at which an axis is marked.
 *
 * @param logarithmic equal steps are equal factors
 */
record Axis(double least, double most, boolean logarithmic, double from, double to) {
  private static final int MARKS = 6;

  /** Smaller numbers are written with an exponent. */
  private static final double MIN_PLAIN = 1e-3;

  private static final double[] STEPS = {1, 2, 2.5, 5, 10};

  Axis {
    if (!(most > least) || logarithmic && least <= 0) {
      throw new IllegalArgumentException("no axis from " + least + " to " + most);
    }
  }

  /** From zero (or the least of them, if logarithmic) to a round number above them all. */
  static Axis over(double[] values, boolean logarithmic, double from, double to) {
    double least = Double.MAX_VALUE;
    double most = 0;
    for (double value : values) {
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    if (logarithmic) {
      return new Axis(least, most > least ? most : least * 10, true, from, to);
    }
    double step = step(most > 0 ? most : 1);
    return new Axis(0, Math.ceil(Math.max(most, step) / step) * step, false, from, to);
  }

  private static double step(double most) {
    double rough = most / MARKS;
    double power = Math.pow(10, Math.floor(Math.log10(rough)));
    for (double step : STEPS) {
      if (step * power >= rough) {
        return step * power;
      }
    }
    return 10 * power;
  }

  double place(double value) {
    double share =
        logarithmic
            ? Math.log(value / least) / Math.log(most / least)
            : (value - least) / (most - least);
    return from + share * (to - from);
  }

  List<Double> marks() {
    List<Double> marks = new ArrayList<>();
    if (logarithmic) {
      for (double mark = Math.pow(10, Math.ceil(Math.log10(least) - 1e-9));
          mark <= most * (1 + 1e-9);
          mark *= 10) {
        marks.add(mark);
      }
    } else {
      double step = step(most);
      for (int i = 0; i * step <= most * (1 + 1e-9); i++) {
        marks.add(i * step);
      }
    }
    return marks;
  }

  /** 20000 is 20k, 0.5 is 0.5, a millionth is 1e-6. */
  static String text(double value) {
    if (value > 0 && value < MIN_PLAIN) {
      return String.format(Locale.ROOT, "%.0e", value).replaceFirst("e-0*", "e-");
    }
    if (value >= 1e9 && value % 1e8 == 0) {
      return plain(value / 1e9) + "G";
    }
    if (value >= 1e6 && value % 1e5 == 0) {
      return plain(value / 1e6) + "M";
    }
    if (value >= 1e4 && value % 100 == 0) {
      return plain(value / 1e3) + "k";
    }
    return plain(value);
  }

  private static String plain(double value) {
    return value == Math.rint(value)
        ? Long.toString((long) value)
        : Double.toString(Math.round(value * 1000) / 1000.0);
  }
}
