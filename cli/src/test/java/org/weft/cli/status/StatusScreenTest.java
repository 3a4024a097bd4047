package org.weft.cli.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.Problem;
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
}
