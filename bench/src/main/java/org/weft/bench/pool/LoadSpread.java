package org.weft.bench.pool;

import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * How evenly something (objects, bytes) lies on OSDs after a sample of files, and how evenly it
 * would after more of them. If files are placed independently and every OSD is as likely as any
 * other, the variance over OSDs follows from single files. What each of them puts on single OSDs
 * decides it. The sample shows whether that holds. Not thread-safe.
 */
final class LoadSpread {
  /** Beyond the mean of ten thousand normal values: where the highest of them is expected. */
  static final double MAX_OF_TEN_THOUSAND = 3.85;

  private final double[] byOsd;
  private double squares;
  private long files;

  LoadSpread(int osds) {
    byOsd = new double[osds];
  }

  void file() {
    files++;
  }

  void put(int osd, long amount) {
    byOsd[osd] += amount;
    squares += (double) amount * amount;
  }

  double mean() {
    double sum = 0;
    for (double each : byOsd) {
      sum += each;
    }
    return sum / byOsd.length;
  }

  /** Of some of the OSDs, by their index. */
  double mean(IntPredicate some) {
    return IntStream.range(0, byOsd.length)
        .filter(some)
        .mapToDouble(osd -> byOsd[osd])
        .average()
        .orElse(0);
  }

  double perFile() {
    return mean() * byOsd.length / files;
  }

  double highestOverMean() {
    double most = 0;
    for (double each : byOsd) {
      most = Math.max(most, each);
    }
    return most / mean();
  }

  /** Standard deviation over OSDs, as a part of the mean. */
  double deviation() {
    double mean = mean();
    double sum = 0;
    for (double each : byOsd) {
      sum += (each - mean) * (each - mean);
    }
    return Math.sqrt(sum / byOsd.length) / mean;
  }

  /** The same as it must be after so many files, if each is placed like a throw of dice. */
  double expectedDeviation(long afterFiles) {
    double meanOfOne = mean() / files;
    double variance = squares / files / byOsd.length - meanOfOne * meanOfOne;
    return Math.sqrt(variance / afterFiles) / meanOfOne;
  }

  long files() {
    return files;
  }
}
