package org.weft.bench.load;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

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

  /**
   * How often.
   *
   * @param warmups repetitions that do not count
   * @param warmupSeconds that these last at least, as many as it takes
   * @param repetitions that count
   */
  public record Plan(int warmups, int warmupSeconds, int repetitions) {
    public Plan {
      if (warmups < 0 || warmupSeconds < 0 || repetitions < 1) {
        throw new IllegalArgumentException(
            "warm-ups must be 0 or more and repetitions 1 or more, got %d, %d s and %d"
                .formatted(warmups, warmupSeconds, repetitions));
      }
    }
  }

  private final BenchTarget target;
  private final CpuMeter cpu;
  private final Scene scene;
  private final Plan plan;
  private final Listener listener;

  public BenchRun(BenchTarget target, CpuMeter cpu, Scene scene, Plan plan, Listener listener) {
    this.target = target;
    this.cpu = cpu;
    this.scene = scene;
    this.plan = plan;
    this.listener = listener;
  }

  /** One workload under one setting. */
  public Measurement run(Workload workload, BenchSettings settings) throws IOException {
    try (LoadSession session = new LoadSession(target, cpu, scene, workload, settings)) {
      IOException failed = null;
      try {
        session.prepare();
        warmUp(session, workload, settings);
        return measure(session, workload, settings);
      } catch (IOException e) {
        failed = e;
        throw e;
      } finally {
        remove(session, failed);
      }
    }
  }

  /** What went wrong before is what the caller has to hear of. */
  private static void remove(LoadSession session, IOException failed) throws IOException {
    try {
      session.remove();
    } catch (IOException e) {
      if (failed == null) {
        throw e;
      }
      failed.addSuppressed(e);
    }
  }

  private void warmUp(LoadSession session, Workload workload, BenchSettings settings)
      throws IOException {
    for (int i = 0; i < plan.warmups; i++) {
      double rate = session.warmUp(0).rate(workload);
      listener.repetition(workload, settings.threads(), i + 1, true, rate);
    }
    if (plan.warmupSeconds > 0) {
      double rate = session.warmUp(plan.warmupSeconds).rate(workload);
      listener.repetition(workload, settings.threads(), plan.warmups + 1, true, rate);
    }
  }

  private Measurement measure(LoadSession session, Workload workload, BenchSettings settings)
      throws IOException {
    List<Repetition> repetitions = new ArrayList<>();
    for (int i = 0; i < plan.repetitions; i++) {
      Repetition done = session.repeat(i);
      repetitions.add(done);
      listener.repetition(workload, settings.threads(), i + 1, false, done.rate(workload));
    }
    return new Measurement(workload, settings.threads(), session.ioBytes(), repetitions);
  }
}
