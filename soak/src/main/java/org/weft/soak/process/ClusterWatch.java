package org.weft.soak.process;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.weft.client.cluster.ClusterView;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;
import org.weft.testkit.process.Await;

/** What SysMgr says of the OSDs. */
public final class ClusterWatch {
  private final ClusterView view;

  public ClusterWatch(ClusterView view) {
    this.view = view;
  }

  public void awaitState(long seconds, int osd, NodeState wanted) throws Exception {
    Await.until(
        seconds,
        () -> "osd-" + osd + " is " + wanted + ": " + states(view.table().getOsdsList()),
        () -> row(osd).filter(row -> row.getState() == wanted).isPresent());
  }

  /** Which start of its process SysMgr knows of. */
  public long incarnation(int osd) throws InterruptedException {
    return row(osd).map(OsdRow::getIncarnation).orElse(0L);
  }

  /** A later process of the OSD has joined. */
  public void awaitReturn(long seconds, int osd, long former) throws Exception {
    Await.until(
        seconds,
        () -> "osd-" + osd + " has joined again: " + states(view.table().getOsdsList()),
        () -> incarnation(osd) > former);
  }

  /** The id of the OSD that joined last from this port of this machine; 0: none is known. */
  public int idAt(int port) throws InterruptedException {
    return rows().stream()
        .filter(row -> row.getAddressesCount() > 0 && row.getAddresses(0).getPort() == port)
        .mapToInt(OsdRow::getOsdId)
        .max()
        .orElse(0);
  }

  /** The id of the manager that joined last from this port of this machine; 0: none is known. */
  public int managerAt(int port) throws InterruptedException {
    return table().map(ClusterTable::getManagersList).orElse(List.of()).stream()
        .filter(row -> row.getAddressesCount() > 0 && row.getAddresses(0).getPort() == port)
        .mapToInt(ManagerRow::getManagerId)
        .max()
        .orElse(0);
  }

  /** Where clients reach the OSD. */
  public int port(int osd) throws InterruptedException {
    return row(osd).orElseThrow().getAddresses(0).getPort();
  }

  /** It is down, and because its store takes no changes any more. */
  public void awaitStoreFailure(long seconds, int osd) throws Exception {
    Await.until(
        seconds,
        () -> "the store of osd-" + osd + " has failed: " + states(view.table().getOsdsList()),
        () -> row(osd).filter(ClusterWatch::isDownForItsStore).isPresent());
  }

  private static boolean isDownForItsStore(OsdRow row) {
    return row.getState() == NodeState.DOWN && !row.getStoreFailure().isEmpty();
  }

  /** Every OSD is back and trusted. */
  public void awaitAllUp(long seconds, int osds) throws Exception {
    Await.until(
        seconds,
        () -> "all OSDs are up: " + states(view.table().getOsdsList()),
        () -> rows().stream().filter(row -> row.getState() == NodeState.UP).count() == osds);
  }

  private static String states(List<OsdRow> rows) {
    return rows.stream().map(row -> row.getOsdId() + " " + row.getState()).toList().toString();
  }

  /** What SysMgr says of the OSD; empty while it does not answer. */
  private Optional<OsdRow> row(int osd) throws InterruptedException {
    return rows().stream().filter(row -> row.getOsdId() == osd).findFirst();
  }

  private List<OsdRow> rows() throws InterruptedException {
    return table().map(ClusterTable::getOsdsList).orElse(List.of());
  }

  private Optional<ClusterTable> table() throws InterruptedException {
    try {
      return Optional.of(view.refresh().get());
    } catch (ExecutionException e) {
      // SysMgr itself may be the one that is away.
      return Optional.empty();
    }
  }
}
