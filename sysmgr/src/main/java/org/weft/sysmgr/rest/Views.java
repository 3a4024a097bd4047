package org.weft.sysmgr.rest;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.wire.AddressMessage;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.DamageState;
import org.weft.protocol.wire.EventMessage;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.OsdRow;
import org.weft.protocol.wire.ParityScrubState;
import org.weft.protocol.wire.Problem;
import org.weft.protocol.wire.RemovedManagerRow;
import org.weft.protocol.wire.RepairState;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.protocol.wire.VolumeRow;
import org.weft.protocol.wire.WarmCopyState;
import org.weft.sysmgr.configuration.node.NodeKey;

/**
 * What REST shows, made from the same messages that the launcher gets; those hold no key and no
 * token. Bytes and milliseconds; times since 1970.
 */
final class Views {
  private Views() {}

  /**
   * An OSD.
   *
   * @param storeFailure why its store takes no changes any more; empty unless it said so
   * @param unusableToManagers it is heard and given up, because these managers cannot use it
   * @param draining what it holds goes to others
   * @param drained it holds nothing any more
   * @param drainWaits what its drain waits for; empty: it goes on, or there is none
   * @param removed it does not come back
   */
  record Osd(
      int id,
      String state,
      List<String> addresses,
      String host,
      String rack,
      String bladeSet,
      String identity,
      long incarnation,
      long capacityBytes,
      long usedBytes,
      long reserveBytes,
      long objects,
      long durableCheckpoint,
      String storeFailure,
      List<Integer> unusableToManagers,
      boolean draining,
      boolean drained,
      List<DrainWaitView> drainWaits,
      boolean removed) {
    static Osd of(ClusterStatus status, OsdRow row) {
      return new Osd(
          row.getOsdId(),
          row.getState().name(),
          addressTexts(row.getAddressesList()),
          row.getHost(),
          row.getRack(),
          row.getBladeSet(),
          row.getIdentity(),
          row.getIncarnation(),
          row.getCapacityBytes(),
          row.getUsedBytes(),
          row.getReserveBytes(),
          row.getObjects(),
          row.getDurableCheckpoint(),
          row.getStoreFailure(),
          row.getUnusableToManagerList(),
          row.getDraining(),
          status.getDrainedOsdList().contains(row.getOsdId()),
          DrainWaitView.of(status, new NodeKey(NodeKey.Kind.OSD, row.getOsdId())),
          row.getRemoved());
    }
  }

  /**
   * A manager.
   *
   * @param drainWaits what its drain waits for; empty: it goes on, or there is none
   */
  record Manager(
      int id,
      String state,
      List<String> addresses,
      String host,
      String identity,
      boolean draining,
      List<DrainWaitView> drainWaits) {
    static Manager of(ClusterStatus status, ManagerRow row) {
      return new Manager(
          row.getManagerId(),
          row.getState().name(),
          addressTexts(row.getAddressesList()),
          row.getHost(),
          row.getIdentity(),
          row.getDraining(),
          DrainWaitView.of(status, new NodeKey(NodeKey.Kind.MANAGER, row.getManagerId())));
    }
  }

  /** How far what lost OSDs held is rebuilt. */
  record Repair(
      List<Integer> lostOsds,
      List<Integer> leavingOsds,
      List<Integer> unheardOsds,
      long filesToDo,
      long filesEndangered,
      long bytesToDo,
      long filesDone,
      long bytesDone,
      long bytesPerSecond,
      long waitingFiles,
      long failedFiles,
      long filesWithoutSpare,
      long lostFiles,
      int managers) {
    static Repair of(RepairState state) {
      return new Repair(
          List.copyOf(state.getLostOsdList()),
          List.copyOf(state.getLeavingOsdList()),
          List.copyOf(state.getUnheardOsdList()),
          state.getFilesToDo(),
          state.getEndangered(),
          state.getBytesToDo(),
          state.getFilesDone(),
          state.getBytesDone(),
          state.getBytesPerSecond(),
          state.getWaiting(),
          state.getFailed(),
          state.getWithoutSpare(),
          state.getBeyond(),
          state.getManagers());
    }
  }

  /** Damaged blocks of a volume, since its manager serves it; null where there were none. */
  record Damage(long foundBlocks, long repairedBlocks, long waitingBlocks, long hopelessBlocks) {
    static Damage of(DamageState state) {
      return new Damage(
          state.getBlocksFound(),
          state.getBlocksRepaired(),
          state.getBlocksWaiting(),
          state.getBlocksHopeless());
    }
  }

  /**
   * How far the scrub of parity is, since 1970 where it is a time; null where a manager does not
   * say.
   */
  record ParityScrub(
      boolean off,
      long passes,
      long begunMillis,
      long objects,
      long files,
      long bytes,
      long left,
      long lastEndedMillis,
      long lastFiles,
      long lastLeft,
      long contradictedFiles,
      String waits) {
    static ParityScrub of(ParityScrubState state) {
      return new ParityScrub(
          state.getOff(),
          state.getPasses(),
          state.getBegunMillis(),
          state.getObjects(),
          state.getFiles(),
          state.getBytes(),
          state.getLeft(),
          state.getLastEndedMillis(),
          state.getLastFiles(),
          state.getLastLeft(),
          state.getContradicted(),
          state.getWaits());
    }
  }

  /**
   * What the backup of a volume has in memory, as it said last.
   *
   * @param state "warm", "filling", "cold"; "unknown" if a manager of an older release does not say
   * @param applied the newest record that its live state holds, as EPOCH:INDEX
   * @param recordsBehind on its disk and not applied yet
   * @param redoRecords that a promotion would lay over what the OSDs hold
   * @param reason why it is cold
   */
  record Warm(String state, String applied, long recordsBehind, long redoRecords, String reason) {
    /** Null where there is no backup. */
    static Warm of(VolumeHealth health) {
      if (health.getBackupId() == 0) {
        return null;
      }
      WarmCopyState said = health.getWarm();
      return new Warm(
          switch (said.getPhase()) {
            case UNKNOWN, UNRECOGNIZED -> "unknown";
            case FILLING -> "filling";
            case WARM -> "warm";
            case COLD -> "cold";
          },
          new Lsn(said.getAppliedLsn()).toString(),
          said.getRecordsBehind(),
          said.getRedoRecords(),
          said.getReason());
    }
  }

  /**
   * How a volume does, as its manager says.
   *
   * @param unsettledGrants null where a manager of an older release does not say
   */
  record Health(
      String state,
      long sessions,
      long writeGrants,
      long journalRecords,
      long journalBytes,
      long files,
      long laggingCopies,
      long unresolvedFiles,
      Long unsettledGrants,
      long repairComponents,
      long repairFiles,
      Map<Integer, Long> repairComponentsByOsd,
      Repair repair,
      Damage damage,
      ParityScrub parityScrub,
      String backupState,
      Warm backupWarm) {
    static Health of(VolumeHealth health) {
      return new Health(
          health.getState(),
          health.getSessions(),
          health.getWriteGrants(),
          health.getJournalRecords(),
          health.getJournalBytes(),
          health.getFiles(),
          health.getLaggingCopies(),
          health.getUnresolvedFiles(),
          health.hasUnsettledGrants() ? health.getUnsettledGrants() : null,
          health.getRepairComponents(),
          health.getRepairFiles(),
          byOsd(health),
          health.hasRepair() ? Repair.of(health.getRepair()) : null,
          health.hasDamage() ? Damage.of(health.getDamage()) : null,
          health.hasParityScrub() ? ParityScrub.of(health.getParityScrub()) : null,
          backup(health),
          Warm.of(health));
    }

    /** As people say it; empty if an older manager does not tell. */
    private static String backup(VolumeHealth health) {
      return switch (health.getBackupState()) {
        case BACKUP_OFF -> "off";
        case BACKUP_NONE -> "none";
        case BACKUP_CATCHING_UP -> "catching up";
        case BACKUP_IN_STEP -> "in step";
        case BACKUP_STATE_UNSPECIFIED, UNRECOGNIZED -> "";
      };
    }

    private static Map<Integer, Long> byOsd(VolumeHealth health) {
      TreeMap<Integer, Long> components = new TreeMap<>();
      health
          .getRepairsList()
          .forEach(each -> components.put(each.getOsdId(), each.getComponents()));
      return components;
    }
  }

  /** A volume; its health is null until its manager has told it. */
  record Volume(
      long id,
      String path,
      int managerId,
      int backupId,
      long epoch,
      int maxParity,
      String bladeSet,
      boolean formatted,
      String state,
      String superuser,
      Health health) {
    static Volume of(VolumeRow row, Optional<VolumeHealth> health) {
      return new Volume(
          row.getVolumeId(),
          row.getPath(),
          row.getManagerId(),
          row.getBackupId(),
          row.getEpoch(),
          row.getMaxParity(),
          row.getBladeSet(),
          row.getFormatted(),
          row.getState().name(),
          row.getSuperuser(),
          health.map(Health::of).orElse(null));
    }
  }

  /** A manager that an operator has removed. */
  record Removed(int id, String host, long removedMillis) {
    static Removed of(RemovedManagerRow row) {
      return new Removed(row.getManagerId(), row.getHost(), row.getRemovedMillis());
    }
  }

  /** The table that clients and daemons use. */
  record Table(
      long version,
      String clusterId,
      String clusterName,
      List<Osd> osds,
      List<Manager> managers,
      List<Removed> removedManagers,
      List<Volume> volumes,
      List<BalanceView> balances,
      RepairPauseView repairPause) {
    static Table of(ClusterStatus status) {
      ClusterTable table = status.getTable();
      return new Table(
          table.getVersion(),
          table.getClusterId(),
          table.getClusterName(),
          Views.osds(status),
          Views.managers(status),
          status.getRemovedManagersList().stream().map(Removed::of).toList(),
          Views.volumes(status),
          BalanceView.all(status),
          RepairPauseView.of(table));
    }
  }

  /** Something wrong. */
  record ProblemView(
      String severity, String name, String subject, String what, String advice, long sinceMillis) {
    static ProblemView of(Problem problem) {
      return new ProblemView(
          problem.getSeverity(),
          problem.getName(),
          problem.getSubject(),
          problem.getWhat(),
          problem.getAdvice(),
          problem.getSinceMillis());
    }
  }

  /** Something that happened. */
  record EventView(
      long number,
      long millis,
      String kind,
      String subject,
      String what,
      String user,
      String advice) {
    static EventView of(EventMessage event) {
      return new EventView(
          event.getNumber(),
          event.getMillis(),
          event.getKind(),
          event.getSubject(),
          event.getWhat(),
          event.getUser(),
          event.getAdvice());
    }
  }

  /** The oldest first. */
  static List<EventView> events(List<EventMessage> events) {
    return events.stream().map(EventView::of).toList();
  }

  /** Everything. */
  record Status(
      Table table,
      List<ProblemView> problems,
      List<EventView> lastEvents,
      List<String> sysmgrs,
      String durability,
      long nowMillis,
      String restUrl) {
    static Status of(ClusterStatus status) {
      return new Status(
          Table.of(status),
          status.getProblemsList().stream().map(ProblemView::of).toList(),
          events(status.getLastEventsList()),
          addressTexts(status.getSysmgrsList()),
          status.getDurability(),
          status.getNowMillis(),
          status.getRestUrl());
    }
  }

  static List<Osd> osds(ClusterStatus status) {
    return status.getTable().getOsdsList().stream().map(row -> Osd.of(status, row)).toList();
  }

  static List<Manager> managers(ClusterStatus status) {
    return status.getTable().getManagersList().stream()
        .map(row -> Manager.of(status, row))
        .toList();
  }

  static List<Volume> volumes(ClusterStatus status) {
    return status.getTable().getVolumesList().stream()
        .map(row -> Volume.of(row, health(status, row)))
        .toList();
  }

  private static Optional<VolumeHealth> health(ClusterStatus status, VolumeRow row) {
    return status.getVolumesList().stream()
        .filter(health -> health.getVolumeId() == row.getVolumeId())
        .findFirst();
  }

  private static List<String> addressTexts(List<AddressMessage> addresses) {
    return addresses.stream().map(address -> Endpoint.fromMessage(address).toString()).toList();
  }
}
