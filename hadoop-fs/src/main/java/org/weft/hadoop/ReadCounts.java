package org.weft.hadoop;

import static org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding.dynamicIOStatistics;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsAggregator;
import org.apache.hadoop.fs.statistics.MeanStatistic;
import org.apache.hadoop.fs.statistics.impl.DynamicIOStatisticsBuilder;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsStore;

/**
 * What one stream that reads has counted. Most streams read one small file, and no caller asks for
 * their statistics. Hadoop's own store for them costs more than the read. Thread-safe.
 */
final class ReadCounts {
  private static final ReadCounter[] ALL = ReadCounter.values();

  private final AtomicLongArray counts = new AtomicLongArray(ALL.length);

  /** The counters that are not 0; all other statistics are empty. */
  private record Counted(Map<String, Long> counters) implements IOStatistics {
    @Override
    public Map<String, Long> gauges() {
      return Map.of();
    }

    @Override
    public Map<String, Long> minimums() {
      return Map.of();
    }

    @Override
    public Map<String, Long> maximums() {
      return Map.of();
    }

    @Override
    public Map<String, MeanStatistic> meanStatistics() {
      return Map.of();
    }
  }

  void increment(ReadCounter counter) {
    add(counter, 1);
  }

  void add(ReadCounter counter, long more) {
    counts.addAndGet(counter.ordinal(), more);
  }

  /** As Hadoop shows them; they go on counting. */
  IOStatistics statistics() {
    DynamicIOStatisticsBuilder builder = dynamicIOStatistics();
    for (ReadCounter counter : ALL) {
      builder.withLongFunctionCounter(counter.key(), key -> counts.get(counter.ordinal()));
    }
    return builder.build();
  }

  /**
   * Adds all to what a file system and a thread have counted. Both hold far more than a stream
   * counts, so only figures above 0 are added.
   */
  void addTo(IOStatisticsStore totals, IOStatisticsAggregator thread) {
    Map<String, Long> counted = new HashMap<>();
    for (ReadCounter counter : ALL) {
      long count = counts.get(counter.ordinal());
      if (count != 0) {
        counted.put(counter.key(), count);
        totals.incrementCounter(counter.key(), count);
      }
    }
    thread.aggregate(new Counted(counted));
  }
}
