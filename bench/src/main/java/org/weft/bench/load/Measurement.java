package org.weft.bench.load;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What one workload came to.
 *
 * @param rates of each repetition: MB/s (10^6 bytes) of streams, else operations a second
 * @param latencies of single operations, in nanoseconds, over all repetitions and threads
 * @param cpuSeconds by kind of process, over all repetitions
 */
public record Measurement(
    Workload workload,
    int threads,
    int ioBytes,
    double[] rates,
    Histogram latencies,
    Map<String, Double> cpuSeconds,
    long operations,
    long bytes) {
  private static final double GIB = 1L << 30;
  private static final double MILLION = 1e6;

  public double medianRate() {
    return median(rates);
  }

  static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  public double leastRate() {
    return Arrays.stream(rates).min().orElseThrow();
  }

  public double mostRate() {
    return Arrays.stream(rates).max().orElseThrow();
  }

  public String rateUnit() {
    return workload.isStream() ? "MB/s" : "op/s";
  }

  public double latencyMillis(double percentile) {
    return latencies.getValueAtPercentile(percentile) / MILLION;
  }

  /** CPU of one kind: seconds for each GiB of a stream, else microseconds for each operation. */
  public double cpuCost(String kind) {
    double seconds = cpuSeconds.getOrDefault(kind, 0.0);
    return workload.isStream() ? seconds / (bytes / GIB) : seconds * MILLION / operations;
  }

  public double cpuCost() {
    return cpuSeconds.keySet().stream().mapToDouble(this::cpuCost).sum();
  }

  public String cpuUnit() {
    return workload.isStream() ? "s/GiB" : "us/op";
  }

  /** Everything under the names of the JSON output. */
  public Map<String, Object> toMap(String label) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("label", label);
    map.put("workload", workload.label());
    map.put("threads", threads);
    map.put("ioBytes", ioBytes);
    map.put("unit", rateUnit());
    map.put("rates", Arrays.stream(rates).boxed().toList());
    map.put("medianRate", medianRate());
    map.put("p50Millis", latencyMillis(50));
    map.put("p99Millis", latencyMillis(99));
    map.put("maxMillis", latencies.getMaxValue() / MILLION);
    map.put("operations", operations);
    map.put("bytes", bytes);
    map.put("cpuSeconds", cpuSeconds);
    map.put("cpuCost", cpuCost());
    map.put("cpuUnit", cpuUnit());
    return map;
  }

  /** Head of the table that {@link #row} fills. */
  public static String head() {
    return "%-13s %7s %8s  %10s %10s %10s %-4s  %9s %9s  %9s  %s"
        .formatted(
            "workload",
            "threads",
            "io",
            "min",
            "median",
            "max",
            "",
            "p50 ms",
            "p99 ms",
            "CPU",
            "of these");
  }

  public String row() {
    List<String> kinds =
        cpuSeconds.keySet().stream().map(kind -> "%s %.2f".formatted(kind, cpuCost(kind))).toList();
    return "%-13s %7d %8s  %10.1f %10.1f %10.1f %-4s  %9.3f %9.3f  %9.2f  %s %s"
        .formatted(
            workload.label(),
            threads,
            ioBytes == 0 ? "-" : ioBytes,
            leastRate(),
            medianRate(),
            mostRate(),
            rateUnit(),
            latencyMillis(50),
            latencyMillis(99),
            cpuCost(),
            cpuUnit(),
            String.join(", ", kinds));
  }
}
