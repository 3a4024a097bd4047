package org.weft.cli.files;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A directory with work to be done once its entries are finished, on which others work meanwhile.
 * Thread-safe.
 */
public final class PendingDirectory {
  /** The work at the end. */
  @FunctionalInterface
  public interface Finish {
    /**
     * Called once.
     *
     * @param complete everything below went well
     * @return whether this directory counts as done for the one above it
     */
    boolean finish(boolean complete);
  }

  private final PendingDirectory parent;
  private final Finish finish;

  /** Entries under way, and one for the thread that lists the directory. */
  private final AtomicInteger pending = new AtomicInteger(1);

  private final AtomicBoolean incomplete = new AtomicBoolean();

  /**
   * Begins with one thing to do: the listing. Counts as one more for the parent.
   *
   * @param parent null at the top
   */
  public PendingDirectory(PendingDirectory parent, Finish finish) {
    this.parent = parent;
    this.finish = finish;
    if (parent != null) {
      parent.add();
    }
  }

  /** One thing more to do; the caller says {@link #done} later. */
  public void add() {
    pending.incrementAndGet();
  }

  /** One thing less; the last one finishes the directory, and perhaps those above it. */
  public void done(boolean success) {
    PendingDirectory node = this;
    boolean complete = success;
    while (node != null) {
      if (!complete) {
        node.incomplete.set(true);
      }
      if (node.pending.decrementAndGet() > 0) {
        return;
      }
      complete = node.finish.finish(!node.incomplete.get());
      node = node.parent;
    }
  }
}
