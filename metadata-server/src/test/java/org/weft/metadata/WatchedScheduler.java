package org.weft.metadata;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.weft.protocol.seam.Scheduler;

/**
 * Knows which executors are open, and has some fail where a test says so, as where the system gives
 * no thread or no memory. What fails so in a task ends that task alone, as in a daemon.
 */
public final class WatchedScheduler implements Scheduler {
  /** What fails. */
  public enum Step {
    NONE,
    EXECUTE,
    CLOSE
  }

  /** The failure that a test wants. */
  public static final class Wanted extends Error {
    private static final long serialVersionUID = 1L;

    private Wanted(String message) {
      super(message);
    }
  }

  private final Scheduler inner;
  private final List<String> open = new ArrayList<>();
  private String failing = "";
  private Step step = Step.NONE;
  private int failed;
  private Consumer<BooleanSupplier> ending = over -> {};

  /** Tasks that it ended, of which a daemon's executor says so in its log. */
  private int ended;

  public WatchedScheduler(Scheduler inner) {
    this.inner = inner;
  }

  /** From now on that fails of executors whose names begin so. */
  public void fail(String name, Step what) {
    failing = name;
    step = what;
  }

  /** Executors that are closed wait so for what they were given: in a daemon they do. */
  public void endWith(Consumer<BooleanSupplier> waiting) {
    ending = waiting;
  }

  /** How often something failed as wanted. */
  public int failures() {
    return failed;
  }

  /** How many tasks were ended by it. */
  public int endedTasks() {
    return ended;
  }

  /** Names of executors that begin so and are not closed. */
  public List<String> open(String name) {
    return open.stream().filter(each -> each.startsWith(name)).toList();
  }

  @Override
  public Timer schedule(long delayNanos, Executor executor, Runnable task) {
    return inner.schedule(delayNanos, executor, task);
  }

  @Override
  public OwnedExecutor newSerialExecutor(String name) {
    open.add(name);
    return new Watched(name, inner.newSerialExecutor(name));
  }

  @Override
  public OwnedExecutor newPool(String name, int threads, int queueLimit) {
    open.add(name);
    return new Watched(name, inner.newPool(name, threads, queueLimit));
  }

  private final class Watched implements OwnedExecutor {
    private final String name;
    private final OwnedExecutor executor;
    private int left;

    Watched(String name, OwnedExecutor executor) {
      this.name = name;
      this.executor = executor;
    }

    private void failAt(Step now) {
      if (step == now && name.startsWith(failing)) {
        failed++;
        throw new Wanted("there is no thread for " + name);
      }
    }

    private void run(Runnable task) {
      try {
        task.run();
      } catch (Wanted e) {
        ended++;
      } finally {
        left--;
      }
    }

    @Override
    public void execute(Runnable task) {
      failAt(Step.EXECUTE);
      executor.execute(() -> run(task));
      left++;
    }

    @Override
    public void executeBrief(Runnable task) {
      failAt(Step.EXECUTE);
      left++;
      try {
        executor.executeBrief(() -> run(task));
      } catch (RejectedExecutionException e) {
        left--;
        throw e;
      }
    }

    @Override
    public void close() {
      open.remove(name);
      executor.close();
      ending.accept(() -> left == 0);
      failAt(Step.CLOSE);
    }
  }
}
