package org.weft.cli.status;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.weft.cli.member.MemberState;
import org.weft.cli.output.ByteText;
import org.weft.cli.output.ParityScrubText;
import org.weft.cli.output.PrintableText;
import org.weft.cli.output.WarmText;
import org.weft.protocol.wire.AddressMessage;
import org.weft.protocol.wire.BackupState;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;
import org.weft.protocol.wire.Problem;
import org.weft.protocol.wire.RemovedManagerRow;
import org.weft.protocol.wire.SysmgrRow;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.protocol.wire.VolumeRow;
import org.weft.protocol.wire.VolumeState;

/**
 * The status of a cluster as text of one screen; many OSDs are summed up, only those in trouble
 * listed.
 */
final class StatusScreen {
  private static final int MAX_OSD_LINES = 16;
  private static final String ERROR = "error";

  private StatusScreen() {}

  static boolean isError(Problem problem) {
    return problem.getSeverity().equals(ERROR);
  }

  static void print(ClusterStatus status, String contact, PrintWriter out) {
    ClusterTable table = status.getTable();
    out.printf(
        "Weft cluster %s (%s) at %s%n",
        PrintableText.of(table.getClusterName()), table.getClusterId(), contact);
    out.printf("%n  SysMgr    %s%s%n", join(status.getSysmgrsList()), page(status));
    printMembers(status.getSysmgrMembersList(), out);
    for (ManagerRow manager : table.getManagersList()) {
      out.printf(
          "  manager-%d %s  %s%n",
          manager.getManagerId(), join(manager.getAddressesList()), state(manager.getState()));
    }
    printRemoved(status.getRemovedManagersList(), out);
    for (VolumeRow volume : table.getVolumesList()) {
      printVolume(volume, status.getVolumesList(), out);
    }
    MoveLines.print(table, out);
    NfsLines.print(status.getNfsGatewaysList(), out);
    printOsds(table.getOsdsList(), status.getDrainedOsdList(), status.getDurability(), out);
    if (status.getConfigurationCopies() > 0) {
      out.printf("%n  configuration copied to %d OSDs%n", status.getConfigurationCopies());
    }
    printProblems(status.getProblemsList(), out);
  }

  private static void printRemoved(List<RemovedManagerRow> removed, PrintWriter out) {
    if (!removed.isEmpty()) {
      out.printf(
          "  removed   %s%n",
          removed.stream()
              .map(row -> "manager-" + row.getManagerId())
              .collect(Collectors.joining(", ")));
    }
  }

  /** One member needs no list of them. */
  private static void printMembers(List<SysmgrRow> members, PrintWriter out) {
    if (members.size() < 2) {
      return;
    }
    for (SysmgrRow member : members) {
      out.printf(
          Locale.ROOT,
          "    sysmgr-%-2d %s  %s%n",
          member.getMemberId(),
          join(List.of(member.getRpc())),
          MemberState.of(member));
    }
  }

  private static String page(ClusterStatus status) {
    return status.getRestUrl().isEmpty() ? "" : "  page " + PrintableText.of(status.getRestUrl());
  }

  private static void printVolume(VolumeRow volume, List<VolumeHealth> all, PrintWriter out) {
    Optional<VolumeHealth> said =
        all.stream().filter(health -> health.getVolumeId() == volume.getVolumeId()).findFirst();
    out.printf(
        "  volume %s  owned by manager-%d, %s, epoch %d",
        PrintableText.of(volume.getPath()),
        volume.getManagerId(),
        backup(volume, said.map(VolumeHealth::getBackupState)),
        volume.getEpoch());
    if (volume.getState() != VolumeState.ACTIVE
        && volume.getState() != VolumeState.VOLUME_STATE_UNSPECIFIED) {
      out.print(", " + volume.getState().name().toLowerCase(Locale.ROOT));
    }
    said.ifPresent(health -> out.print(", " + PrintableText.of(health.getState())));
    out.println();
    said.ifPresent(
        health ->
            out.printf(
                Locale.ROOT,
                "            %,d files; %d clients; %d files being written; journal %,d records, %s%n",
                health.getFiles(),
                health.getSessions(),
                health.getWriteGrants(),
                health.getJournalRecords(),
                ByteText.of(health.getJournalBytes())));
    said.filter(health -> health.getBackupId() != 0)
        .ifPresent(health -> out.println("            backup " + WarmText.of(health)));
    said.filter(VolumeHealth::hasParityScrub)
        .ifPresent(
            health ->
                out.println(
                    "            "
                        + ParityScrubText.line(health.getParityScrub(), health.getFiles())));
  }

  private static String backup(VolumeRow volume, Optional<BackupState> said) {
    if (volume.getBackupId() == 0) {
      return said.equals(Optional.of(BackupState.BACKUP_CATCHING_UP))
          ? "no backup yet (catching up)"
          : "no backup";
    }
    return "backup manager-"
        + volume.getBackupId()
        + (said.equals(Optional.of(BackupState.BACKUP_IN_STEP)) ? " (in step)" : "");
  }

  private static void printOsds(
      List<OsdRow> all, List<Integer> drained, String durability, PrintWriter out) {
    List<OsdRow> osds = all.stream().filter(osd -> !osd.getRemoved()).toList();
    long capacity = osds.stream().mapToLong(OsdRow::getCapacityBytes).sum();
    long used = osds.stream().mapToLong(OsdRow::getUsedBytes).sum();
    long up = osds.stream().filter(osd -> osd.getState() == NodeState.UP).count();
    out.printf(
        "%n  %d of %d OSDs up, %s of %s used%s%n",
        up,
        osds.size(),
        ByteText.of(used),
        ByteText.of(capacity),
        durability.isEmpty() ? "" : ", " + PrintableText.of(durability));
    List<OsdRow> shown =
        osds.size() <= MAX_OSD_LINES
            ? osds
            : osds.stream()
                .filter(osd -> osd.getState() != NodeState.UP || osd.getDraining())
                .limit(MAX_OSD_LINES)
                .toList();
    for (OsdRow osd : shown) {
      out.printf(
          Locale.ROOT,
          "    osd-%-4d %-21s %-13s %3d%% of %-9s %,9d objects%s%n",
          osd.getOsdId(),
          join(osd.getAddressesList()),
          state(osd, drained.contains(osd.getOsdId())),
          percent(osd),
          ByteText.of(osd.getCapacityBytes()),
          osd.getObjects(),
          place(osd));
    }
  }

  /** Said of what is not as usual. */
  private static String place(OsdRow osd) {
    String rack = osd.getRack().isEmpty() ? "" : "  rack " + PrintableText.of(osd.getRack());
    boolean isUsual = osd.getBladeSet().isEmpty() || osd.getBladeSet().equals("default");
    return rack + (isUsual ? "" : "  BladeSet " + PrintableText.of(osd.getBladeSet()));
  }

  private static long percent(OsdRow osd) {
    return osd.getCapacityBytes() == 0
        ? 0
        : Math.round(100.0 * osd.getUsedBytes() / osd.getCapacityBytes());
  }

  private static void printProblems(List<Problem> problems, PrintWriter out) {
    if (problems.isEmpty()) {
      out.printf("%n  Nothing is wrong.%n");
      return;
    }
    out.println();
    for (Problem problem : problems) {
      out.printf(
          "  %s: %s%n",
          problem.getSeverity().toUpperCase(Locale.ROOT), PrintableText.of(problem.getWhat()));
      if (!problem.getAdvice().isEmpty()) {
        out.printf("      -> %s%n", PrintableText.of(problem.getAdvice()));
      }
    }
  }

  private static String join(List<AddressMessage> addresses) {
    return addresses.stream()
        .map(address -> PrintableText.of(address.getHost()) + ":" + address.getPort())
        .collect(Collectors.joining(", "));
  }

  private static String state(OsdRow osd, boolean drained) {
    String state = state(osd.getState());
    if (drained) {
      return state + ", drained";
    }
    return osd.getDraining() ? state + ", draining" : state;
  }

  private static String state(NodeState state) {
    return switch (state) {
      case UP -> "up";
      case SUSPECT -> "suspect";
      case DOWN -> "DOWN";
      case QUARANTINED -> "quarantined";
      case NODE_STATE_UNSPECIFIED, UNRECOGNIZED -> "unknown";
    };
  }
}
