package org.weft.metadata.backup;

import java.util.Optional;
import java.util.function.Supplier;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.VolumeRow;

/**
 * The manager to which a volume is to move, as the cluster's table says (P 6.2).
 *
 * @param manager the primary that asks
 * @param table as last heard
 */
record WantedPrimary(long volume, int manager, Supplier<ClusterTable> table) {
  /** Empty if the volume stays, or if that manager is not up. */
  Optional<ManagerRow> row() {
    ClusterTable known = table.get();
    return known.getVolumesList().stream()
        .filter(row -> row.getVolumeId() == volume && row.getManagerId() == manager)
        .filter(row -> row.getMoveTo() != 0 && row.getMoveFailure().isEmpty())
        .findFirst()
        .map(VolumeRow::getMoveTo)
        .flatMap(
            target ->
                known.getManagersList().stream()
                    .filter(row -> row.getManagerId() == target)
                    .findFirst())
        .filter(row -> row.getState() == NodeState.UP && row.getAddressesCount() > 0);
  }

  boolean is(int other) {
    return row().filter(row -> row.getManagerId() == other).isPresent();
  }

  /** The manager is to have no volumes. */
  boolean isDraining(int other) {
    return table.get().getManagersList().stream()
        .anyMatch(row -> row.getManagerId() == other && row.getDraining());
  }
}
