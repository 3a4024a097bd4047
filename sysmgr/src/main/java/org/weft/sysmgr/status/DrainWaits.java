package org.weft.sysmgr.status;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.RepairState;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.PlacementOrders;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.configuration.volume.VolumeMove;
import org.weft.sysmgr.configuration.volume.VolumeStage;
import org.weft.sysmgr.liveness.ClearedOsds;
import org.weft.sysmgr.liveness.VolumeReport;
import org.weft.sysmgr.status.DrainWait.Reason;

/**
 * Finds what drains of OSDs and managers wait for, as far as heartbeats and the configuration say
 * (P 6.8a.20). A drain of which nothing is said here goes on. Pure.
 */
public final class DrainWaits {
  private static final SortedSet<OsdId> NO_OSDS = new TreeSet<>();

  private final StatusView view;
  private final PlacementOrders placement;
  private final ClearedOsds cleared;

  private DrainWaits(StatusView view) {
    this.view = view;
    this.placement = view.configuration().history().placement();
    this.cleared = new ClearedOsds(view.configuration(), view::report);
  }

  /** Of all drains: those of OSDs first. */
  public static List<DrainWait> of(StatusView view) {
    DrainWaits waits = new DrainWaits(view);
    List<DrainWait> all = new ArrayList<>();
    for (OsdId id : waits.placement.drainingOsds()) {
      Optional.ofNullable(view.configuration().osds().get(id))
          .ifPresent(osd -> all.addAll(waits.of(osd)));
    }
    for (ManagerId manager : waits.placement.draining()) {
      all.addAll(waits.of(manager));
    }
    return all;
  }

  private List<DrainWait> of(OsdNode osd) {
    List<DrainWait> waits = new ArrayList<>();
    if (cleared.isCleared(osd.id())) {
      return waits;
    }
    String subject = NodeKey.of(osd.id()).toString();
    if (placement.repairPause().isPresent()) {
      waits.add(
          new DrainWait(
              subject,
              Reason.PAUSED,
              "",
              0,
              NO_OSDS,
              "an operator has paused rebuilds and drains",
              "End the pause: weft repair resume."));
    }
    SortedSet<OsdId> away = away(osd.bladeSet());
    List<Volume> uncleared =
        view.configuration().volumes().values().stream()
            .filter(volume -> volume.bladeSet().equals(osd.bladeSet()))
            .filter(volume -> !cleared.isCleared(volume, osd.id()))
            .toList();
    uncleared.forEach(volume -> ofVolume(subject, volume, away, waits));
    if (!away.isEmpty()) {
      waits.add(
          new DrainWait(
              subject,
              Reason.OSD_DOWN,
              "",
              0,
              away,
              "OSDs %s are down, and have to say first what they know of".formatted(away),
              "Start OSDs %s, or remove what does not come back: weft osd remove."
                  .formatted(away)));
    }
    if (waits.isEmpty()) {
      uncleared.forEach(volume -> ofSilence(subject, volume, waits));
    }
    return waits;
  }

  /** Nothing else says why: it begins in a moment, or is over, or the manager copies nothing. */
  private void ofSilence(String subject, Volume volume, List<DrainWait> waits) {
    if (reported(volume).filter(said -> !said.health().hasRepair()).isPresent()) {
      waits.add(
          about(
              subject,
              Reason.NOT_BEGUN,
              volume,
              0,
              "the manager of volume %s does not say that it copies anything"
                  .formatted(volume.path()),
              "If that lasts: set repair.files-at-once to more than 0 on all managers, and start them again."));
    }
  }

  /** OSDs that managers cannot ask, the drained one included: what they know of is not known. */
  private SortedSet<OsdId> away(String bladeSet) {
    SortedSet<OsdId> away = new TreeSet<>();
    for (OsdNode each : view.configuration().osds().values()) {
      boolean isThere = each.bladeSet().equals(bladeSet) && !isRemoved(each.id());
      if (isThere && each.isGivenUp()) {
        away.add(each.id());
      }
    }
    return away;
  }

  private boolean isRemoved(OsdId osd) {
    return placement.removed().contains(osd);
  }

  private void ofVolume(
      String subject, Volume volume, SortedSet<OsdId> away, List<DrainWait> waits) {
    Optional<VolumeReport> said = reported(volume);
    if (said.filter(VolumeReport::isServing).isEmpty()) {
      waits.add(
          about(
              subject,
              Reason.VOLUME_NOT_SERVED,
              volume,
              0,
              "volume %s is not served, and its manager has to copy what is its own"
                  .formatted(volume.path()),
              "The line on the volume says what it waits for."));
      return;
    }
    if (said.get().health().hasRepair()) {
      RepairState rebuild = said.get().health().getRepair();
      ofFiles(subject, volume, rebuild, waits);
      ofUnheard(subject, volume, rebuild, away, waits);
    }
  }

  /** While files are copied, what OSDs have not told yet keeps nothing waiting. */
  private void ofUnheard(
      String subject,
      Volume volume,
      RepairState rebuild,
      SortedSet<OsdId> away,
      List<DrainWait> waits) {
    SortedSet<OsdId> unheard = new TreeSet<>();
    rebuild.getUnheardOsdList().forEach(osd -> unheard.add(new OsdId(osd)));
    unheard.removeAll(away);
    long hindered = rebuild.getWaiting() + rebuild.getFailed() + rebuild.getBeyond();
    if (!unheard.isEmpty() && rebuild.getFilesToDo() <= hindered) {
      waits.add(
          new DrainWait(
              subject,
              Reason.OSD_UNHEARD,
              volume.path(),
              0,
              unheard,
              "OSDs %s have yet to say what they know of volume %s"
                  .formatted(unheard, volume.path()),
              "They are asked again and again; if that lasts, the manager says below what failed."));
    }
  }

  private void ofFiles(String subject, Volume volume, RepairState rebuild, List<DrainWait> waits) {
    if (rebuild.getWithoutSpare() > 0) {
      waits.add(
          about(
              subject,
              Reason.NO_OSD_LEFT,
              volume,
              rebuild.getWithoutSpare(),
              "%d files of volume %s find no other OSD: %d of BladeSet %s are up and not drained, and each of these has something of the file already, or is full"
                  .formatted(
                      rebuild.getWithoutSpare(), volume.path(), takers(volume), volume.bladeSet()),
              "Add an OSD to BladeSet %s, free space, or replace the files by narrower ones."
                  .formatted(volume.bladeSet())));
    }
    if (rebuild.getWaiting() > 0) {
      waits.add(
          about(
              subject,
              Reason.FILES_IN_USE,
              volume,
              rebuild.getWaiting(),
              "%d files of volume %s are being written, or are not at rest for another reason"
                  .formatted(rebuild.getWaiting(), volume.path()),
              "They move once they are closed; the manager names them below."));
    }
    long failed = rebuild.getFailed() - rebuild.getWithoutSpare();
    if (failed > 0) {
      waits.add(
          about(
              subject,
              Reason.COPY_FAILED,
              volume,
              failed,
              "%d files of volume %s could not be copied when it was tried last"
                  .formatted(failed, volume.path()),
              "They are tried again; the manager says below what failed."));
    }
    if (rebuild.getBeyond() > 0) {
      waits.add(
          about(
              subject,
              Reason.FILES_LOST,
              volume,
              rebuild.getBeyond(),
              "%d files of volume %s have lost more components than they have parity units"
                  .formatted(rebuild.getBeyond(), volume.path()),
              "Bring the OSDs back that they were on, or remove the files."));
    }
  }

  private static DrainWait about(
      String subject, Reason reason, Volume volume, long files, String what, String advice) {
    return new DrainWait(subject, reason, volume.path(), files, NO_OSDS, what, advice);
  }

  /** OSDs that may take what goes elsewhere. */
  private long takers(Volume volume) {
    return view.configuration().osds().values().stream()
        .filter(osd -> osd.bladeSet().equals(volume.bladeSet()))
        .filter(osd -> osd.node().liveness() == Liveness.UP && !osd.isGivenUp())
        .filter(osd -> !placement.drains().containsKey(osd.id()) && !isRemoved(osd.id()))
        .count();
  }

  private Optional<VolumeReport> reported(Volume volume) {
    return volume
        .owner()
        .flatMap(owner -> view.report(NodeKey.of(owner)))
        .flatMap(report -> report.of(volume));
  }

  private List<DrainWait> of(ManagerId manager) {
    List<DrainWait> waits = new ArrayList<>();
    boolean isUp =
        Optional.ofNullable(view.configuration().managers().get(manager))
            .filter(node -> node.node().liveness() == Liveness.UP)
            .isPresent();
    boolean hasTaker =
        view.configuration().managers().values().stream().anyMatch(placement::takesVolumes);
    for (Volume volume : view.configuration().volumes().values()) {
      if (volume.owner().equals(Optional.of(manager))) {
        ofMove(NodeKey.of(manager).toString(), volume, isUp, hasTaker).ifPresent(waits::add);
      }
    }
    return waits;
  }

  private Optional<DrainWait> ofMove(
      String subject, Volume volume, boolean isUp, boolean hasTaker) {
    Optional<VolumeMove> move = Optional.ofNullable(placement.moves().get(volume.id()));
    if (!isUp) {
      return Optional.of(
          about(
              subject,
              Reason.MANAGER_DOWN,
              volume,
              0,
              "it is not up, and has the journal of volume " + volume.path(),
              "Start " + subject + " with its data directory."));
    }
    if (volume.stage() != VolumeStage.ACTIVE || !volume.formatted()) {
      return Optional.of(
          about(
              subject,
              Reason.VOLUME_UNFINISHED,
              volume,
              0,
              "volume " + volume.path() + " is being made or deleted",
              "It moves, or is gone, when that has ended."));
    }
    if (!hasTaker) {
      return Optional.of(
          about(
              subject,
              Reason.NO_MANAGER_LEFT,
              volume,
              0,
              "no other manager is up and not drained, so volume " + volume.path() + " stays",
              "Start another manager, or use one again: weft manager undrain."));
    }
    return move.filter(each -> !each.underWay())
        .map(
            each ->
                about(
                    subject,
                    Reason.MOVE_FAILED,
                    volume,
                    0,
                    "the move of volume %s to manager-%s was given up: %s"
                        .formatted(volume.path(), each.target(), each.failure()),
                    "It is tried again by itself."));
  }
}
