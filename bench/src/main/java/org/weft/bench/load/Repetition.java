package org.weft.bench.load;

import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * One repetition of a workload.
 *
 * @param nanos from its first operation to its last one
 * @param cpuSeconds by kind of process, what followed until everything was on disk included if that
 *     was waited for
 * @param otherCpuSeconds of everything else on the machine in the same time: it disturbs
 * @param latencies of single operations, in nanoseconds
 * @param late units that its readers did not wait for, or would not have
 */
public record Repetition(
    long nanos,
    Map<String, Double> cpuSeconds,
    double otherCpuSeconds,
    Histogram latencies,
    long operations,
    long bytes,
    LateUnits late) {
  private static final double GIB = 1L << 30;
  private static final double MEGABYTE = 1e6;
  private static final double MILLION = 1e6;
  private static final double BILLION = 1e9;

  /** MB/s (10^6 bytes) of streams, else operations a second. */
  public double rate(Workload workload) {
    return (workload.isStream() ? bytes / MEGABYTE : operations) * BILLION / nanos;
  }

  /** CPU of one kind: seconds for each GiB of a stream, else microseconds for each operation. */
  public double cpuCost(Workload workload, String kind) {
    double seconds = cpuSeconds.getOrDefault(kind, 0.0);
    return workload.isStream() ? seconds / (bytes / GIB) : seconds * MILLION / operations;
  }

  /** Everything under the names of the JSON output. */
  public Map<String, Object> toMap(Workload workload) {
    Map<String, Double> costs = new LinkedHashMap<>();
    cpuSeconds.keySet().forEach(kind -> costs.put(kind, cpuCost(workload, kind)));
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("unit", workload.rateUnit());
    map.put("rate", rate(workload));
    map.put("seconds", nanos / BILLION);
    map.put("operations", operations);
    map.put("bytes", bytes);
    map.put("p50Millis", latencies.getValueAtPercentile(50) / MILLION);
    map.put("p99Millis", latencies.getValueAtPercentile(99) / MILLION);
    map.put("maxMillis", latencies.getMaxValue() / MILLION);
    if (workload.reads()) {
      map.put("hedges", late.toMap());
    }
    map.put("cpuUnit", workload.cpuUnit());
    map.put("cpuCost", costs.values().stream().mapToDouble(Double::doubleValue).sum());
    map.put("cpuCostOf", costs);
    map.put("otherCpuSeconds", otherCpuSeconds);
    return map;
  }
}
