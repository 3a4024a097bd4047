package org.weft.sysmgr.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.wire.DrainWaitRow;
import org.weft.protocol.wire.RepairState;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.sysmgr.configuration.ConfigurationMachine;
import org.weft.sysmgr.configuration.Joins;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.state.PlacementOrders;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.liveness.NodeReport;
import org.weft.sysmgr.liveness.VolumeReport;
import org.weft.sysmgr.status.DrainWait.Reason;

/** Why a drain waits is said, of an OSD's and of a manager's. */
class DrainWaitsTest {
  private static final long NOW = 1_800_000_000_000L;
  private static final OsdId DRAINED = new OsdId(3);
  private static final ManagerId OWNER = new ManagerId(1);
  private static final ManagerId OTHER = new ManagerId(2);

  private final ConfigurationMachine machine = new ConfigurationMachine();
  private final SortedMap<NodeKey, NodeReport> reports = new TreeMap<>();

  @BeforeEach
  void aDrainedOsdOfFour() {
    Secret secret = Secret.of(new byte[32]);
    machine.apply(
        new Command.Format(new ClusterId("0".repeat(32)), "t", secret, "root", secret, 1));
    for (int number = 1; number <= 4; number++) {
      join(NodeKey.Kind.OSD, number);
    }
    join(NodeKey.Kind.MANAGER, 1);
    join(NodeKey.Kind.MANAGER, 2);
    machine.apply(new Command.Acquire(OWNER, 1, 1, NOW, Optional.empty()));
    machine.apply(new Command.DrainOsd(DRAINED, true));
    says(RepairState.getDefaultInstance());
  }

  private void join(NodeKey.Kind kind, int number) {
    machine.apply(
        Joins.of(
            kind,
            kind.word() + number,
            "",
            0,
            List.of(new Endpoint("127.0.0.1", 7000 + kind.ordinal() * 100 + number)),
            "host-" + number,
            1,
            1L << 30,
            false,
            NOW - 60_000));
  }

  private void judge(NodeKey key, Liveness liveness) {
    long incarnation = machine.state().node(key).orElseThrow().incarnation();
    machine.apply(
        new Command.SetLiveness(
            List.of(new Command.Judgement(key, incarnation, liveness, false, 0)), NOW));
  }

  private void says(RepairState rebuild) {
    says("serving", rebuild, new TreeMap<>());
  }

  private void saysNothingOfRebuilds() {
    says("serving", VolumeHealth.newBuilder());
  }

  private void says(String state, RepairState rebuild, Map<Integer, Long> cleared) {
    VolumeHealth.Builder health = VolumeHealth.newBuilder().setRepair(rebuild);
    cleared.forEach((osd, drain) -> health.addClearedOsd(osd).addClearedDrain(drain));
    says(state, health);
  }

  /** What the manager of the root volume says of it. */
  private void says(String state, VolumeHealth.Builder health) {
    VolumeReport volume =
        new VolumeReport(
            health.setVolumeId(Volume.ROOT.value()).setEpoch(1).setState(state).build());
    reports.put(
        NodeKey.of(OWNER),
        new NodeReport(
            0,
            0,
            0,
            0,
            0,
            0,
            List.of(),
            "",
            0,
            false,
            new TreeSet<>(),
            List.of(volume),
            "",
            List.of(),
            Optional.empty()));
  }

  private StatusView view() {
    return new StatusView(
        machine.state(), reports, NOW, true, List.of(new Endpoint("127.0.0.1", 7300)));
  }

  private List<DrainWait> waits() {
    return DrainWaits.of(view());
  }

  private DrainWait only() {
    List<DrainWait> waits = waits();
    assertEquals(1, waits.size(), waits::toString);
    return waits.get(0);
  }

  private Finding finding(String name) {
    return StatusRules.findings(view()).stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aDrainThatGoesOnWaitsForNothing() {
    says(RepairState.newBuilder().setFilesToDo(7).setBytesToDo(1).build());
    assertEquals(List.of(), waits());
    assertTrue(!finding("osd-draining").what().contains("waits"), finding("osd-draining")::what);
  }

  @Test
  void aDrainThatHasEndedWaitsForNothing() {
    judge(NodeKey.of(new OsdId(4)), Liveness.DOWN);
    long drain = machine.state().history().placement().drainOf(DRAINED);
    says("serving", RepairState.getDefaultInstance(), Map.of(DRAINED.value(), drain));
    assertEquals(List.of(), waits());
  }

  @Test
  void filesWithoutAnotherOsdAreCountedWithTheRemainingOsds() {
    says(RepairState.newBuilder().setFilesToDo(7).setFailed(5).setWithoutSpare(5).build());
    DrainWait wait = only();
    assertEquals(Reason.NO_OSD_LEFT, wait.reason());
    assertEquals(5, wait.files());
    assertEquals("/", wait.volume());
    assertTrue(wait.what().contains("3 of BladeSet default are up and not drained"), wait::what);
    String said = finding("osd-draining").what();
    assertTrue(said.contains("It waits: 5 files of volume / find no other OSD"), said);
    String advice = finding("osd-draining").advice();
    assertTrue(advice.contains("Add an OSD to BladeSet default"), advice);
  }

  @Test
  void filesThatAreWrittenAndFilesThatFailedAreTold() {
    says(
        RepairState.newBuilder()
            .setFilesToDo(9)
            .setWaiting(2)
            .setFailed(3)
            .setWithoutSpare(1)
            .setBeyond(4)
            .build());
    assertEquals(
        List.of(Reason.NO_OSD_LEFT, Reason.FILES_IN_USE, Reason.COPY_FAILED, Reason.FILES_LOST),
        waits().stream().map(DrainWait::reason).toList());
    assertEquals(List.of(1L, 2L, 2L, 4L), waits().stream().map(DrainWait::files).toList());
  }

  @Test
  void downOsdsAreNamedEvenIfTheManagerIsDone() {
    judge(NodeKey.of(new OsdId(4)), Liveness.DOWN);
    assertEquals(Reason.OSD_DOWN, only().reason());
    assertEquals(new TreeSet<>(List.of(new OsdId(4))), only().osds());
    DrainWaitRow row = only().toMessage();
    assertEquals("osd-3", row.getSubject());
    assertEquals("osd-down", row.getReason());
    assertEquals(List.of(4), row.getOsdList());
    machine.apply(new Command.RemoveOsd(new OsdId(4), true, PlacementOrders.NO_DRAIN));
    assertEquals(List.of(), waits(), "it is not asked any more");
  }

  @Test
  void silentUpOsdsAreNamedLast() {
    RepairState.Builder asking = RepairState.newBuilder().addUnheardOsd(2).setFilesToDo(1);
    says(asking.build());
    assertEquals(List.of(), waits(), "a file is being copied");
    says(asking.setWaiting(1).build());
    assertEquals(
        List.of(Reason.FILES_IN_USE, Reason.OSD_UNHEARD),
        waits().stream().map(DrainWait::reason).toList());
    says(asking.setFilesToDo(0).setWaiting(0).build());
    assertEquals(Reason.OSD_UNHEARD, only().reason());
    assertEquals(new TreeSet<>(List.of(new OsdId(2))), only().osds());
    assertTrue(finding("osd-draining").what().contains("OSDs [2] have yet to say"));
    judge(NodeKey.of(new OsdId(2)), Liveness.DOWN);
    assertEquals(Reason.OSD_DOWN, only().reason(), "that is why");
  }

  @Test
  void aManagerWithoutProgressIsNamed() {
    saysNothingOfRebuilds();
    assertEquals(Reason.NOT_BEGUN, only().reason());
    assertEquals("/", only().volume());
    assertTrue(finding("osd-draining").advice().contains("repair.files-at-once"));
    judge(NodeKey.of(new OsdId(4)), Liveness.DOWN);
    assertEquals(Reason.OSD_DOWN, only().reason(), "it may have all that it can have");
  }

  @Test
  void aVolumeThatIsNotServedAndAPauseAreTold() {
    says("recovering", RepairState.getDefaultInstance(), Map.of());
    assertEquals(Reason.VOLUME_NOT_SERVED, only().reason());
    reports.clear();
    assertEquals(Reason.VOLUME_NOT_SERVED, only().reason());
    says(RepairState.getDefaultInstance());
    machine.apply(new Command.PauseRepairs("a switch", "anna", NOW, 7_200_000));
    assertEquals(Reason.PAUSED, only().reason());
  }

  @Test
  void aManagersDrainTellsWhichVolumesStayAndWhy() {
    machine.apply(new Command.DrainOsd(DRAINED, false));
    machine.apply(new Command.Formatted(OWNER, Volume.ROOT, 1));
    machine.apply(new Command.DrainManager(OWNER, true));
    assertEquals(List.of(), waits(), "it moves");
    judge(NodeKey.of(OTHER), Liveness.DOWN);
    assertEquals(Reason.NO_MANAGER_LEFT, only().reason());
    assertEquals("manager-1", only().subject());
    Finding said = finding("manager-drain-waits");
    assertTrue(said.what().contains("no other manager is up and not drained"), said::what);
    assertTrue(said.advice().contains("weft manager undrain manager-1"), said::advice);
    judge(NodeKey.of(OTHER), Liveness.UP);
    machine.apply(new Command.MoveVolume("/", OTHER, NOW));
    machine.apply(new Command.EndMove(Volume.ROOT, OTHER, "it did not answer"));
    assertEquals(Reason.MOVE_FAILED, only().reason());
    assertTrue(only().what().contains("it did not answer"), only()::what);
    judge(NodeKey.of(OWNER), Liveness.DOWN);
    assertEquals(Reason.MANAGER_DOWN, only().reason());
  }
}
