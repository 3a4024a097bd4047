package org.weft.metadata.objects;

import java.util.concurrent.Executor;
import org.weft.protocol.seam.Scheduler;

/** What the parts of a flusher share. */
record FlushContext(
    MetadataCache cache, OsdPort port, OsdStates states, Scheduler scheduler, Executor home) {
  /** Runs the task on the volume's thread after the delay. */
  void later(long delayNanos, Runnable task) {
    var unused = scheduler.schedule(delayNanos, home, task);
  }
}
