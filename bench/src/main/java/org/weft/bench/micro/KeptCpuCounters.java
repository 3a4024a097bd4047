package org.weft.bench.micro;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * What an iteration took of the CPU, in all threads of the process. Both counters are of all
 * iterations together: microseconds by operations is the CPU of one operation.
 */
@AuxCounters(AuxCounters.Type.EVENTS)
@State(Scope.Thread)
public class KeptCpuCounters {
  private static final OperatingSystemMXBean PROCESS =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private static final long NANOS_OF_MICRO = 1_000;

  public long cpuMicros;
  public long operations;

  private long beforeNanos;

  /** Before the threads begin. */
  @Setup(Level.Iteration)
  public void begin() {
    cpuMicros = 0;
    operations = 0;
    beforeNanos = PROCESS.getProcessCpuTime();
  }

  /** One thread of the load states the CPU of all. */
  @TearDown(Level.Iteration)
  public void end(ThreadParams thread) {
    if (thread.getThreadIndex() == 0) {
      cpuMicros = (PROCESS.getProcessCpuTime() - beforeNanos) / NANOS_OF_MICRO;
    }
  }
}
