package org.weft.sysmgr.status;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.id.OsdId;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.RepairPause;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.configuration.volume.VolumeStage;
import org.weft.sysmgr.liveness.VolumeReport;

/**
 * Reports rebuilds that pause (P 6.8). A pause is an error where the loss of one more OSD of a
 * BladeSet may cost data, since so many lack what files need. Nothing mends that while the pause
 * lasts. It is one, too, while the manager of a volume has not said what its files lack, as after a
 * change of leaders.
 */
final class RepairPauseRules {
  private static final String NAME = "repair-paused";
  private static final String RESUME = "weft repair resume";

  private RepairPauseRules() {}

  static List<Finding> findings(StatusView view) {
    Optional<RepairPause> pause = view.configuration().history().placement().repairPause();
    return pause.map(each -> List.of(finding(view, each))).orElse(List.of());
  }

  private static Finding finding(StatusView view, RepairPause pause) {
    SortedSet<OsdId> lacking = new TreeSet<>();
    List<String> endangered = new ArrayList<>();
    for (String bladeSet : view.configuration().bladeSets().keySet()) {
      List<Volume> volumes =
          view.configuration().volumes().values().stream()
              .filter(volume -> volume.bladeSet().equals(bladeSet))
              .toList();
      SortedSet<OsdId> here = lacking(view, bladeSet, volumes);
      int borne =
          volumes.stream().mapToInt(each -> Math.max(1, each.defaultParityUnits())).min().orElse(1);
      if (!volumes.isEmpty() && here.size() >= borne) {
        endangered.add(bladeSet);
      }
      lacking.addAll(here);
    }
    String paused = "Rebuilds and drains are paused " + pause.words() + ".";
    String what =
        lacking.isEmpty()
            ? paused
            : "%s Meanwhile OSDs %s lack what files need, and nothing is rebuilt."
                .formatted(paused, lacking);
    if (!endangered.isEmpty()) {
      return Finding.error(
          NAME,
          "",
          "%s The loss of one more OSD of BladeSet %s may cost data."
              .formatted(what, String.join(", ", endangered)),
          "Start these OSDs now, or let rebuilds go on: %s.".formatted(RESUME));
    }
    List<String> unknown =
        view.configuration().volumes().values().stream()
            .filter(volume -> isUnknown(view, volume))
            .map(Volume::path)
            .toList();
    if (!unknown.isEmpty()) {
      return Finding.error(
          NAME,
          "",
          "%s What files of volumes %s lack is not known: their managers have not said so yet, and the loss of one more OSD may cost data."
              .formatted(what, unknown),
          "They should within seconds. Otherwise look at these managers, or let rebuilds go on: %s."
              .formatted(RESUME));
    }
    return Finding.warning(
        NAME,
        "",
        what,
        "When the work is done: %s. It ends by itself at that time.".formatted(RESUME));
  }

  /** It has files, and no manager has said what they lack since it serves them. */
  private static boolean isUnknown(StatusView view, Volume volume) {
    boolean hasFiles =
        volume.epoch() > 0
            && (volume.stage() == VolumeStage.ACTIVE || volume.stage() == VolumeStage.DELETING);
    return hasFiles && said(view, volume).isEmpty();
  }

  /** OSDs that are away, or of which components wait to be rebuilt. */
  private static SortedSet<OsdId> lacking(StatusView view, String bladeSet, List<Volume> volumes) {
    List<VolumeReport> said =
        volumes.stream().flatMap(volume -> said(view, volume).stream()).toList();
    SortedSet<OsdId> removed = view.configuration().history().placement().removed();
    SortedSet<OsdId> lacking = new TreeSet<>();
    for (OsdNode osd : view.configuration().osds().values()) {
      int number = osd.id().value();
      boolean isCleared = said.stream().allMatch(each -> each.clearedOsds().containsKey(number));
      boolean isAway =
          removed.contains(osd.id())
              ? !isCleared
              : osd.node().liveness() == Liveness.DOWN || osd.isGivenUp();
      boolean isMissed = said.stream().anyMatch(each -> each.missedOsds().contains(number));
      if (osd.bladeSet().equals(bladeSet) && (isAway || isMissed)) {
        lacking.add(osd.id());
      }
    }
    return lacking;
  }

  /** Of a volume that is not served yet a manager says nothing, for its journal is not read. */
  private static Optional<VolumeReport> said(StatusView view, Volume volume) {
    return volume
        .owner()
        .flatMap(owner -> view.report(NodeKey.of(owner)))
        .flatMap(report -> report.of(volume))
        .filter(VolumeReport::isServing);
  }
}
