package org.weft.sysmgr.liveness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.sysmgr.configuration.ConfigurationMachine;
import org.weft.sysmgr.configuration.Joins;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.Quarantine;

/** Silence and what follows from it (P 5.8). */
final class HeartbeatTableTest {
  private static final NodeKey OSD = new NodeKey(NodeKey.Kind.OSD, 1);
  private static final NodeKey MANAGER = new NodeKey(NodeKey.Kind.MANAGER, 1);
  private static final long START = -TimeUnit.HOURS.toNanos(1);

  private final ConfigurationMachine machine = new ConfigurationMachine();
  private final HeartbeatTable table = new HeartbeatTable();
  private long now = START;

  @BeforeEach
  void joinBoth() {
    Secret secret = Secret.of(HexFormat.of().parseHex("00".repeat(32)));
    machine.apply(
        new Command.Format(new ClusterId("0".repeat(32)), "t", secret, "root", secret, 1));
    join(OSD.kind(), 7400, 1);
    join(MANAGER.kind(), 7310, 0);
    table.begin(machine.state(), now);
  }

  private void join(NodeKey.Kind kind, int port, long incarnation) {
    machine.apply(
        Joins.of(
            kind,
            kind.word(),
            "",
            0,
            List.of(new Endpoint("h", port)),
            "h",
            incarnation,
            1,
            false,
            1));
  }

  private NodeReport report(long partitionsVersion) {
    return new NodeReport(
        partitionsVersion,
        1,
        0,
        0,
        0,
        0,
        List.of(),
        "",
        0,
        false,
        new TreeSet<>(),
        List.of(),
        "",
        List.of(),
        Optional.empty());
  }

  private void osdBeat(boolean leaving) {
    table.heard(OSD, 1, report(machine.state().partitionsVersion()), leaving, now);
  }

  /** Lets time pass in small steps, judging and applying as a leader does. */
  private void pass(double seconds, Runnable eachStep) {
    long until = now + (long) (seconds * 1e9);
    while (now < until) {
      now += TimeUnit.MILLISECONDS.toNanos(250);
      eachStep.run();
      judge();
    }
  }

  private void judge() {
    machine.apply(new Command.SetLiveness(table.judge(machine.state(), now), 1));
  }

  private Liveness state(NodeKey key) {
    return machine.state().node(key).orElseThrow().liveness();
  }

  @Test
  void aNodeThatIsHeardStaysUp() {
    pass(
        20,
        () -> {
          osdBeat(false);
          table.heard(MANAGER, 0, report(0), false, now);
        });
    assertEquals(Liveness.UP, state(OSD));
    assertEquals(Liveness.UP, state(MANAGER));
  }

  @Test
  void silenceIsSuspectAfterThreeSecondsAndDownAfterSix() {
    pass(2.75, () -> {});
    assertEquals(Liveness.UP, state(OSD));
    pass(0.5, () -> {});
    assertEquals(Liveness.SUSPECT, state(OSD));
    pass(2.5, () -> {});
    assertEquals(Liveness.SUSPECT, state(OSD));
    pass(0.5, () -> {});
    assertEquals(Liveness.DOWN, state(OSD));
    assertEquals(Liveness.DOWN, state(MANAGER));
  }

  @Test
  void aNewLeaderGivesEachNodeItsTimeButRaisesNoneUnheard() {
    pass(4, () -> {});
    assertEquals(Liveness.SUSPECT, state(OSD));
    table.begin(machine.state(), now);
    pass(2.5, () -> {});
    assertEquals(Liveness.SUSPECT, state(OSD));
    osdBeat(false);
    judge();
    assertEquals(Liveness.UP, state(OSD));
  }

  @Test
  void anOsdComesBackOnlyWithTheNewestPartitions() {
    pass(7, () -> {});
    assertEquals(Liveness.DOWN, state(OSD));
    table.heard(OSD, 1, report(0), false, now);
    judge();
    assertEquals(Liveness.DOWN, state(OSD));
    osdBeat(false);
    judge();
    assertEquals(Liveness.QUARANTINED, state(OSD));
  }

  @Test
  void anOsdIsUpOnceItKnowsItsQuarantineEnded() {
    pass(7, () -> {});
    osdBeat(false);
    judge();
    // No volume is formatted: no manager has to compare anything.
    Quarantine quarantine = machine.state().osds().get(OSD.osdId()).quarantine();
    assertEquals(1, quarantine.number());
    assertFalse(quarantine.active());
    pass(4, () -> osdBeat(false));
    assertEquals(Liveness.QUARANTINED, state(OSD));
    long version = machine.state().partitionsVersion();
    NodeReport refusing =
        new NodeReport(
            version,
            1,
            0,
            0,
            0,
            0,
            List.of(),
            "",
            1,
            true,
            new TreeSet<>(),
            List.of(),
            "",
            List.of(),
            Optional.empty());
    table.heard(OSD, 1, refusing, false, now);
    judge();
    assertEquals(Liveness.QUARANTINED, state(OSD));
    NodeReport serving =
        new NodeReport(
            version,
            1,
            0,
            0,
            0,
            0,
            List.of(),
            "",
            1,
            false,
            new TreeSet<>(),
            List.of(),
            "",
            List.of(),
            Optional.empty());
    table.heard(OSD, 1, serving, false, now);
    judge();
    assertEquals(Liveness.UP, state(OSD));
  }

  @Test
  void aNodeThatStopsIsDownAtOnceUntilItJoinsAgain() {
    osdBeat(true);
    judge();
    assertEquals(Liveness.DOWN, state(OSD));
    assertTrue(machine.state().node(OSD).orElseThrow().stopped());
    pass(3, () -> osdBeat(false));
    assertEquals(Liveness.DOWN, state(OSD));
    join(OSD.kind(), 7400, 2);
    table.joined(OSD, 2, now);
    judge();
    assertEquals(Liveness.UP, state(OSD));
  }

  private void osdSaysThatItsStoreHasFailed() {
    NodeReport report =
        new NodeReport(
            machine.state().partitionsVersion(),
            1,
            0,
            0,
            0,
            0,
            List.of(),
            "",
            0,
            false,
            new TreeSet<>(),
            List.of(),
            "disk: EIO",
            List.of(),
            Optional.empty());
    table.heard(OSD, 1, report, false, now);
  }

  @Test
  void aFailedStoreMakesItsOsdDownUntilRestart() {
    osdSaysThatItsStoreHasFailed();
    judge();
    assertEquals(Liveness.DOWN, state(OSD));
    assertEquals("disk: EIO", machine.state().node(OSD).orElseThrow().storeFailure());
    // Heartbeats of before come late, and to another leader.
    pass(3, () -> osdBeat(false));
    table.begin(machine.state(), now);
    pass(3, () -> osdBeat(false));
    assertEquals(Liveness.DOWN, state(OSD));
    pass(3, this::osdSaysThatItsStoreHasFailed);
    assertEquals(Liveness.DOWN, state(OSD));
    join(OSD.kind(), 7400, 2);
    table.joined(OSD, 2, now);
    judge();
    assertEquals(Liveness.UP, state(OSD));
    assertEquals(1, machine.state().osds().get(OSD.osdId()).quarantine().number());
  }

  @Test
  void aHeartbeatOfAnOlderIncarnationSaysNothing() {
    join(OSD.kind(), 7400, 2);
    table.joined(OSD, 2, now);
    pass(7, () -> osdBeat(false));
    assertEquals(Liveness.DOWN, state(OSD));
  }

  @Test
  void aLeaderThatStoodStillBlamesNoNode() {
    osdBeat(false);
    judge();
    now += TimeUnit.MINUTES.toNanos(1);
    judge();
    assertEquals(Liveness.UP, state(OSD));
    pass(2.5, () -> {});
    assertEquals(Liveness.UP, state(OSD));
    pass(4, () -> {});
    assertEquals(Liveness.DOWN, state(OSD));
  }

  /** A leader that reads late may not have read what the node sent. */
  @Test
  void silenceCountsForNothingWhileTheLeaderDoesNotKeepUp() {
    pass(1, () -> osdBeat(false));
    assertEquals(Liveness.UP, state(OSD));
    for (int second = 0; second < 20; second++) {
      now += TimeUnit.MILLISECONDS.toNanos(900);
      machine.apply(new Command.SetLiveness(table.judge(machine.state(), now, false), 1));
    }
    assertEquals(Liveness.UP, state(OSD));
    now += TimeUnit.MILLISECONDS.toNanos(250);
    judge();
    assertEquals(Liveness.DOWN, state(OSD), "what is silent when the leader keeps up is down");
  }

  @Test
  void aStoppingNodeIsDownEvenUnderALateLeader() {
    pass(1, () -> osdBeat(false));
    osdBeat(true);
    machine.apply(new Command.SetLiveness(table.judge(machine.state(), now, false), 1));
    assertEquals(Liveness.DOWN, state(OSD));
  }
}
