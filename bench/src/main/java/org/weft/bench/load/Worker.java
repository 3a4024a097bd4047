package org.weft.bench.load;

import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** One thread of a repetition: its budget, its random numbers, and what it measured. */
final class Worker {
  /** One operation. */
  @FunctionalInterface
  interface Step {
    void run() throws IOException;
  }

  private static final long MAX_NANOS = 3_600_000_000_000L;
  private static final int DIGITS = 3;

  /** Of nanoseconds, up to an hour. */
  static Histogram histogram() {
    return new Histogram(MAX_NANOS, DIGITS);
  }

  final int index;
  final SplittableRandom random;
  final Pattern pattern;
  final byte[] buffer;
  private final Histogram latencies = Worker.histogram();
  private final long deadlineNanos;
  private final long leastStreamNanos;
  private final long mostOperations;
  private final BenchSettings settings;
  private long operations;
  private long bytes;

  Worker(int index, int repetition, BenchSettings settings, int ioBytes, long begunNanos) {
    this.index = index;
    this.random = new SplittableRandom(1_000L * repetition + index);
    this.pattern = new Pattern(ioBytes);
    this.buffer = new byte[ioBytes];
    this.deadlineNanos = begunNanos + TimeUnit.SECONDS.toNanos(settings.seconds());
    this.leastStreamNanos = begunNanos + TimeUnit.SECONDS.toNanos(settings.streamSeconds());
    this.mostOperations = settings.cold() ? settings.files() : settings.operations();
    this.settings = settings;
  }

  /** True while the repetition goes on. */
  boolean hasBudget() {
    return operations < mostOperations && System.nanoTime() - deadlineNanos < 0;
  }

  /** True while a stream is to go on with another file or pass. */
  boolean streamsOn() {
    return System.nanoTime() - leastStreamNanos < 0;
  }

  /** The number of a small file: any, or with cold clients the next one. */
  int anyFile() {
    return settings.cold() ? (int) operations : random.nextInt(settings.files());
  }

  /** Does one operation and takes its time. */
  void measure(long movedBytes, Step step) throws IOException {
    long begun = System.nanoTime();
    step.run();
    latencies.recordValue(Math.min(MAX_NANOS, System.nanoTime() - begun));
    operations++;
    bytes += movedBytes;
  }

  Histogram latencies() {
    return latencies;
  }

  long operations() {
    return operations;
  }

  long bytes() {
    return bytes;
  }
}
