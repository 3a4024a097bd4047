package org.weft.sysmgr.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
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
import org.weft.protocol.wire.BackupState;
import org.weft.protocol.wire.RepairState;
import org.weft.protocol.wire.RepairsOfOsd;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.sysmgr.configuration.ConfigurationMachine;
import org.weft.sysmgr.configuration.Joins;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OpenVolumes;
import org.weft.sysmgr.configuration.state.PlacementOrders;
import org.weft.sysmgr.configuration.volume.Volume;
import org.weft.sysmgr.liveness.NodeReport;
import org.weft.sysmgr.liveness.OsdAccess;
import org.weft.sysmgr.liveness.UnusableOsds;
import org.weft.sysmgr.liveness.VolumeReport;

/** What a person is told. */
final class StatusRulesTest {
  private static final long NOW = 1_800_000_000_000L;
  private static final long GIB = 1L << 30;

  private final ConfigurationMachine machine = new ConfigurationMachine();
  private final SortedMap<NodeKey, NodeReport> reports = new TreeMap<>();
  private boolean leading = true;
  private final List<UnusableOsds.Complaint> complaints = new ArrayList<>();

  @BeforeEach
  void healthyCluster() {
    Secret secret = Secret.of(new byte[32]);
    machine.apply(
        new Command.Format(new ClusterId("0".repeat(32)), "t", secret, "root", secret, 1));
    for (int i = 1; i <= 4; i++) {
      join(NodeKey.Kind.OSD, i, "127.0.0.1", "host-" + i, 1, false);
      osdSays(i, GIB / 4, List.of(), "write-back");
    }
    join(NodeKey.Kind.MANAGER, 1, "127.0.0.1", "host-1", 0, false);
    machine.apply(new Command.Acquire(new ManagerId(1), 0, 1, NOW, Optional.empty()));
    managerSays("serving", 0, 0);
  }

  private void join(
      NodeKey.Kind kind,
      int number,
      String address,
      String host,
      long incarnation,
      boolean unclean) {
    machine.apply(
        Joins.of(
            kind,
            kind.word() + number,
            "",
            0,
            List.of(new Endpoint(address, 7000 + kind.ordinal() * 100 + number)),
            host,
            incarnation,
            GIB,
            unclean,
            NOW - 60_000));
  }

  private void osdSays(int id, long usedBytes, List<String> problems, String durability) {
    reports.put(
        new NodeKey(NodeKey.Kind.OSD, id),
        new NodeReport(
            1,
            GIB,
            usedBytes,
            GIB / 20,
            5,
            6,
            problems,
            durability,
            0,
            false,
            new TreeSet<>(),
            List.of(),
            "",
            List.of(),
            Optional.empty()));
  }

  private void managerSays(String state, long lagging, long unresolved) {
    managerSays(
        VolumeHealth.newBuilder()
            .setState(state)
            .setLaggingCopies(lagging)
            .setUnresolvedFiles(unresolved));
  }

  private void managerSays(VolumeHealth.Builder health) {
    VolumeReport volume =
        new VolumeReport(health.setVolumeId(Volume.ROOT.value()).setEpoch(1).build());
    reports.put(
        new NodeKey(NodeKey.Kind.MANAGER, 1),
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

  private void managerSays(BackupState state, int backup) {
    managerSays(serving().setBackupState(state).setBackupId(backup));
  }

  private static VolumeHealth.Builder serving() {
    return VolumeHealth.newBuilder().setState("serving");
  }

  private static VolumeHealth.Builder missing(
      long components, long files, Map<Integer, Long> osds) {
    VolumeHealth.Builder health = serving().setRepairComponents(components).setRepairFiles(files);
    osds.forEach(
        (osd, each) ->
            health.addRepairs(RepairsOfOsd.newBuilder().setOsdId(osd).setComponents(each)));
    return health;
  }

  private static VolumeHealth.Builder cleared(Map<Integer, Long> osds) {
    VolumeHealth.Builder health = serving();
    osds.forEach((osd, drain) -> health.addClearedOsd(osd).addClearedDrain(drain));
    return health;
  }

  private void judge(NodeKey.Kind kind, int id, Liveness liveness, boolean stopped) {
    NodeKey key = new NodeKey(kind, id);
    long incarnation = machine.state().node(key).orElseThrow().incarnation();
    machine.apply(
        new Command.SetLiveness(
            List.of(new Command.Judgement(key, incarnation, liveness, stopped, 0)), NOW - 300_000));
  }

  private StatusView view() {
    TreeMap<NodeKey, Long> silentMillis = new TreeMap<>();
    reports.keySet().forEach(node -> silentMillis.put(node, 400L));
    return new StatusView(
        machine.state(),
        reports,
        NOW,
        leading,
        List.of(new Endpoint("127.0.0.1", 7300)),
        complaints,
        silentMillis,
        clocksAhead,
        List.of());
  }

  private final java.util.SortedMap<NodeKey, Long> clocksAhead = new TreeMap<>();

  private List<String> said() {
    List<String> said = new ArrayList<>();
    for (Finding finding : StatusRules.findings(view())) {
      assertFalse(finding.advice().isBlank(), finding::what);
      said.add(finding.severity().word() + ": " + finding.what());
    }
    return said;
  }

  /** Names and subjects, as events and alerts tell findings apart. */
  private List<String> keys() {
    return StatusRules.findings(view()).stream().map(Finding::key).toList();
  }

  private void assertSaid(String... parts) {
    List<String> said = said();
    assertTrue(
        said.stream().anyMatch(text -> List.of(parts).stream().allMatch(text::contains)),
        () -> "no finding says " + List.of(parts) + " in " + said);
  }

  @Test
  void problemsThatDifferByFiguresAreOneAlert() {
    osdSays(
        1,
        0,
        List.of(
            "volume 1: part-7.0b3fc2aa._COPYING_, object 70001, waits",
            "volume 1: part-12.9d41eb00._COPYING_, object 80123, waits",
            "volume 1: report, object 3, waits"),
        "");
    List<String> subjects =
        StatusRules.findings(view()).stream()
            .filter(each -> each.name().equals("node-says"))
            .map(Finding::subject)
            .distinct()
            .toList();
    assertEquals(
        List.of("osd-1: volume #: #, object #, waits", "osd-1: volume #: report, object #, waits"),
        subjects);
  }

  @Test
  void aHealthyClusterHasNoProblems() {
    assertEquals(List.of(), said());
    assertEquals("write-back", StatusRules.durability(view()));
  }

  private List<Finding> paused() {
    return StatusRules.findings(view()).stream()
        .filter(finding -> finding.name().equals("repair-paused"))
        .toList();
  }

  @Test
  void aRebuildPauseIsAnErrorWhenDataIsAtRisk() {
    assertEquals(List.of(), paused());
    machine.apply(new Command.PauseRepairs("a switch", "anna", NOW, 7_200_000));
    assertEquals(Finding.Severity.WARNING, paused().get(0).severity());
    assertSaid("warning", "paused until 2027-01-15T10:00:00Z, by anna: a switch");
    assertTrue(paused().get(0).advice().contains("weft repair resume"));
    judge(NodeKey.Kind.OSD, 2, Liveness.DOWN, false);
    assertSaid("error", "OSDs [2] lack", "The loss of one more OSD of BladeSet default");
    machine.apply(new Command.ResumeRepairs(Command.ResumeRepairs.ANY));
    assertEquals(List.of(), paused());
  }

  @Test
  void componentsThatWaitForAPauseEndangerFilesAsLostOsdsDo() {
    machine.apply(new Command.PauseRepairs("a switch", "anna", NOW, 7_200_000));
    managerSays(missing(5, 4, Map.of(3, 5L)));
    assertSaid("error", "OSDs [3] lack");
  }

  @Test
  void aNewLeaderDoesNotLowerThePausesLevel() {
    machine.apply(new Command.PauseRepairs("a switch", "anna", NOW, 7_200_000));
    managerSays(missing(5, 4, Map.of(3, 5L)));
    assertEquals(Finding.Severity.ERROR, paused().get(0).severity());
    reports.clear();
    assertEquals(Finding.Severity.ERROR, paused().get(0).severity());
    assertSaid("error", "What files of volumes [/] lack is not known");
    managerSays("serving", 0, 0);
    assertEquals(Finding.Severity.WARNING, paused().get(0).severity());
  }

  @Test
  void anOpeningVolumeDoesNotLowerThePausesLevel() {
    machine.apply(new Command.PauseRepairs("a switch", "anna", NOW, 7_200_000));
    managerSays("recovering", 0, 0);
    assertEquals(Finding.Severity.ERROR, paused().get(0).severity());
    managerSays("serving", 0, 0);
    assertEquals(Finding.Severity.WARNING, paused().get(0).severity());
    machine.apply(new Command.Acquire(new ManagerId(1), 0, 2, NOW, Optional.empty()));
    assertEquals(Finding.Severity.ERROR, paused().get(0).severity(), "of the epoch before");
  }

  @Test
  void aRemovedOsdIsNotClearedBecauseNoManagerHasSaidSo() {
    judge(NodeKey.Kind.OSD, 4, Liveness.DOWN, true);
    machine.apply(new Command.RemoveOsd(new OsdId(4), true, PlacementOrders.NO_DRAIN));
    machine.apply(new Command.PauseRepairs("a switch", "anna", NOW, 7_200_000));
    assertSaid("error", "OSDs [4] lack");
    reports.clear();
    assertEquals(Finding.Severity.ERROR, paused().get(0).severity());
    managerSays(cleared(Map.of(4, 0L)));
    assertEquals(Finding.Severity.WARNING, paused().get(0).severity());
  }

  @Test
  void aLostOsdIsNamedWithItsTime() {
    judge(NodeKey.Kind.OSD, 2, Liveness.DOWN, false);
    assertSaid("error", "OSD 2", "host-2", "down since", "(5 min)", "silent");
    judge(NodeKey.Kind.OSD, 3, Liveness.DOWN, true);
    assertSaid("error", "OSD 3", "was stopped");
  }

  private void complain(Optional<String> refusal) {
    OsdAccess access =
        new OsdAccess(
            new OsdId(2),
            1,
            false,
            7_000_000_000L,
            "of volume 1, its start waits until the OSD refuses the manager before",
            "OSD 2, FENCE: no route to host");
    complaints.add(new UnusableOsds.Complaint(new ManagerId(1), access, refusal));
  }

  @Test
  void anUnusableOsdIsNamedWithBothSidesWords() {
    complain(Optional.empty());
    assertSaid(
        "warning",
        "Manager 1 cannot use OSD 2",
        "for 7 s",
        "no route to host",
        "of volume 1, its start waits",
        "127.0.0.1:7002",
        "SysMgr heard it 0.4 s ago");
  }

  @Test
  void theStatusSaysWhyAnOsdIsKept() {
    complain(Optional.of("OSDs [3] are away already"));
    assertTrue(StatusRules.findings(view()).get(0).advice().contains("OSDs [3] are away already"));
  }

  @Test
  void anOsdGivenUpForManagersIsNamedWithBothSidesWords() {
    machine.apply(
        new Command.SetUnusable(
            new OsdId(2),
            1,
            new TreeSet<>(List.of(new ManagerId(1))),
            "manager 1: no route to host",
            NOW - 300_000));
    judge(NodeKey.Kind.OSD, 2, Liveness.DOWN, false);
    assertSaid(
        "error",
        "OSD 2",
        "is given up since",
        "(5 min)",
        "SysMgr heard it 0.4 s ago",
        "manager 1: no route to host");
    assertTrue(said().stream().noneMatch(text -> text.contains("is down")));
  }

  @Test
  void theStatusSaysWhyAStoreTakesNoChanges() {
    NodeKey key = new NodeKey(NodeKey.Kind.OSD, 2);
    long incarnation = machine.state().node(key).orElseThrow().incarnation();
    Command.Judgement down =
        new Command.Judgement(
            key, incarnation, Liveness.DOWN, false, 0, 0, OpenVolumes.NONE, "writing failed: EIO");
    machine.apply(new Command.SetLiveness(List.of(down), NOW - 300_000));
    assertSaid("error", "OSD 2", "host-2", "down since", "no changes", "writing failed: EIO");
  }

  @Test
  void onlyFindingsOfThePresentDrainCount() {
    OsdId drained = new OsdId(3);
    machine.apply(new Command.DrainOsd(drained, true));
    long first = machine.state().history().placement().drainOf(drained);
    machine.apply(new Command.DrainOsd(drained, false));
    machine.apply(new Command.DrainOsd(drained, true));
    long second = machine.state().history().placement().drainOf(drained);
    saysCleared(3, first);
    String findings = StatusRules.findings(view()).toString();
    assertTrue(findings.contains("osd-3 is being drained"), findings);
    saysCleared(3, second);
    String later = StatusRules.findings(view()).toString();
    assertTrue(later.contains("osd-3 is drained: no file has anything on it"), later);
  }

  private void saysCleared(int osd, long drain) {
    managerSays(cleared(Map.of(osd, drain)));
  }

  @Test
  void aSuspectOsdIsAWarning() {
    judge(NodeKey.Kind.OSD, 2, Liveness.SUSPECT, false);
    assertSaid("warning", "OSD 2", "not been heard");
  }

  @Test
  void errorsComeFirst() {
    osdSays(1, GIB * 9 / 10, List.of(), "write-back");
    judge(NodeKey.Kind.OSD, 2, Liveness.DOWN, false);
    assertTrue(said().get(0).startsWith("error"));
  }

  @Test
  void theStatusWarnsOfFewerOsdsThanMetadataCopies() {
    judge(NodeKey.Kind.OSD, 1, Liveness.DOWN, true);
    judge(NodeKey.Kind.OSD, 2, Liveness.DOWN, true);
    assertSaid("warning", "2 OSDs are up", "3 copies");
    judge(NodeKey.Kind.OSD, 3, Liveness.DOWN, true);
    judge(NodeKey.Kind.OSD, 4, Liveness.DOWN, true);
    assertSaid("error", "No OSD is up");
  }

  private void codeOfVolume(int dataUnits, int parityUnits) {
    machine.apply(
        new Command.CreateVolume(
            "/wide",
            Math.max(1, parityUnits),
            dataUnits,
            parityUnits,
            "default",
            Secret.of(new byte[32]),
            77,
            NOW));
  }

  private boolean isSaid(String part) {
    return said().stream().anyMatch(text -> text.contains(part));
  }

  @Test
  void theStatusWarnsOfACodeOnAllRemainingOsds() {
    codeOfVolume(3, 1);
    assertSaid("warning", "New files of volume /wide are 3+1, on all 4 OSDs", "no spare");
    assertTrue(keys().contains("layout-without-spare volume /wide"), () -> keys().toString());
  }

  @Test
  void anOsdThatWasDrainedAndRemovedIsNoSpare() {
    codeOfVolume(2, 1);
    assertFalse(isSaid("no spare"));
    machine.apply(new Command.DrainOsd(new OsdId(4), true));
    assertTrue(isSaid("no spare"), "one that is drained is none");
    judge(NodeKey.Kind.OSD, 4, Liveness.DOWN, true);
    long drain = machine.state().history().placement().drainOf(new OsdId(4));
    machine.apply(new Command.RemoveOsd(new OsdId(4), false, drain));
    assertTrue(machine.state().history().placement().removed().contains(new OsdId(4)));
    assertSaid("warning", "New files of volume /wide are 2+1, on all 3 OSDs", "no spare");
  }

  @Test
  void filesThatWaitForASpareAreSaid() {
    managerSays(serving().setRepair(RepairState.newBuilder().setFilesToDo(7).setWithoutSpare(5)));
    assertSaid("warning", "5 files of volume / wait for a spare");
    assertTrue(keys().contains("rebuild-without-spare volume /"), () -> keys().toString());
  }

  @Test
  void theStatusSaysWhatIsRebuiltNext() {
    managerSays(serving().setRepair(RepairState.newBuilder().setFilesToDo(7).setEndangered(3)));
    assertSaid("warning", "7 files (0.0 MiB) are to do, first the 3 that tolerate no further loss");
  }

  @Test
  void theStatusWarnsOfASingleHost() {
    for (int i = 1; i <= 4; i++) {
      join(NodeKey.Kind.OSD, i, "127.0.0.1", "laptop", 2, false);
    }
    assertSaid("warning", "one host, laptop");
  }

  @Test
  void theStatusWarnsOfFullOsdsInTwoSteps() {
    osdSays(1, GIB * 9 / 10, List.of(), "write-back");
    assertSaid("warning", "OSD 1", "nearly full", "89 %");
    osdSays(1, GIB - GIB / 30, List.of(), "write-back");
    assertSaid("error", "OSD 1", "is full");
  }

  @Test
  void aManagerThatIsDownLeavesItsVolumeUnserved() {
    judge(NodeKey.Kind.MANAGER, 1, Liveness.DOWN, false);
    assertSaid("error", "Volume / is not served", "manager 1", "host-1");
  }

  @Test
  void theStatusNamesADownManagerWithoutVolumes() {
    join(NodeKey.Kind.MANAGER, 2, "127.0.0.1", "host-9", 0, false);
    judge(NodeKey.Kind.MANAGER, 2, Liveness.DOWN, false);
    assertSaid("warning", "Manager 2 (host host-9) is down", "serves no volume");
  }

  @Test
  void aVolumeThatWaitsSaysForWhat() {
    managerSays("waiting for OSDs: 2 of 3", 0, 0);
    assertSaid("warning", "Volume / is waiting for OSDs: 2 of 3");
    reports.remove(new NodeKey(NodeKey.Kind.MANAGER, 1));
    assertSaid("warning", "Volume / waits");
  }

  @Test
  void laggingCopiesAndUncheckedParityAreCounted() {
    managerSays("serving", 7, 3);
    assertSaid("warning", "7 metadata copies");
    assertSaid("warning", "3 files", "parity");
  }

  @Test
  void componentsThatWaitForTheirRepairAreCounted() {
    SortedMap<Integer, Long> byOsd = new TreeMap<>(Map.of(4, 9L, 2, 3L));
    managerSays(missing(12, 5, byOsd));
    assertSaid("warning", "12 components of 5 files wait for their repair", "OSDs [2, 4]");
  }

  @Test
  void aSecondManagerIsToldThatItHasNothingToDo() {
    join(NodeKey.Kind.MANAGER, 2, "127.0.0.1", "host-9", 0, false);
    assertSaid("warning", "Manager 2", "nothing to do");
  }

  private void backupIs(int manager) {
    machine.apply(
        new Command.SetBackup(
            new ManagerId(1),
            Volume.ROOT,
            machine.state().volumes().get(Volume.ROOT).epoch(),
            1,
            Optional.of(new ManagerId(manager))));
  }

  @Test
  void aVolumeWithoutABackupIsShownWithItsNextStep() {
    managerSays(BackupState.BACKUP_OFF, 0);
    assertEquals(List.of(), said(), "there is no other manager");
    join(NodeKey.Kind.MANAGER, 2, "127.0.0.1", "host-9", 0, false);
    assertNoBackup("on one manager.", "manager.backup=true");
    managerSays(BackupState.BACKUP_NONE, 0);
    assertNoBackup("on one manager.", "Start the other manager");
    managerSays(BackupState.BACKUP_CATCHING_UP, 2);
    assertNoBackup("is copied to manager 2", "by itself");
    backupIs(2);
    managerSays(BackupState.BACKUP_IN_STEP, 2);
    assertEquals(List.of(), said());
    join(NodeKey.Kind.MANAGER, 3, "127.0.0.1", "host-8", 0, false);
    assertEquals(List.of(), said(), "the third takes the place of the next that dies");
  }

  /** The primary may not know it yet, or have no other to take its place. */
  @Test
  void aDownBackupIsShownWithItsVolumes() {
    join(NodeKey.Kind.MANAGER, 2, "127.0.0.1", "host-9", 0, false);
    managerSays(BackupState.BACKUP_IN_STEP, 2);
    backupIs(2);
    assertEquals(List.of(), said());
    judge(NodeKey.Kind.MANAGER, 2, Liveness.DOWN, false);
    assertSaid("warning", "Manager 2 (host host-9) is down", "named as the backup of /,");
    assertTrue(keys().contains("manager-down manager-2"), () -> keys().toString());
  }

  private void assertNoBackup(String what, String advice) {
    assertTrue(
        StatusRules.findings(view()).stream()
            .anyMatch(
                finding ->
                    finding.what().startsWith("Volume / has no backup")
                        && finding.what().contains(what)
                        && finding.advice().contains(advice)),
        () -> "no such warning in " + StatusRules.findings(view()));
  }

  @Test
  void anUncleanReturnIsShownUntilManagersHaveCompared() {
    join(NodeKey.Kind.OSD, 5, "127.0.0.1", "host-3", 2, true);
    assertSaid("warning", "OSD 5", "without a clean stop");
    machine.apply(new Command.Formatted(new ManagerId(1), Volume.ROOT, 1));
    join(NodeKey.Kind.OSD, 3, "127.0.0.1", "host-3", 2, true);
    assertSaid("warning", "OSD 3", "in quarantine", "may be lost");
    machine.apply(readmit(3, 2));
    assertTrue(said().stream().noneMatch(said -> said.contains("OSD 3")), said()::toString);
  }

  private static Command readmit(int osd, long incarnation) {
    return new Command.Readmit(new ManagerId(1), Volume.ROOT, 1, new OsdId(osd), incarnation, 1);
  }

  @Test
  void aQuarantineSaysWhichManagersAreWaitedFor() {
    machine.apply(new Command.Formatted(new ManagerId(1), Volume.ROOT, 1));
    judge(NodeKey.Kind.OSD, 2, Liveness.DOWN, true);
    join(NodeKey.Kind.OSD, 2, "127.0.0.1", "host-2", 2, false);
    assertSaid("warning", "OSD 2", "in quarantine", "was away");
    Finding finding =
        StatusRules.findings(view()).stream()
            .filter(each -> each.what().contains("quarantine"))
            .findFirst()
            .orElseThrow();
    assertTrue(finding.advice().contains("/ (manager-1)."), finding::advice);
    judge(NodeKey.Kind.MANAGER, 1, Liveness.DOWN, false);
    finding =
        StatusRules.findings(view()).stream()
            .filter(each -> each.what().contains("quarantine"))
            .findFirst()
            .orElseThrow();
    assertTrue(finding.advice().contains("start manager-1"), finding::advice);
  }

  @Test
  void aNetworkBeyondThisMachineMustBeTrusted() {
    join(NodeKey.Kind.OSD, 3, "10.1.2.3", "host-3", 2, false);
    assertSaid("warning", "without encryption", "10.1.2.3");
  }

  @Test
  void problemsOfNodesAreShown() {
    osdSays(2, 0, List.of("segment 3 has a bad block"), "write-through");
    assertSaid("warning", "osd-2 says: segment 3 has a bad block");
    assertEquals("mixed: write-back, write-through", StatusRules.durability(view()));
  }

  @Test
  void aDownNodesLastReportIsMarkedAsSuch() {
    osdSays(2, 0, List.of("segment 3 has a bad block"), "write-through");
    judge(NodeKey.Kind.OSD, 2, Liveness.DOWN, false);
    assertSaid("warning", "osd-2 said before it fell silent: segment 3 has a bad block");
  }

  @Test
  void aMissingMajorityComesFirst() {
    leading = false;
    assertSaid("error", "no leader");
  }

  @Test
  void aClusterWithoutAManagerIsAnError() {
    ConfigurationMachine empty = new ConfigurationMachine();
    Secret secret = Secret.of(new byte[32]);
    empty.apply(new Command.Format(new ClusterId("0".repeat(32)), "t", secret, "root", secret, 1));
    StatusView view = new StatusView(empty.state(), new TreeMap<>(), NOW, true, List.of());
    List<String> said = StatusRules.findings(view).stream().map(Finding::what).toList();
    assertTrue(
        said.stream().anyMatch(text -> text.contains("No metadata manager")), said::toString);
    assertTrue(said.stream().anyMatch(text -> text.contains("No OSD is up")), said::toString);
  }
}
