package org.weft.testkit.sim;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;

/** Runs tasks in any order on virtual time. */
final class VirtualPool implements OwnedExecutor {
  private final VirtualTime time;
  private final String name;
  private final long limit;
  private final Executor gate;
  private final LongSupplier extraNanos;
  private long waiting;
  private boolean closed;

  /**
   * @param limit of tasks that wait; one more is refused
   * @param gate runs the tasks, now or later or never
   * @param extraNanos how much longer than usual the next task has to wait
   */
  VirtualPool(VirtualTime time, String name, long limit, Executor gate, LongSupplier extraNanos) {
    this.time = time;
    this.name = name;
    this.limit = limit;
    this.gate = gate;
    this.extraNanos = extraNanos;
  }

  @Override
  public void execute(Runnable command) {
    if (closed || waiting >= limit) {
      throw new RejectedExecutionException(name + (closed ? " has ended" : " is overloaded"));
    }
    waiting++;
    time.after(
        time.waitForThreadNanos() + extraNanos.getAsLong(),
        () ->
            gate.execute(
                () -> {
                  waiting--;
                  command.run();
                }));
  }

  @Override
  public void close() {
    closed = true;
  }
}
