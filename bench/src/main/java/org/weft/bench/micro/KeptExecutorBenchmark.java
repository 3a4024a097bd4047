package org.weft.bench.micro;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Hops to another thread and back: a caller gives a task away and waits until it has run. Pools run
 * tasks of some microseconds, serial executors run shorter ones.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class KeptExecutorBenchmark {
  private static final int BURST = 16;
  private static final int POOL_TOKENS = 2_000;
  private static final int SERIAL_TOKENS = 200;

  @Param({
    "pool-weft",
    "pool-jdk",
    "pool-forkjoin",
    "serial-brief",
    "serial-hop",
    "serial-jdk",
    "serial-guava"
  })
  public String executor;

  private KeptExecutor opened;
  private int tokens;

  @Setup
  public void open() {
    opened = KeptExecutor.open(executor);
    tokens = executor.startsWith("pool") ? POOL_TOKENS : SERIAL_TOKENS;
  }

  @TearDown
  public void close() {
    opened.close();
  }

  /** One thread that gives tasks away and waits for them. */
  @State(Scope.Thread)
  public static class Caller {
    private final AtomicInteger left = new AtomicInteger();
    private Thread waiting;

    void hop(KeptExecutor executor, int tasks, int tokens) {
      waiting = Thread.currentThread();
      left.set(tasks);
      for (int task = 0; task < tasks; task++) {
        executor.execute(() -> run(tokens));
      }
      while (left.get() > 0) {
        LockSupport.park(this);
      }
    }

    private void run(int tokens) {
      Blackhole.consumeCPU(tokens);
      if (left.decrementAndGet() == 0 && waiting != Thread.currentThread()) {
        LockSupport.unpark(waiting);
      }
    }
  }

  @Benchmark
  @Threads(1)
  public void callers1(Caller caller, KeptCpuCounters cpu) {
    caller.hop(opened, 1, tokens);
    cpu.operations++;
  }

  @Benchmark
  @Threads(4)
  public void callers4(Caller caller, KeptCpuCounters cpu) {
    caller.hop(opened, 1, tokens);
    cpu.operations++;
  }

  @Benchmark
  @Threads(16)
  public void callers16(Caller caller, KeptCpuCounters cpu) {
    caller.hop(opened, 1, tokens);
    cpu.operations++;
  }

  /** An event loop that has read several requests gives them away one behind the other. */
  @Benchmark
  @Threads(1)
  @OperationsPerInvocation(BURST)
  public void burstOf16(Caller caller, KeptCpuCounters cpu) {
    caller.hop(opened, BURST, tokens);
    cpu.operations += BURST;
  }
}
