package org.weft.cli.bladeset;

import java.util.List;
import java.util.function.Function;
import org.weft.protocol.layout.DomainCounts;
import org.weft.protocol.layout.FaultDomain;
import org.weft.protocol.wire.BladeSetRow;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;
import org.weft.protocol.wire.VolumeRow;

/**
 * A BladeSet by the cluster's table.
 *
 * @param osds all that were not removed
 * @param up those that take new files, by their fault domains
 * @param parityUnits of new files of its first volume; where it has no volume, of a volume without
 *     settings
 * @param width components of a group of such a file; 0: none can be made now
 */
record BladeSetSummary(
    String name,
    int osds,
    DomainCounts up,
    long usedBytes,
    long capacityBytes,
    List<String> volumes,
    List<Integer> coming,
    FaultDomain.Wish wish,
    int parityUnits,
    int width) {
  private static final int USUAL_PARITY = 1;

  /** In the order of their names. */
  static List<BladeSetSummary> all(ClusterTable table) {
    return table.getBladeSetsList().stream().map(row -> of(table, row)).toList();
  }

  private static BladeSetSummary of(ClusterTable table, BladeSetRow set) {
    List<OsdRow> osds =
        table.getOsdsList().stream()
            .filter(row -> row.getBladeSet().equals(set.getName()) && !row.getRemoved())
            .toList();
    List<OsdRow> up =
        osds.stream().filter(row -> row.getState() == NodeState.UP && !row.getDraining()).toList();
    List<VolumeRow> volumes =
        table.getVolumesList().stream()
            .filter(row -> row.getBladeSet().equals(set.getName()))
            .toList();
    DomainCounts counts =
        new DomainCounts(up.size(), distinct(up, OsdRow::getHost), distinct(up, OsdRow::getRack));
    FaultDomain.Wish wish = FaultDomain.Wish.ofNumber(set.getDomainValue());
    int parityUnits = volumes.isEmpty() ? USUAL_PARITY : volumes.get(0).getDefaultParityUnits();
    int dataUnits = volumes.isEmpty() ? 0 : volumes.get(0).getDefaultDataUnits();
    return new BladeSetSummary(
        set.getName(),
        osds.size(),
        counts,
        osds.stream().mapToLong(OsdRow::getUsedBytes).sum(),
        osds.stream().mapToLong(OsdRow::getCapacityBytes).sum(),
        volumes.stream().map(VolumeRow::getPath).toList(),
        set.getComingOsdList(),
        wish,
        parityUnits,
        width(counts, wish, dataUnits, parityUnits));
  }

  private static int width(
      DomainCounts counts, FaultDomain.Wish wish, int dataUnits, int parityUnits) {
    int least = Math.max(1, dataUnits) + parityUnits;
    if (counts.osds() < least) {
      return 0;
    }
    return dataUnits == 0 ? counts.width(wish, parityUnits) : least;
  }

  private static int distinct(List<OsdRow> osds, Function<OsdRow, String> of) {
    return (int) osds.stream().map(of).distinct().count();
  }

  /** Data units of a new file; 0: none can be made now. */
  int dataUnits() {
    return width == 0 ? 0 : width - parityUnits;
  }

  /** What the components of a new file do not share. */
  FaultDomain domain() {
    return up.inForce(wish, width);
  }

  /** Domains that a group leaves out. */
  int spares() {
    return width == 0 ? 0 : up.of(domain()) - width;
  }
}
