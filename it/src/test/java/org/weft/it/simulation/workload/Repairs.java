package org.weft.it.simulation.workload;

import java.util.List;
import org.weft.it.simulation.world.ManagerNode;
import org.weft.it.simulation.world.World;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.RepairState;
import org.weft.protocol.wire.VolumeHealth;

/** How far managers are with what lost OSDs held, in a world where all is well again. */
final class Repairs {
  private final World world;
  private String difference = "";

  Repairs(World world) {
    this.world = world;
  }

  /** What was left the last time that somebody looked. */
  String difference() {
    return difference;
  }

  /** Nothing is left to do but what cannot be done, and that is named. */
  boolean areOver() {
    for (ManagerNode manager : world.managers()) {
      for (VolumeHealth volume : manager.health()) {
        RepairState repair = volume.getRepair();
        boolean unheard = repair.getUnheardOsdCount() > 0;
        if (unheard || repair.getFilesToDo() > repair.getBeyond()) {
          difference = manager.name() + ": " + volume + manager.problems();
          return false;
        }
      }
    }
    return true;
  }

  /** All components are there, on OSDs that are. */
  boolean isWhole(StorageMap map) {
    return map.missing().isEmpty() && map.components().stream().allMatch(this::isThere);
  }

  private boolean isThere(OsdId osd) {
    return world.osds().stream().anyMatch(node -> node.osdId() == osd.value());
  }

  /** An operator is told of the file. */
  boolean isNamed(long object) {
    return problems().stream().anyMatch(what -> what.contains("object " + object));
  }

  List<String> problems() {
    return world.managers().stream().flatMap(each -> each.problems().stream()).toList();
  }
}
