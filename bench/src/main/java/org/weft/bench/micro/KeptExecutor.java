package org.weft.bench.micro;

import com.google.common.util.concurrent.MoreExecutors;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;

/**
 * Weft's own executors and those of libraries by one name each. Pools have {@value #THREADS}
 * threads, as an OSD's has; a serial executor runs one task after another.
 */
final class KeptExecutor implements Executor, AutoCloseable {
  static final int THREADS = 16;

  private static final int QUEUE_LIMIT = 1 << 16;
  private static final long REST_SECONDS = 30;

  private final SystemEnvironment system = SystemEnvironment.create();
  private final Executor executor;
  private final Runnable end;

  private KeptExecutor(String kind) {
    Scheduler scheduler = system.environment().scheduler();
    switch (kind) {
      case "pool-weft" -> {
        OwnedExecutor pool = scheduler.newPool("kept", THREADS, QUEUE_LIMIT);
        executor = pool;
        end = pool::close;
      }
      case "pool-jdk" -> {
        ThreadPoolExecutor pool = jdk(THREADS);
        executor = pool;
        end = pool::shutdown;
      }
      case "pool-forkjoin" -> {
        ForkJoinPool pool =
            new ForkJoinPool(THREADS, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true);
        executor = pool;
        end = pool::shutdown;
      }
      case "serial-brief" -> {
        OwnedExecutor serial = scheduler.newSerialExecutor("kept");
        executor = serial::executeBrief;
        end = serial::close;
      }
      case "serial-hop" -> {
        OwnedExecutor serial = scheduler.newSerialExecutor("kept");
        executor = serial;
        end = serial::close;
      }
      case "serial-jdk" -> {
        ThreadPoolExecutor single = jdk(1);
        executor = single;
        end = single::shutdown;
      }
      case "serial-guava" -> {
        ThreadPoolExecutor beneath = jdk(2);
        executor = MoreExecutors.newSequentialExecutor(beneath);
        end = beneath::shutdown;
      }
      default -> throw new IllegalArgumentException("there is no executor " + kind);
    }
  }

  /**
   * Starts it.
   *
   * @throws IllegalArgumentException if there is none of that name
   */
  static KeptExecutor open(String kind) {
    return new KeptExecutor(kind);
  }

  private static ThreadPoolExecutor jdk(int threads) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            REST_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(QUEUE_LIMIT));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  @Override
  public void execute(Runnable task) {
    executor.execute(task);
  }

  @Override
  public void close() {
    end.run();
    system.close();
  }
}
