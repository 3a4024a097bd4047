package org.weft.osd.membership;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.mutation.PartitionDrop;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.PartitionId;

/**
 * Removes partitions that are gone, some objects with each commit and one partition after the
 * other, beside what the OSD does else. What fails is tried again with the next heartbeat; what a
 * stop leaves is named again when the OSD joins. Thread-safe.
 */
final class PartitionEndings {
  private static final Logger LOG = LoggerFactory.getLogger(PartitionEndings.class);

  private final Function<PartitionDrop, CompletionStage<Receipt>> store;
  private final Deque<PartitionId> waiting = new ArrayDeque<>();
  private boolean busy;

  /**
   * @param store removes a part of a partition
   */
  PartitionEndings(Function<PartitionDrop, CompletionStage<Receipt>> store) {
    this.store = store;
  }

  void add(List<PartitionId> gone) {
    synchronized (this) {
      for (PartitionId id : gone) {
        if (!waiting.contains(id)) {
          waiting.add(id);
          LOG.info("partition {} is gone from the cluster; its objects are removed", id);
        }
      }
    }
    goOn();
  }

  /** Some time has passed: what failed may work now. */
  void goOn() {
    synchronized (this) {
      if (busy || waiting.isEmpty()) {
        return;
      }
      busy = true;
    }
    next();
  }

  private void next() {
    PartitionId id;
    synchronized (this) {
      id = waiting.peek();
      busy = id != null;
    }
    if (id != null) {
      var unused =
          store
              .apply(new PartitionDrop(id))
              .whenComplete((receipt, failure) -> dropped(id, receipt, failure));
    }
  }

  private void dropped(PartitionId id, Receipt receipt, Throwable failure) {
    if (failure != null) {
      LOG.warn("partition {} is not removed yet: {}", id, WeftException.of(failure).getMessage());
      synchronized (this) {
        // Others first, when it goes on.
        waiting.remove(id);
        waiting.add(id);
        busy = false;
      }
      return;
    }
    if (!receipt.existed()) {
      synchronized (this) {
        waiting.remove(id);
      }
    }
    next();
  }
}
