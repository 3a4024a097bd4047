package org.weft.metadata.serving;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.weft.metadata.objects.OsdStates;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;

/** The states of a BladeSet's OSDs as the last table of SysMgr has them. Thread-safe. */
final class TableOsdStates implements OsdStates {
  private record Known(List<OsdId> osds, Set<OsdId> notDown) {}

  private final String bladeSet;
  private volatile Known known = new Known(List.of(), Set.of());

  TableOsdStates(String bladeSet) {
    this.bladeSet = bladeSet;
  }

  /** Takes in a newer table. */
  void changed(ClusterTable table) {
    TreeSet<OsdId> osds = new TreeSet<>();
    TreeSet<OsdId> notDown = new TreeSet<>();
    for (OsdRow row : table.getOsdsList()) {
      if (row.getBladeSet().equals(bladeSet)) {
        osds.add(new OsdId(row.getOsdId()));
        if (row.getState() != NodeState.DOWN) {
          notDown.add(new OsdId(row.getOsdId()));
        }
      }
    }
    known = new Known(List.copyOf(new ArrayList<>(osds)), notDown);
  }

  @Override
  public List<OsdId> osds() {
    return known.osds();
  }

  /** An OSD that the table does not have is as good as down: it was removed. */
  @Override
  public boolean isDown(OsdId osd) {
    return !known.notDown().contains(osd);
  }
}
