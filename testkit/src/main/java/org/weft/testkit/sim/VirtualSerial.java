package org.weft.testkit.sim;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;

/**
 * Runs one task after another, in the order given, on virtual time; a brief one that need not wait
 * at once, now and then.
 */
final class VirtualSerial implements OwnedExecutor {
  private final VirtualTime time;
  private final Executor gate;
  private final LongSupplier extraNanos;
  private final Queue<Runnable> waiting = new ArrayDeque<>();
  private boolean closed;

  /**
   * @param gate runs the tasks, now or later or never
   * @param extraNanos how much longer than usual the next task has to wait
   */
  VirtualSerial(VirtualTime time, Executor gate, LongSupplier extraNanos) {
    this.time = time;
    this.gate = gate;
    this.extraNanos = extraNanos;
  }

  @Override
  public void execute(Runnable command) {
    if (closed) {
      throw new RejectedExecutionException("the executor has ended");
    }
    waiting.add(command);
    if (waiting.size() == 1) {
      arm();
    }
  }

  @Override
  public void executeBrief(Runnable command) {
    if (closed || !waiting.isEmpty() || !time.lendsThread()) {
      execute(command);
      return;
    }
    waiting.add(command);
    runFirst();
  }

  private void arm() {
    time.after(
        time.waitForThreadNanos() + extraNanos.getAsLong(), () -> gate.execute(this::runFirst));
  }

  private void runFirst() {
    try {
      waiting.element().run();
    } finally {
      waiting.remove();
      if (!waiting.isEmpty()) {
        arm();
      }
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
