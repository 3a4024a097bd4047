package org.weft.metadata.serving.request;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler;

/** Timers of a volume. A timer that fires after the volume was closed is ignored. */
public final class VolumeTimers implements Scheduler {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeTimers.class);

  private final Scheduler inner;

  private VolumeTimers(Scheduler inner) {
    this.inner = inner;
  }

  /** The same surroundings with such timers. */
  public static Environment in(Environment environment) {
    return new Environment(
        environment.clock(),
        environment.ticker(),
        new VolumeTimers(environment.scheduler()),
        environment.random(),
        environment.transport(),
        environment.bootIdentity());
  }

  @Override
  public Timer schedule(long delayNanos, Executor executor, Runnable task) {
    return inner.schedule(delayNanos, command -> run(executor, command), task);
  }

  private static void run(Executor executor, Runnable command) {
    try {
      executor.execute(command);
    } catch (RejectedExecutionException e) {
      LOG.debug("a timer fired after its volume had been closed");
    }
  }

  @Override
  public OwnedExecutor newSerialExecutor(String name) {
    return inner.newSerialExecutor(name);
  }

  @Override
  public OwnedExecutor newPool(String name, int threads, int queueLimit) {
    return inner.newPool(name, threads, queueLimit);
  }
}
