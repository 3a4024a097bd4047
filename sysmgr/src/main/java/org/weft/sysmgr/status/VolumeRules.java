package org.weft.sysmgr.status;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.ManagerNode;
import org.weft.sysmgr.configuration.node.Node;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.volume.OrderedRecovery;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.liveness.VolumeReport;

/** Finds problems of volumes and their managers. */
final class VolumeRules {
  private static final int MAX_NAMED = 8;

  private VolumeRules() {}

  static List<Finding> findings(StatusView view) {
    List<Finding> findings = new ArrayList<>();
    if (view.configuration().managers().isEmpty()) {
      findings.add(
          Finding.error(
              "managers-none",
              "",
              "No metadata manager has joined: no file can be opened.",
              "Start a manager with the addresses of SysMgr and the join token."));
      return findings;
    }
    for (Volume volume : view.configuration().volumes().values()) {
      unfinished(volume, findings);
      volume.recovery().ifPresent(ordered -> recovering(volume, ordered, view, findings));
      volume
          .owner()
          .map(view.configuration().managers()::get)
          .ifPresent(manager -> owned(view, volume, manager, findings));
    }
    for (ManagerNode manager : view.configuration().managers().values()) {
      idle(view, manager, findings);
    }
    return findings;
  }

  private static void unfinished(Volume volume, List<Finding> findings) {
    switch (volume.stage()) {
      case CREATING, FORMATTED ->
          findings.add(
              Finding.warning(
                  "volume-making",
                  subject(volume),
                  "Volume " + volume.path() + " is being made.",
                  "It is finished by itself when its manager and OSDs are up; `weft volume delete "
                      + volume.path()
                      + "` gives it up."));
      case DELETING, EMPTIED ->
          findings.add(
              Finding.warning(
                  "volume-deleting",
                  subject(volume),
                  "Volume " + volume.path() + " is being deleted.",
                  "It is finished by itself when its manager and OSDs are up."));
      case ACTIVE -> {}
    }
  }

  private static void recovering(
      Volume volume, OrderedRecovery ordered, StatusView view, List<Finding> findings) {
    findings.add(
        Finding.warning(
            "volume-recovering",
            subject(volume),
            "Volume "
                + volume.path()
                + " is recovered from its OSDs by manager "
                + volume.owner().map(ManagerId::toString).orElse("none")
                + ", "
                + Ago.since(ordered.sinceMillis(), view.nowMillis())
                + ".",
            "It goes on by itself when its manager and all its OSDs are up; `weft volume recover "
                + volume.path()
                + "` follows it, and gives it to another manager if this one is down."));
  }

  private static void owned(
      StatusView view, Volume volume, ManagerNode manager, List<Finding> findings) {
    Node node = manager.node();
    String owner = "manager " + manager.id() + " (host " + node.host() + ")";
    if (node.liveness() == Liveness.DOWN) {
      findings.add(
          Finding.error(
              "volume-not-served",
              subject(volume),
              "Volume "
                  + volume.path()
                  + " is not served: "
                  + owner
                  + " is down "
                  + Ago.since(node.sinceMillis(), view.nowMillis())
                  + ".",
              volume.backup().manager().isPresent()
                  ? "Start it, or manager "
                      + volume.backup().manager().get()
                      + ", which has the same journal, with its data directory."
                  : "Start it again on "
                      + node.host()
                      + " with the same data directory; no other manager has its journal. If that"
                      + " directory is lost: weft volume recover "
                      + volume.path()
                      + "."));
      return;
    }
    Optional<VolumeReport> report = reported(view, volume, manager.id());
    if (report.isEmpty()) {
      findings.add(
          Finding.warning(
              "volume-unreported",
              subject(volume),
              "Volume " + volume.path() + " waits: " + owner + " has not said that it serves it.",
              "It should within seconds of its start; else look into the log of manager "
                  + manager.id()
                  + "."));
      return;
    }
    served(view, volume, report.get(), findings);
  }

  private static void served(
      StatusView view, Volume volume, VolumeReport report, List<Finding> findings) {
    VolumeHealth health = report.health();
    if (!report.isServing()) {
      findings.add(
          Finding.warning(
              "volume-not-serving",
              subject(volume),
              "Volume " + volume.path() + " is " + health.getState() + ".",
              "Requests for it wait meanwhile."));
    }
    if (health.getLaggingCopies() > 0) {
      findings.add(
          Finding.warning(
              "volume-copies-lagging",
              subject(volume),
              health.getLaggingCopies()
                  + " metadata copies of volume "
                  + volume.path()
                  + " are out of date on an OSD, or to be removed there.",
              "That is done by itself on OSDs that are up; start those that are down."));
    }
    waitsForRepair(volume, report, findings);
    if (health.hasRepair()) {
      RebuildRules.findings(view, volume, health.getRepair(), findings);
    }
    DamageRules.findings(volume, health.getDamage(), findings);
    DamageRules.contradictions(volume, health.getParityScrub(), findings);
    paired(view, volume, health, findings);
    if (health.getSoftQuotaCount() > 0) {
      findings.add(
          Finding.warning(
              "quota-soft",
              subject(volume),
              String.join(" ", health.getSoftQuotaList()),
              "Remove files there, or raise the limit with `weft quota set`; nothing is refused"
                  + " below the hard limit."));
    }
    if (health.getUnresolvedFiles() > 0) {
      findings.add(
          Finding.warning(
              "volume-unresolved",
              subject(volume),
              health.getUnresolvedFiles()
                  + " files of volume "
                  + volume.path()
                  + " wait for their parity to be checked: their writers ended without closing"
                  + " them.",
              "It happens by itself when all OSDs of the files are up; until then they are not"
                  + " opened for writing."));
    }
  }

  /** With one manager there is nothing to do about it but to start another. */
  private static void paired(
      StatusView view, Volume volume, VolumeHealth health, List<Finding> findings) {
    if (view.configuration().managers().size() < 2) {
      return;
    }
    String none = "Volume " + volume.path() + " has no backup: its journal is on one manager";
    switch (health.getBackupState()) {
      case BACKUP_NONE ->
          findings.add(
              Finding.warning(
                  "volume-no-backup",
                  subject(volume),
                  none + ".",
                  "Start the other manager, or see why manager "
                      + volume.owner().map(ManagerId::toString).orElse("")
                      + " does not reach it, in its log; the rest happens by itself."));
      case BACKUP_CATCHING_UP ->
          findings.add(
              Finding.warning(
                  "volume-backup-copying",
                  subject(volume),
                  none + ", and is copied to manager " + health.getBackupId() + ".",
                  "It has a backup by itself as soon as the copy is whole; keep both managers"
                      + " up."));
      case BACKUP_OFF ->
          findings.add(
              Finding.warning(
                  "volume-backup-off",
                  subject(volume),
                  none + ".",
                  "Set manager.backup=true on every manager, and start them again one after"
                      + " another."));
      case BACKUP_IN_STEP, BACKUP_STATE_UNSPECIFIED, UNRECOGNIZED -> {}
    }
  }

  private static void waitsForRepair(Volume volume, VolumeReport report, List<Finding> findings) {
    if (report.health().getRepairComponents() > 0) {
      findings.add(
          Finding.warning(
              "volume-repair-waiting",
              subject(volume),
              report.health().getRepairComponents()
                  + " components of "
                  + report.health().getRepairFiles()
                  + " files wait for their repair, in volume "
                  + volume.path()
                  + ": their OSDs "
                  + report.missedOsds()
                  + " were lost while they were written.",
              "They are read and written without them. Keep the other OSDs up; to be whole again at"
                  + " once, copy such a file and rename the copy over it."));
    }
  }

  private static Optional<VolumeReport> reported(StatusView view, Volume volume, ManagerId owner) {
    return view.report(NodeKey.of(owner)).stream()
        .flatMap(report -> report.volumes().stream())
        .filter(said -> said.volume().equals(volume.id()))
        .findFirst();
  }

  private static void idle(StatusView view, ManagerNode manager, List<Finding> findings) {
    List<Volume> backedUp =
        view.configuration().volumes().values().stream()
            .filter(volume -> volume.backup().manager().equals(Optional.of(manager.id())))
            .toList();
    boolean owns =
        view.configuration().volumes().values().stream()
            .anyMatch(volume -> volume.owner().equals(Optional.of(manager.id())));
    if (!owns && !backedUp.isEmpty() && manager.node().liveness() == Liveness.DOWN) {
      findings.add(downBackup(view, manager, backedUp));
    }
    boolean owner = owns || !backedUp.isEmpty();
    // Where all volumes have backups, a manager more takes the place of the next one that dies.
    boolean spare =
        view.configuration().volumes().values().stream()
            .allMatch(volume -> volume.backup().manager().isPresent());
    boolean drained = view.configuration().history().placement().draining().contains(manager.id());
    if (!owner && manager.node().liveness() == Liveness.DOWN && !drained) {
      findings.add(
          Finding.warning(
              "manager-down",
              "manager-" + manager.id(),
              "Manager "
                  + manager.id()
                  + " (host "
                  + manager.node().host()
                  + ") is down "
                  + Ago.since(manager.node().sinceMillis(), view.nowMillis())
                  + "; it serves no volume, and no volume can move to it.",
              "Start it again. If it does not come back: weft manager remove manager-"
                  + manager.id()
                  + "."));
    }
    if (!owner && !spare && manager.node().liveness() == Liveness.UP) {
      findings.add(
          Finding.warning(
              "manager-idle",
              "manager-" + manager.id(),
              "Manager "
                  + manager.id()
                  + " (host "
                  + manager.node().host()
                  + ") has nothing to do: every volume belongs to another manager.",
              "With manager.backup=true on every manager it becomes the backup of volumes; else"
                  + " stop it, or keep it for volumes that you make later."));
    }
  }

  private static Finding downBackup(StatusView view, ManagerNode manager, List<Volume> backedUp) {
    String paths =
        backedUp.stream().limit(MAX_NAMED).map(Volume::path).collect(Collectors.joining(", "));
    int more = backedUp.size() - MAX_NAMED;
    return Finding.warning(
        "manager-down",
        "manager-" + manager.id(),
        "Manager %s (host %s) is down %s; it is named as the backup of %s, which cannot go to it now."
            .formatted(
                manager.id(),
                manager.node().host(),
                Ago.since(manager.node().sinceMillis(), view.nowMillis()),
                paths + (more > 0 ? " and " + more + " more" : "")),
        "Start it again. The primary looks for another backup by itself within seconds; where that"
            + " does not happen, no other manager is up, or the primary is down, too.");
  }

  private static String subject(Volume volume) {
    return "volume " + volume.path();
  }
}
