package org.weft.metadata;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;

/**
 * Closes volumes that are not served any more, one after another, on a thread of its own: closing
 * blocks. Where the system gives no thread it is tried again. Any thread, unless said otherwise.
 */
final class VolumeEnds implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeEnds.class);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
  private static final int MAX_ENDINGS = 1_000;

  /** What blocks. */
  @FunctionalInterface
  interface Closing {
    void run() throws IOException;
  }

  private final Scheduler scheduler;
  private final OwnedExecutor home;
  private final OwnedExecutor pool;
  private volatile boolean stopped;

  /** With a thread of its own; what follows a closing runs on the home executor. */
  VolumeEnds(Scheduler scheduler, OwnedExecutor home) {
    this.scheduler = scheduler;
    this.home = home;
    this.pool = scheduler.newPool("volume-end", 1, MAX_ENDINGS);
  }

  /**
   * Closes it; a failure is logged.
   *
   * @param after runs on the home executor, also after a failure
   */
  void end(String what, Closing closing, Runnable after) {
    try {
      pool.execute(
          () -> {
            run(what, closing);
            tell(after);
          });
    } catch (RuntimeException | Error e) {
      if (stopped) {
        // Nothing waits for its thread any more.
        run(what, closing);
      } else {
        LOG.warn("{} is closed later", what, e);
        scheduler.schedule(RETRY_NANOS, home, () -> end(what, closing, after));
      }
    }
  }

  private static void run(String what, Closing closing) {
    try {
      closing.run();
    } catch (IOException | RuntimeException | Error e) {
      LOG.warn("{} was not closed", what, e);
    }
  }

  private void tell(Runnable after) {
    try {
      home.execute(after);
    } catch (RuntimeException | Error e) {
      if (!stopped) {
        scheduler.schedule(RETRY_NANOS, home, after);
      }
    }
  }

  /** What cannot be handed over from now on is closed on the caller's thread. */
  void stop() {
    stopped = true;
  }

  /** Waits for what is being closed. Any thread but the home executor's. */
  @Override
  public void close() {
    pool.close();
  }
}
