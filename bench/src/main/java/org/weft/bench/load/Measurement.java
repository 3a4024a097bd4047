package org.weft.bench.load;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/** What one workload came to, in one repetition or more. */
public record Measurement(
    Workload workload, int threads, int ioBytes, List<Repetition> repetitions) {
  private static final double MILLION = 1e6;

  public Measurement {
    repetitions = List.copyOf(repetitions);
  }

  /** Of each repetition: MB/s (10^6 bytes) of streams, else operations a second. */
  public double[] rates() {
    return each(repetition -> repetition.rate(workload));
  }

  private double[] each(ToDoubleFunction<Repetition> value) {
    return repetitions.stream().mapToDouble(value).toArray();
  }

  public double medianRate() {
    return median(rates());
  }

  /** The one in the middle, or between the two in the middle. */
  public static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  public double leastRate() {
    return Arrays.stream(rates()).min().orElseThrow();
  }

  public double mostRate() {
    return Arrays.stream(rates()).max().orElseThrow();
  }

  /** Of single operations, in nanoseconds, over all repetitions and threads. */
  public Histogram latencies() {
    Histogram all = Worker.histogram();
    repetitions.forEach(each -> all.add(each.latencies()));
    return all;
  }

  public long operations() {
    return repetitions.stream().mapToLong(Repetition::operations).sum();
  }

  public long bytes() {
    return repetitions.stream().mapToLong(Repetition::bytes).sum();
  }

  /** Units that were late, over all repetitions. */
  public LateUnits late() {
    return repetitions.stream().map(Repetition::late).reduce(LateUnits.NONE, LateUnits::plus);
  }

  /** Median of what one kind of process cost: s/GiB of a stream, else us/op. */
  public Map<String, Double> cpuCosts() {
    Map<String, Double> costs = new LinkedHashMap<>();
    for (String kind : repetitions.get(0).cpuSeconds().keySet()) {
      costs.put(kind, median(each(repetition -> repetition.cpuCost(workload, kind))));
    }
    return costs;
  }

  public double cpuCost() {
    return cpuCosts().values().stream().mapToDouble(Double::doubleValue).sum();
  }

  /** Everything under the names of the JSON output. */
  public Map<String, Object> toMap(String label) {
    Histogram latencies = latencies();
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("label", label);
    map.put("workload", workload.label());
    map.put("threads", threads);
    map.put("ioBytes", ioBytes);
    map.put("unit", workload.rateUnit());
    map.put("rates", Arrays.stream(rates()).boxed().toList());
    map.put("medianRate", medianRate());
    map.put("p50Millis", latencies.getValueAtPercentile(50) / MILLION);
    map.put("p99Millis", latencies.getValueAtPercentile(99) / MILLION);
    map.put("maxMillis", latencies.getMaxValue() / MILLION);
    map.put("operations", operations());
    map.put("bytes", bytes());
    if (workload.reads()) {
      map.put("hedges", late().toMap());
    }
    map.put("cpuCost", cpuCost());
    map.put("cpuUnit", workload.cpuUnit());
    map.put("cpuCostOf", cpuCosts());
    map.put("otherCpuSeconds", each(Repetition::otherCpuSeconds));
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
    Histogram latencies = latencies();
    List<String> kinds =
        cpuCosts().entrySet().stream()
            .map(kind -> "%s %.2f".formatted(kind.getKey(), kind.getValue()))
            .toList();
    return "%-13s %7d %8s  %10.1f %10.1f %10.1f %-4s  %9.3f %9.3f  %9.2f  %s %s%s"
        .formatted(
            workload.label(),
            threads,
            ioBytes == 0 ? "-" : ioBytes,
            leastRate(),
            medianRate(),
            mostRate(),
            workload.rateUnit(),
            latencies.getValueAtPercentile(50) / MILLION,
            latencies.getValueAtPercentile(99) / MILLION,
            cpuCost(),
            workload.cpuUnit(),
            String.join(", ", kinds),
            workload.reads() ? "; " + late() : "");
  }
}
