package org.weft.metadata.serving;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.weft.metadata.objects.OsdStates;
import org.weft.metadata.readmission.QuarantinedOsd;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;

/**
 * The states of a BladeSet's OSDs as the last table of SysMgr has them. To a manager an OSD in
 * quarantine is there like any other: copies on it are written and caught up (P 5.8). Thread-safe.
 */
final class TableOsdStates implements OsdStates {
  private final String bladeSet;
  private volatile TreeMap<OsdId, OsdRow> rows = new TreeMap<>();

  TableOsdStates(String bladeSet) {
    this.bladeSet = bladeSet;
  }

  /** Takes in a newer table. */
  void changed(ClusterTable table) {
    TreeMap<OsdId, OsdRow> next = new TreeMap<>();
    for (OsdRow row : table.getOsdsList()) {
      if (row.getBladeSet().equals(bladeSet)) {
        next.put(new OsdId(row.getOsdId()), row);
      }
    }
    rows = next;
  }

  @Override
  public List<OsdId> osds() {
    return List.copyOf(rows.keySet());
  }

  /** An OSD that the table does not have is as good as down: it was removed. */
  @Override
  public boolean isDown(OsdId osd) {
    OsdRow row = rows.get(osd);
    return row == null || row.getState() == NodeState.DOWN;
  }

  /** One that the table does not know yet may have lost its power before it started. */
  @Override
  public boolean mayHaveLostWrites(OsdId osd, long incarnation) {
    OsdRow row = rows.get(osd);
    return row == null || row.getLostWrites() || row.getIncarnation() != incarnation;
  }

  /** OSDs that SysMgr has given up, ascending. */
  List<OsdId> down() {
    return rows.keySet().stream().filter(this::isDown).toList();
  }

  /**
   * OSDs that SysMgr has not given up and that lost nothing as far as it knows, ascending, each
   * with its start.
   */
  SortedMap<OsdId, Long> whole() {
    SortedMap<OsdId, Long> whole = new TreeMap<>();
    rows.forEach(
        (osd, row) -> {
          if (row.getState() != NodeState.DOWN && !row.getLostWrites()) {
            whole.put(osd, row.getIncarnation());
          }
        });
    return whole;
  }

  /** The start of an OSD, whatever its state; empty for one that the table does not have. */
  OptionalLong incarnation(OsdId osd) {
    OsdRow row = rows.get(osd);
    return row == null ? OptionalLong.empty() : OptionalLong.of(row.getIncarnation());
  }

  /** The start of an OSD that is up; empty for any other. */
  OptionalLong wholeIncarnation(OsdId osd) {
    OsdRow row = rows.get(osd);
    return row == null || row.getState() != NodeState.UP
        ? OptionalLong.empty()
        : OptionalLong.of(row.getIncarnation());
  }

  /** OSDs that serve managers: up, or in quarantine. */
  List<OsdId> servingManagers() {
    List<OsdId> serving = new ArrayList<>();
    rows.forEach(
        (osd, row) -> {
          if (row.getState() == NodeState.UP || row.getState() == NodeState.QUARANTINED) {
            serving.add(osd);
          }
        });
    return serving;
  }

  /** OSDs in quarantine that have not had this volume's word, ascending. */
  List<QuarantinedOsd> quarantined(PartitionId volume) {
    return waiting(volume, row -> row.getState() == NodeState.QUARANTINED);
  }

  /** Those that lost power, ascending: also who is silent again before it had the volume's word. */
  List<QuarantinedOsd> lossy(PartitionId volume) {
    return waiting(volume, row -> row.getLostWrites() && row.getState() != NodeState.DOWN);
  }

  private List<QuarantinedOsd> waiting(PartitionId volume, Predicate<OsdRow> which) {
    List<QuarantinedOsd> waiting = new ArrayList<>();
    for (OsdRow row : rows.values()) {
      boolean waits =
          row.getAwaitedVolumeCount() == 0 || row.getAwaitedVolumeList().contains(volume.value());
      if (which.test(row) && waits) {
        waiting.add(
            new QuarantinedOsd(
                new OsdId(row.getOsdId()),
                row.getIncarnation(),
                row.getQuarantine(),
                row.getLostWrites()));
      }
    }
    return waiting;
  }
}
