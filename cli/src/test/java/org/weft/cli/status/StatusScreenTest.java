package org.weft.cli.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.weft.protocol.wire.BackupState;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.Problem;
import org.weft.protocol.wire.RemovedManagerRow;
import org.weft.protocol.wire.RepairPauseRow;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.protocol.wire.VolumeRow;

class StatusScreenTest {
  @Test
  void controlsInNamesAndMessagesDoNotReachTheTerminal() {
    ClusterStatus status =
        ClusterStatus.newBuilder()
            .setTable(
                ClusterTable.newBuilder()
                    .setClusterName("weft\u001b[2J")
                    .addVolumes(VolumeRow.newBuilder().setPath("/a\n  volume /forged")))
            .addProblems(
                Problem.newBuilder()
                    .setSeverity("error")
                    .setWhat("client \u001b]0;x\u0007 waits")
                    .setAdvice("none\r"))
            .build();
    StringWriter text = new StringWriter();
    StatusScreen.print(status, "host:7300", new PrintWriter(text, true));
    String shown = text.toString();
    assertEquals(
        0, shown.chars().filter(c -> Character.isISOControl(c) && c != '\n').count(), () -> shown);
    assertTrue(shown.contains("volume /a\\u000a  volume /forged"), shown);
  }

  private static String volume(int backup, BackupState state) {
    ClusterStatus status =
        ClusterStatus.newBuilder()
            .setTable(
                ClusterTable.newBuilder()
                    .addVolumes(
                        VolumeRow.newBuilder()
                            .setVolumeId(1)
                            .setPath("/")
                            .setManagerId(1)
                            .setBackupId(backup)
                            .setEpoch(3)))
            .addVolumes(VolumeHealth.newBuilder().setVolumeId(1).setBackupState(state))
            .build();
    StringWriter text = new StringWriter();
    StatusScreen.print(status, "host:7300", new PrintWriter(text, true));
    return text.toString();
  }

  @Test
  void statusShowsTheBackupAndItsState() {
    assertContains(volume(2, BackupState.BACKUP_IN_STEP), "manager-1, backup manager-2 (in step)");
    assertContains(volume(0, BackupState.BACKUP_CATCHING_UP), "no backup yet (catching up)");
    assertContains(volume(0, BackupState.BACKUP_NONE), "owned by manager-1, no backup, epoch 3");
    assertContains(volume(2, BackupState.BACKUP_NONE), "manager-1, backup manager-2, epoch 3");
  }

  @Test
  void managersThatWereRemovedAreNamedInOneLine() {
    ClusterStatus status =
        ClusterStatus.newBuilder()
            .addRemovedManagers(RemovedManagerRow.newBuilder().setManagerId(3))
            .addRemovedManagers(RemovedManagerRow.newBuilder().setManagerId(7))
            .build();
    StringWriter text = new StringWriter();
    StatusScreen.print(status, "host:7300", new PrintWriter(text, true));
    assertContains(text.toString(), "  removed   manager-3, manager-7\n");
  }

  @Test
  void aPauseOfRebuildsIsShownWithItsEndAndReason() {
    ClusterStatus status =
        ClusterStatus.newBuilder()
            .setTable(
                ClusterTable.newBuilder()
                    .setRepairPause(
                        RepairPauseRow.newBuilder()
                            .setUser("anna")
                            .setReason("a switch")
                            .setEndMillis(1_800_007_200_000L)))
            .build();
    StringWriter text = new StringWriter();
    StatusScreen.print(status, "host:7300", new PrintWriter(text, true));
    assertContains(
        text.toString(), "  rebuilds  paused until 2027-01-15T10:00:00Z by anna: a switch;");
  }

  private static void assertContains(String shown, String part) {
    assertTrue(shown.contains(part), shown);
  }
}
