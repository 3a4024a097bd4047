package org.weft.metadata.serving;

import java.util.List;
import java.util.Optional;
import org.weft.metadata.backup.PairStatus;
import org.weft.metadata.balance.BalanceProgress;
import org.weft.metadata.journal.JournalLog;
import org.weft.metadata.journal.ScrubEffect;
import org.weft.metadata.repair.DamageProgress;
import org.weft.metadata.repair.RepairProgress;
import org.weft.metadata.scrub.ScrubProgress;
import org.weft.metadata.serving.care.VolumeCare;
import org.weft.metadata.serving.sysmgr.VolumeAssignment;
import org.weft.metadata.volume.state.VolumeCounts;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.BackupState;
import org.weft.protocol.wire.DamageState;
import org.weft.protocol.wire.ParityScrubState;
import org.weft.protocol.wire.RepairState;
import org.weft.protocol.wire.RepairsOfOsd;
import org.weft.protocol.wire.VolumeHealth;

/** What a heartbeat says of a volume. */
final class HealthWords {
  private static final String NO_LEASE =
      "serves again once SysMgr has renewed this manager's lease";

  private HealthWords() {}

  /** Texts on the progress of a volume's work for its files. */
  record Care(
      RepairProgress repairs,
      DamageProgress damage,
      BalanceProgress balance,
      Optional<ScrubProgress> scrub) {
    /** As the volume's care says; nothing was done before there is one. */
    static Care of(Optional<VolumeCare> care) {
      return new Care(
          care.map(VolumeCare::repairs).orElse(RepairProgress.NONE),
          care.map(VolumeCare::damage).orElse(DamageProgress.NONE),
          care.map(VolumeCare::balance).orElse(BalanceProgress.NONE),
          care.map(VolumeCare::scrubbed));
    }
  }

  /**
   * @param mayServe the volume's lease holds now
   * @param journal null before it is open
   */
  static VolumeHealth of(
      VolumeAssignment assignment,
      HostState state,
      boolean mayServe,
      VolumeCounts counts,
      JournalLog journal,
      PairStatus pair,
      Care care) {
    RepairProgress repairs = care.repairs();
    DamageProgress damage = care.damage();
    BalanceProgress balance = care.balance();
    VolumeHealth.Builder health =
        VolumeHealth.newBuilder()
            .setVolumeId(assignment.settings().volume().value())
            .setEpoch(assignment.epoch())
            .setState(state.isServing() && !mayServe ? NO_LEASE : state.words())
            .setSessions(counts.sessions())
            .setWriteGrants(counts.writeGrants())
            .setFiles(counts.files())
            .setLaggingCopies(counts.laggingCopies())
            .setUnresolvedFiles(counts.unresolvedFiles())
            .setUnsettledGrants(counts.unsettledGrants())
            .setRepairComponents(counts.repairComponents())
            .setRepairFiles(counts.repairFiles())
            .setBackupId(pair.manager())
            .setBackupState(
                switch (pair.state()) {
                  case OFF -> BackupState.BACKUP_OFF;
                  case NONE -> BackupState.BACKUP_NONE;
                  case CATCHING_UP -> BackupState.BACKUP_CATCHING_UP;
                  case IN_STEP -> BackupState.BACKUP_IN_STEP;
                });
    pair.warm().ifPresent(health::setWarm);
    health.addAllSoftQuota(counts.softQuotas());
    counts.fileBytes().ifPresent(health::setFileBytes);
    counts
        .clearedOsds()
        .forEach((osd, drain) -> health.addClearedOsd(osd.value()).addClearedDrain(drain));
    counts
        .repairsByOsd()
        .forEach(
            (osd, components) ->
                health.addRepairs(
                    RepairsOfOsd.newBuilder().setOsdId(osd.value()).setComponents(components)));
    if (!repairs.equals(RepairProgress.NONE)) {
      health.setRepair(
          RepairState.newBuilder()
              .addAllLostOsd(repairs.lost().stream().map(OsdId::value).toList())
              .addAllLeavingOsd(repairs.leaving().stream().map(OsdId::value).toList())
              .addAllUnheardOsd(repairs.unheard().stream().map(OsdId::value).toList())
              .setFilesToDo(repairs.filesToDo())
              .setEndangered(repairs.endangered())
              .setBytesToDo(repairs.bytesToDo())
              .setFilesDone(repairs.filesDone())
              .setBytesDone(repairs.bytesDone())
              .setBytesPerSecond(repairs.bytesPerSecond())
              .setWaiting(repairs.waiting())
              .setFailed(repairs.failed())
              .setWithoutSpare(repairs.withoutSpare())
              .setBeyond(repairs.beyond())
              .setManagers(repairs.managers()));
    }
    if (!damage.equals(DamageProgress.NONE)) {
      health.setDamage(
          DamageState.newBuilder()
              .setBlocksFound(damage.found())
              .setBlocksRepaired(damage.repaired())
              .setBlocksWaiting(damage.waiting())
              .setBlocksHopeless(damage.hopeless()));
    }
    if (!balance.equals(BalanceProgress.NONE)) {
      health.setBalance(
          org.weft.protocol.wire.BalanceProgress.newBuilder()
              .setRound(balance.round())
              .setDone(balance.done())
              .setComponentsMoved(balance.componentsMoved())
              .setBytesMoved(balance.bytesMoved())
              .setBytesPerSecond(balance.bytesPerSecond())
              .setComponentsSkipped(balance.componentsSkipped())
              .setWaits(balance.waits()));
    }
    care.scrub().ifPresent(scrub -> health.setParityScrub(toMessage(scrub)));
    if (journal != null) {
      health.setJournalRecords(journal.size().records()).setJournalBytes(journal.size().bytes());
    }
    return health.build();
  }

  /**
   * Sentences on a volume, each of which names it.
   *
   * @param problems of one that is served
   */
  static List<String> problems(PartitionId id, HostState state, List<String> problems) {
    String volume = "volume " + id + ": ";
    List<String> said = state.isServing() ? problems : List.of(state.words());
    return said.stream().map(problem -> volume + problem).toList();
  }

  /** Refuses a request that came too early. */
  static WeftException notServedYet(PartitionId id, HostState state) {
    return new WeftException(
        ErrorCode.NOT_SERVING, "volume " + id + " is not served yet: " + state.words());
  }

  private static ParityScrubState toMessage(ScrubProgress scrub) {
    ScrubEffect.Pass now = scrub.reached().now();
    ScrubEffect.Pass last = scrub.reached().last();
    return ParityScrubState.newBuilder()
        .setOff(!scrub.on())
        .setPasses(scrub.reached().passes())
        .setBegunMillis(now.begunMillis())
        .setObjects(now.objects())
        .setFiles(now.files())
        .setBytes(now.bytes())
        .setLeft(now.left() + scrub.reached().later().size())
        .setObjectId(scrub.reached().object().value())
        .setLastBegunMillis(last.begunMillis())
        .setLastEndedMillis(last.endedMillis())
        .setLastFiles(last.files())
        .setLastLeft(last.left())
        .setContradicted(scrub.contradicted())
        .setWaits(scrub.waits())
        .build();
  }
}
