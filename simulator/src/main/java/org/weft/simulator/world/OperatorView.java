package org.weft.simulator.world;

import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;
import org.weft.simulator.base.Violation;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.sysmgr.configuration.state.Configuration;

/**
 * A simulated cluster as its operators see it, and its time, which they let pass. Confined to the
 * thread of the {@link World}.
 */
interface OperatorView {
  /** What SysMgr's leader has applied; empty while no member leads. */
  Optional<Configuration> configuration();

  /** The OSDs of {@link #configuration} as rows of the cluster's table: id, state, host. */
  default Optional<ClusterTable> table() {
    return configuration().map(OperatorView::osdRows);
  }

  private static ClusterTable osdRows(Configuration known) {
    ClusterTable.Builder table = ClusterTable.newBuilder().setVersion(known.tableVersion());
    known
        .osds()
        .forEach(
            (id, osd) ->
                table.addOsds(
                    OsdRow.newBuilder()
                        .setOsdId(id.value())
                        .setState(NodeState.valueOf(osd.node().liveness().name()))
                        .setHost(osd.node().host())));
    return table.build();
  }

  /** All OSDs, also those that do not run. */
  List<SimulatedOsd> osds();

  /** The volume that all clients work in. */
  PartitionId homeVolume();

  /**
   * Lets time pass, running what falls due.
   *
   * @param millis of virtual time
   */
  void pass(long millis);

  /**
   * Lets time pass until the condition holds; it is asked after every step.
   *
   * @throws Violation if it does not within that much virtual time: something hangs
   */
  void await(String what, long mostMillis, BooleanSupplier condition);
}
