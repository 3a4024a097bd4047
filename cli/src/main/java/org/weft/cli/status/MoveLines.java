package org.weft.cli.status;

import java.io.PrintWriter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.weft.cli.output.PrintableText;
import org.weft.protocol.wire.BalanceRow;
import org.weft.protocol.wire.BalanceState;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.RepairPauseRow;
import org.weft.protocol.wire.VolumeRow;

/**
 * Volumes that move, managers that are drained, OSDs that are balanced and rebuilds that pause, as
 * lines of the status.
 */
final class MoveLines {
  private MoveLines() {}

  static void print(ClusterTable table, PrintWriter out) {
    for (ManagerRow manager : table.getManagersList()) {
      if (manager.getDraining()) {
        long left =
            table.getVolumesList().stream()
                .filter(volume -> volume.getManagerId() == manager.getManagerId())
                .count();
        out.printf(
            "  drained   manager-%d, %d volumes are there still%n", manager.getManagerId(), left);
      }
    }
    for (BalanceRow balance : table.getBalancesList()) {
      boolean isPaused = balance.getState() == BalanceState.BALANCE_PAUSED;
      if (isPaused || balance.getState() == BalanceState.BALANCE_RUNNING) {
        out.printf(
            "  balance   BladeSet %s, round %d%s; `weft balance --status` shows how far it is%n",
            PrintableText.of(balance.getBladeSet()),
            balance.getRounds(),
            isPaused ? ", paused" : "");
      }
    }
    if (table.hasRepairPause()) {
      RepairPauseRow pause = table.getRepairPause();
      out.printf(
          "  rebuilds  paused until %s by %s: %s; `weft repair resume` ends that%n",
          Instant.ofEpochMilli(pause.getEndMillis()).truncatedTo(ChronoUnit.SECONDS),
          PrintableText.of(pause.getUser()),
          PrintableText.of(pause.getReason()));
    }
    for (VolumeRow volume : table.getVolumesList()) {
      if (volume.getMoveTo() != 0) {
        out.printf(
            "  move      volume %s, from manager-%d to manager-%d%s%n",
            PrintableText.of(volume.getPath()),
            volume.getManagerId(),
            volume.getMoveTo(),
            volume.getMoveFailure().isEmpty()
                ? ""
                : ": given up: " + PrintableText.of(volume.getMoveFailure()));
      }
    }
  }
}
