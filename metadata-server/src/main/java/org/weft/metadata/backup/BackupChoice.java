package org.weft.metadata.backup;

import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.NodeState;

/**
 * Chooses a volume's backup among the managers that are up and not drained. It prefers one that
 * reaches all OSDs, then one on another host. Of those it takes the one with the fewest volumes, as
 * primary or backup.
 */
final class BackupChoice {
  private BackupChoice() {}

  /**
   * @param primary the manager that chooses
   * @param distrusted managers that failed it a moment ago
   * @param cutOff managers that do not reach all OSDs: a fence of theirs would wait
   */
  static Optional<ManagerRow> of(
      ClusterTable table, int primary, Set<Integer> distrusted, Set<Integer> cutOff) {
    String host =
        table.getManagersList().stream()
            .filter(row -> row.getManagerId() == primary)
            .map(ManagerRow::getHost)
            .findFirst()
            .orElse("");
    return table.getManagersList().stream()
        .filter(row -> row.getManagerId() != primary && row.getState() == NodeState.UP)
        .filter(row -> !row.getDraining())
        .filter(row -> row.getAddressesCount() > 0 && !distrusted.contains(row.getManagerId()))
        .min(
            Comparator.<ManagerRow, Boolean>comparing(row -> cutOff.contains(row.getManagerId()))
                .thenComparing(row -> row.getHost().equals(host))
                .thenComparing(row -> load(table, row.getManagerId()))
                .thenComparing(ManagerRow::getManagerId));
  }

  private static long load(ClusterTable table, int manager) {
    return table.getVolumesList().stream()
        .filter(row -> row.getManagerId() == manager || row.getBackupId() == manager)
        .count();
  }
}
