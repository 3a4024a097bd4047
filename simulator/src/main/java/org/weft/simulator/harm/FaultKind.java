package org.weft.simulator.harm;

import java.util.Locale;
import java.util.Set;
import org.weft.simulator.workload.Geometry;
import org.weft.simulator.workload.Intensity;
import org.weft.simulator.workload.WorkloadBias;

/** A fault that is injected, for the counts of a report. */
public enum FaultKind {
  KILL_OSD(Intensity.PROCESSES, 14),
  KILL_OSD_IN_DISK_OPERATION(Intensity.PROCESSES, 10),
  KILL_MANAGER(Intensity.PROCESSES, 10),
  KILL_MANAGER_IN_DISK_OPERATION(Intensity.PROCESSES, 6),
  KILL_SYSMGR(Intensity.PROCESSES, 4),
  KILL_CLIENT(Intensity.PROCESSES, 14),
  STOP_OSD(Intensity.PROCESSES, 3),
  STOP_MANAGER(Intensity.PROCESSES, 2),
  PAUSE_OSD(Intensity.PROCESSES, 6),
  STALL_OSD_BESIDE_A_READER(Intensity.PROCESSES, 8),
  PAUSE_MANAGER(Intensity.PROCESSES, 4),
  PAUSE_CLIENT(Intensity.PROCESSES, 8),
  FREEZE_CLIENT(Intensity.PROCESSES, 10),
  NOISY_NETWORK(Intensity.NETWORK, 16),
  CUT_ONE_WAY(Intensity.NETWORK, 14),
  SEPARATE(Intensity.NETWORK, 14),
  SLOW_LINK(Intensity.NETWORK, 10),
  FORGETFUL_NETWORK(Intensity.NETWORK, 8),
  BELATED_NETWORK(Intensity.NETWORK, 10),
  CUT_OFF_CLIENT(Intensity.NETWORK, 14),
  CROSSED_LINKS(Intensity.NETWORK, 12),
  SLOW_READER(Intensity.NETWORK, 12),
  ANOTHER_LEADER(Intensity.NETWORK, 3),
  POWER_OF_OSD(Intensity.POWER, 16),
  POWER_OF_MANAGER(Intensity.POWER, 8),
  POWER_OF_SYSMGR(Intensity.POWER, 3),
  LOSE_DISK(Intensity.DISKS, 3),
  BIT_ROT(Intensity.DISKS, 16),
  SLOW_DISK(Intensity.DISKS, 8),
  FULL_DISK(Intensity.DISKS, 5),
  FAILING_DISK(Intensity.DISKS, 5),
  FAILED_STORE(Intensity.DISKS, 5),
  CLOCK_JUMP(Intensity.POWER, 6),
  KILL_CLIENT_AFTER_ANSWER(Intensity.PROCESSES, 14, WorkloadBias.HOT),
  BELATED_LINK(Intensity.NETWORK, 24, WorkloadBias.HOT),
  OSD_AWAY_AFTER_ANSWER(Intensity.NETWORK, 60, WorkloadBias.APPENDING),
  KILL_CUTTING_CLIENT(Intensity.PROCESSES, 30, WorkloadBias.LASTING, WorkloadBias.REPAIRED),
  REPLACE_READ_FILE(Intensity.PROCESSES, 20, WorkloadBias.LASTING),
  REPLACE_MANAGER_MACHINE(Intensity.PROCESSES, 8, WorkloadBias.LASTING),
  SYSMGR_SNAPSHOT(Intensity.PROCESSES, 14, WorkloadBias.LASTING, WorkloadBias.VOTING),
  MAKE_VOLUME(Intensity.PROCESSES, 14, WorkloadBias.LASTING, WorkloadBias.VOTING),
  DELETE_VOLUME(Intensity.PROCESSES, 12, WorkloadBias.LASTING, WorkloadBias.VOTING),
  KILL_OPERATOR(Intensity.PROCESSES, 6, WorkloadBias.LASTING, WorkloadBias.VOTING),
  POWER_OF_ALL(Intensity.POWER, 12, WorkloadBias.LASTING),
  FLAPPING_OSD(Intensity.NETWORK, 40, WorkloadBias.LASTING),
  LATE_RENEWALS(Intensity.NETWORK, 24, WorkloadBias.LASTING),
  MANAGER_OFF_FOR_LONG(Intensity.POWER, 10, true),
  OSD_OFF_FOR_LONG(Intensity.PROCESSES, 24, WorkloadBias.REPAIRED),
  LOSE_DISK_FOR_GOOD(Intensity.DISKS, 30, WorkloadBias.REPAIRED),
  DRAIN_OSD(Intensity.PROCESSES, 30, WorkloadBias.REPAIRED),
  MOVE_OSD_OR_MERGE(Intensity.PROCESSES, 90, WorkloadBias.MERGING),
  BITS_ROT(Intensity.DISKS, 200, WorkloadBias.ROTTING),
  LATE_BACKUP(Intensity.PROCESSES, 24, WorkloadBias.PARTED),
  BACKUP_JUST_NAMED(Intensity.PROCESSES, 24, WorkloadBias.PARTED),
  PRIMARY_STARTED_TWICE(Intensity.PROCESSES, 24, WorkloadBias.PARTED),
  PARTED_PAIR(Intensity.NETWORK, 24, WorkloadBias.PARTED),
  LATE_WORDS_OF_PRIMARY(Intensity.NETWORK, 24, WorkloadBias.PARTED),
  QUIET_PRIMARY(Intensity.NETWORK, 24, WorkloadBias.PARTED),
  POWER_OF_PAIR(Intensity.POWER, 24, WorkloadBias.PARTED),
  HARM_LEADER_IN_OPERATION(Intensity.PROCESSES, 140, WorkloadBias.VOTING),
  CUT_OFF_LEADER(Intensity.NETWORK, 50, WorkloadBias.VOTING),
  REPLACE_SYSMGR(Intensity.PROCESSES, 30, WorkloadBias.VOTING),
  LOSE_SYSMGR_DISK(Intensity.DISKS, 30, WorkloadBias.VOTING),
  LOSE_DISK_BESIDE_LAGGING_MEMBER(Intensity.DISKS, 30, WorkloadBias.VOTING),
  NEW_LEADER_BESIDE_NEW_PROCESS(Intensity.PROCESSES, 16, WorkloadBias.VOTING),
  NEW_LEADER_BESIDE_QUIET_PRIMARY(Intensity.NETWORK, 24, WorkloadBias.VOTING);

  final Intensity of;
  final int weight;

  /** Only where clients have one of these, if there are any: other seeds are what they were. */
  @SuppressWarnings("ImmutableEnumChecker") // Nothing changes it.
  private final Set<WorkloadBias> only;

  /** Only where there are two volumes, with a manager each. */
  private final boolean ofTwoVolumes;

  FaultKind(Intensity of, int weight, WorkloadBias... only) {
    this.of = of;
    this.weight = weight;
    this.only = Set.of(only);
    this.ofTwoVolumes = false;
  }

  FaultKind(Intensity of, int weight, boolean ofTwoVolumes) {
    this.of = of;
    this.weight = weight;
    this.only = Set.of();
    this.ofTwoVolumes = ofTwoVolumes;
  }

  boolean isMeantFor(Geometry geometry) {
    if (ofTwoVolumes) {
      return geometry.secondVolume();
    }
    return only.isEmpty() || only.stream().anyMatch(geometry::has);
  }

  /** As in "kill osd". */
  public String words() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
