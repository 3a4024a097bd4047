package org.weft.cli.transfer;

import java.io.IOException;
import org.weft.cli.output.Progress;
import org.weft.protocol.seam.Scheduler;

/**
 * Counts what there is to copy, on a thread of its own while the copying goes on. The progress then
 * shows a share of the total. When it cannot, the progress goes without.
 */
final class LookAhead implements AutoCloseable {
  /** Goes over everything. */
  @FunctionalInterface
  interface Count {
    /** Tells of each file, and ends early once it is not wanted. */
    void count(LookAhead ahead) throws IOException;
  }

  private final Scheduler.OwnedExecutor executor;
  private final Progress progress;
  private volatile boolean unwanted;
  private long bytes;
  private long files;

  LookAhead(Scheduler scheduler, Progress progress) {
    this.executor = scheduler.newPool("weft-look-ahead", 1, 1);
    this.progress = progress;
  }

  /** Begins; once. */
  void start(Count count) {
    executor.execute(() -> run(count));
  }

  private void run(Count count) {
    try {
      count.count(this);
    } catch (IOException | RuntimeException e) {
      // The copying meets the same, and says so.
      unwanted = true;
    }
    if (!unwanted) {
      progress.expect(bytes, files);
    }
  }

  /** One file more; from the counting thread. */
  void file(long sizeBytes) {
    bytes += sizeBytes;
    files++;
  }

  boolean unwanted() {
    return unwanted;
  }

  @Override
  public void close() {
    unwanted = true;
    executor.close();
  }
}
