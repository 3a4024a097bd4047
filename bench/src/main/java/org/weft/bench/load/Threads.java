package org.weft.bench.load;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs the same work in several threads and waits for all. */
public final class Threads {
  /** The work of one of them. */
  @FunctionalInterface
  public interface Work {
    void run(int thread) throws IOException;
  }

  private Threads() {}

  /** Fails with the first failure, after all have ended. */
  public static void run(int count, Work work) throws IOException {
    ExecutorService pool = Executors.newFixedThreadPool(count);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int thread = 0; thread < count; thread++) {
        int index = thread;
        all.add(
            pool.submit(
                () -> {
                  work.run(index);
                  return null;
                }));
      }
      awaitAll(all);
    } finally {
      pool.shutdownNow();
    }
  }

  private static void awaitAll(List<Future<?>> all) throws IOException {
    IOException first = null;
    for (Future<?> each : all) {
      try {
        var unused = each.get();
      } catch (ExecutionException e) {
        IOException failure =
            e.getCause() instanceof IOException io
                ? io
                : new IOException(e.getCause().getMessage(), e.getCause());
        if (first == null) {
          first = failure;
        } else {
          first.addSuppressed(failure);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while a load was running", e);
      }
    }
    if (first != null) {
      throw first;
    }
  }
}
