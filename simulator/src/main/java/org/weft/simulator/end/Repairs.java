package org.weft.simulator.end;

import java.util.List;
import java.util.function.BiPredicate;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.RepairState;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.world.World;

/** How far managers are with what lost OSDs held, in a world where all is well again. */
final class Repairs {
  private final World world;
  private String difference = "";

  Repairs(World world) {
    this.world = world;
  }

  /** What was left at the last look. */
  String difference() {
    return difference;
  }

  /** Nothing is left to do but what cannot be done, and that is named. */
  boolean areOver() {
    for (SimulatedManager manager : world.managers()) {
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

  /** Managers know that nothing is on OSDs that are drained. */
  boolean areDrained() {
    return allSay(Repairs::isCleared);
  }

  private static boolean isCleared(VolumeHealth volume, int osd) {
    return volume.getClearedOsdList().contains(osd);
  }

  /** Managers know which OSDs are drained. */
  boolean areDrainsKnown() {
    return allSay(
        (volume, osd) ->
            isCleared(volume, osd) || volume.getRepair().getLeavingOsdList().contains(osd));
  }

  private boolean allSay(BiPredicate<VolumeHealth, Integer> what) {
    for (int osd : world.osdDrains().draining()) {
      for (SimulatedManager manager : world.managers()) {
        for (VolumeHealth volume : manager.health()) {
          if (!what.test(volume, osd)) {
            difference =
                "osd-%d is drained, %s: %s %s"
                    .formatted(osd, manager.name(), volume, manager.problems());
            return false;
          }
        }
      }
    }
    return true;
  }

  /** All components are there, on OSDs that are, and stay. */
  boolean isWhole(StorageMap map) {
    return map.missing().isEmpty() && map.components().stream().allMatch(this::isThere);
  }

  private boolean isThere(OsdId osd) {
    return !world.osdDrains().draining().contains(osd.value())
        && world.bladeSets().serves(osd.value())
        && world.osds().stream().anyMatch(node -> node.osdId() == osd.value());
  }

  /** An operator has been told of the file. */
  boolean isNamed(long object) {
    return problems().stream().anyMatch(what -> what.contains("object " + object));
  }

  List<String> problems() {
    return world.managers().stream().flatMap(each -> each.problems().stream()).toList();
  }
}
