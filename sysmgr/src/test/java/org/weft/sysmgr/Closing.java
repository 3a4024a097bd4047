package org.weft.sysmgr;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Closes members at the same time: each of them waits two seconds for Ratis' event loops, which
 * Netty leaves running for so long in case that something else comes.
 */
public final class Closing {
  private Closing() {}

  /**
   * Closes all, and comes back when all are closed. Null is passed over.
   *
   * @throws java.util.concurrent.ExecutionException if one of them could not be closed
   */
  public static void all(Collection<? extends AutoCloseable> members) throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      List<Callable<Void>> tasks = new ArrayList<>();
      for (AutoCloseable member : members) {
        tasks.add(() -> closed(member));
      }
      for (Future<Void> closed : threads.invokeAll(tasks)) {
        closed.get();
      }
    } finally {
      threads.shutdown();
    }
  }

  private static Void closed(AutoCloseable member) throws Exception {
    if (member != null) {
      member.close();
    }
    return null;
  }
}
