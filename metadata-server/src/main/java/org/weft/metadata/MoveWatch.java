package org.weft.metadata;

import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.weft.client.cluster.ClusterView;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.wire.ClusterTable;

/**
 * Asks for the table often while a volume moves from or to this manager, since the volume's clients
 * wait. So the new primary starts at once, and the old one forgets the volume. Confined to the
 * daemon's home executor.
 */
final class MoveWatch {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final ClusterView view;
  private final Scheduler scheduler;
  private final Executor home;
  private final IntSupplier managerId;
  private boolean looking;

  MoveWatch(ClusterView view, Scheduler scheduler, Executor home, IntSupplier managerId) {
    this.view = view;
    this.scheduler = scheduler;
    this.home = home;
    this.managerId = managerId;
  }

  void tableChanged(ClusterTable table) {
    if (!looking && moves(table)) {
      looking = true;
      scheduler.schedule(LOOK_NANOS, home, this::look);
    }
  }

  private boolean moves(ClusterTable table) {
    int own = managerId.getAsInt();
    return table.getVolumesList().stream()
        .filter(row -> row.getMoveTo() != 0 && row.getMoveFailure().isEmpty())
        .anyMatch(row -> row.getMoveTo() == own || row.getManagerId() == own);
  }

  /** The table that is known goes on to say so where none can be had: it is asked for again. */
  private void look() {
    var unused =
        view.refresh()
            .whenCompleteAsync(
                (table, failure) -> {
                  looking = false;
                  tableChanged(view.table());
                },
                home);
  }
}
