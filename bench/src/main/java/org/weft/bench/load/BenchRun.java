package org.weft.bench.load;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Runs workloads on a file system, each: prepare, warm up, repeat. What it makes is removed at the
 * end of each workload.
 */
public final class BenchRun {
  /** Hears of each repetition. */
  @FunctionalInterface
  public interface Listener {
    void repetition(Workload workload, int threads, int number, boolean warmup, double rate);
  }

  private static final double MEGABYTE = 1e6;

  private final BenchFiles files;
  private final CpuMeter cpu;
  private final Listener listener;

  public BenchRun(BenchFiles files, CpuMeter cpu, Listener listener) {
    this.files = files;
    this.cpu = cpu;
    this.listener = listener;
  }

  /** One workload under one setting. */
  public Measurement run(Workload workload, BenchSettings settings) throws IOException {
    int ioBytes =
        settings.ioBytes() == 0 || workload.defaultIoBytes() == 0
            ? workload.defaultIoBytes()
            : settings.ioBytes();
    String root = settings.directory() + "/" + workload.label();
    Workload.Load load = workload.in(new Workload.Place(files, settings, root));
    try {
      load.prepare();
      for (int i = 0; i < settings.warmups(); i++) {
        double rate = repeat(workload, load, settings, ioBytes, -1 - i).rate(workload);
        listener.repetition(workload, settings.threads(), i + 1, true, rate);
      }
      return measure(workload, load, settings, ioBytes);
    } finally {
      files.deleteTree(root);
    }
  }

  private Measurement measure(
      Workload workload, Workload.Load load, BenchSettings settings, int ioBytes)
      throws IOException {
    double[] rates = new double[settings.repetitions()];
    Histogram latencies = Worker.histogram();
    Map<String, Double> seconds = new LinkedHashMap<>();
    long operations = 0;
    long bytes = 0;
    for (int i = 0; i < settings.repetitions(); i++) {
      Repetition done = repeat(workload, load, settings, ioBytes, i);
      rates[i] = done.rate(workload);
      latencies.add(done.latencies);
      done.cpuSeconds.forEach((kind, spent) -> seconds.merge(kind, spent, Double::sum));
      operations += done.operations;
      bytes += done.bytes;
      listener.repetition(workload, settings.threads(), i + 1, false, rates[i]);
    }
    return new Measurement(
        workload, settings.threads(), ioBytes, rates, latencies, seconds, operations, bytes);
  }

  private Repetition repeat(
      Workload workload, Workload.Load load, BenchSettings settings, int ioBytes, int number)
      throws IOException {
    load.reset();
    Map<String, Double> before = cpu.read();
    long begun = System.nanoTime();
    long deadline = begun + TimeUnit.SECONDS.toNanos(settings.seconds());
    Worker[] workers = new Worker[settings.threads()];
    for (int i = 0; i < workers.length; i++) {
      workers[i] = new Worker(i, number, settings, ioBytes, deadline);
    }
    Threads.run(workers.length, thread -> load.run(workers[thread]));
    long nanos = System.nanoTime() - begun;
    Map<String, Double> spent = new LinkedHashMap<>();
    cpu.read().forEach((kind, after) -> spent.put(kind, after - before.getOrDefault(kind, 0.0)));
    Repetition done = new Repetition(nanos, spent, Worker.histogram());
    for (Worker worker : workers) {
      done.latencies.add(worker.latencies());
      done.operations += worker.operations();
      done.bytes += worker.bytes();
    }
    if (done.operations == 0) {
      throw new IOException(workload.label() + " did nothing in its time");
    }
    return done;
  }

  private static final class Repetition {
    private final long nanos;
    private final Map<String, Double> cpuSeconds;
    private final Histogram latencies;
    private long operations;
    private long bytes;

    Repetition(long nanos, Map<String, Double> cpuSeconds, Histogram latencies) {
      this.nanos = nanos;
      this.cpuSeconds = cpuSeconds;
      this.latencies = latencies;
    }

    double rate(Workload workload) {
      double seconds = nanos / 1e9;
      return workload.isStream() ? bytes / MEGABYTE / seconds : operations / seconds;
    }
  }
}
