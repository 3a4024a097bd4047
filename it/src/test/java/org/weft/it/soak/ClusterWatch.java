package org.weft.it.soak;

import java.util.List;
import java.util.concurrent.ExecutionException;
import org.weft.client.cluster.ClusterView;
import org.weft.it.process.Await;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;

/** What SysMgr says of the OSDs. */
final class ClusterWatch {
  private final ClusterView view;

  ClusterWatch(ClusterView view) {
    this.view = view;
  }

  void awaitState(long seconds, int osd, NodeState wanted) throws Exception {
    Await.until(
        seconds,
        () -> "osd-" + osd + " is " + wanted + ": " + states(view.table().getOsdsList()),
        () -> rows().stream().anyMatch(row -> row.getOsdId() == osd && row.getState() == wanted));
  }

  /** Which start of its process SysMgr knows of. */
  long incarnation(int osd) throws InterruptedException {
    return rows().stream()
        .filter(row -> row.getOsdId() == osd)
        .mapToLong(OsdRow::getIncarnation)
        .findFirst()
        .orElse(0);
  }

  /** A later process of the OSD has joined. */
  void awaitReturn(long seconds, int osd, long former) throws Exception {
    Await.until(
        seconds,
        () -> "osd-" + osd + " has joined again: " + states(view.table().getOsdsList()),
        () -> incarnation(osd) > former);
  }

  /** Every OSD is back and trusted. */
  void awaitAllUp(long seconds, int osds) throws Exception {
    Await.until(
        seconds,
        () -> "all OSDs are up: " + states(view.table().getOsdsList()),
        () -> rows().stream().filter(row -> row.getState() == NodeState.UP).count() == osds);
  }

  private static String states(List<OsdRow> rows) {
    return rows.stream().map(row -> row.getOsdId() + " " + row.getState()).toList().toString();
  }

  private List<OsdRow> rows() throws InterruptedException {
    try {
      return view.refresh().get().getOsdsList();
    } catch (ExecutionException e) {
      // SysMgr itself may be the one that is away.
      return List.of();
    }
  }
}
