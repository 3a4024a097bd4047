package org.weft.sysmgr.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.EventMessage;
import org.weft.protocol.wire.PauseRepairsReply;
import org.weft.protocol.wire.PauseRepairsRequest;

/** Pauses of rebuilds as SysMgr keeps and ends them, on virtual time, with leaders that go. */
final class RepairPausesTest {
  private static final long MINUTE = TimeUnit.MINUTES.toMillis(1);

  private final SimulatedSysmgr sysmgr = new SimulatedSysmgr(17, 3);

  @BeforeEach
  void open() {
    sysmgr.awaitCluster();
  }

  private static PauseRepairsRequest.Builder request() {
    return PauseRepairsRequest.newBuilder().setUser("root").setReason("a switch");
  }

  private PauseRepairsReply change(int member, PauseRepairsRequest.Builder wanted)
      throws WeftException {
    return sysmgr.call(member, Opcode.PAUSE_REPAIRS, wanted.build(), PauseRepairsReply.parser());
  }

  private List<String> alerts(ClusterStatus status) {
    return status.getProblemsList().stream()
        .filter(each -> each.getName().equals("repair-paused"))
        .map(each -> each.getSeverity())
        .toList();
  }

  @Test
  void theNextLeaderKeepsAPauseAndEndsItInTime() throws Exception {
    PauseRepairsReply paused = change(1, request().setForMillis(2 * MINUTE));
    assertEquals("a switch", paused.getPause().getReason());
    assertEquals("root", paused.getPause().getUser());
    assertEquals(2 * MINUTE, paused.getPause().getEndMillis() - paused.getPause().getSinceMillis());
    sysmgr.replication.elect(2);
    sysmgr.seconds(60);
    ClusterStatus meanwhile = sysmgr.status(2);
    assertEquals(paused.getPause(), meanwhile.getTable().getRepairPause());
    assertEquals(List.of("warning"), alerts(meanwhile));
    sysmgr.seconds(70);
    ClusterStatus after = sysmgr.status(2);
    assertFalse(after.getTable().hasRepairPause(), "its time is over");
    assertEquals(List.of(), alerts(after));
    assertEquals(
        List.of("repair-paused by root", "repair-resumed by "),
        after.getLastEventsList().stream()
            .filter(each -> each.getKind().startsWith("repair-"))
            .map(RepairPausesTest::words)
            .toList());
  }

  private static String words(EventMessage event) {
    return event.getKind() + " by " + event.getUser();
  }

  @Test
  void aPauseWithoutALengthLastsADayOrUntilEnded() throws Exception {
    PauseRepairsReply paused = change(1, request());
    assertEquals(
        TimeUnit.DAYS.toMillis(1),
        paused.getPause().getEndMillis() - paused.getPause().getSinceMillis());
    assertFalse(change(1, request().setResume(true)).hasPause());
    assertFalse(sysmgr.status(1).getTable().hasRepairPause());
  }

  @Test
  void onlyTheSuperuserPausesAndOnlyWithAReason() {
    sysmgr.failure(
        ErrorCode.PERMISSION_DENIED,
        sysmgr.ask(1, Opcode.PAUSE_REPAIRS, request().setUser("eve").build(), null));
    String refused =
        sysmgr.failure(
            ErrorCode.INVALID_ARGUMENT,
            sysmgr.ask(1, Opcode.PAUSE_REPAIRS, request().setReason("").build(), null));
    assertTrue(refused.contains("--reason"), refused);
  }
}
