package org.weft.sysmgr.liveness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.FaultDomain;
import org.weft.protocol.rpc.Endpoint;
import org.weft.sysmgr.bladeset.BladeSetChange;
import org.weft.sysmgr.configuration.ConfigurationMachine;
import org.weft.sysmgr.configuration.Joins;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.NodeHistory;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.node.StartProof;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.volume.StepKind;
import org.weft.sysmgr.configuration.volume.Volume;

/** OSDs that SysMgr hears and managers cannot use (P 5.8). */
final class UnusableOsdsTest {
  private static final int OSDS = 5;
  private static final int SECONDS = 15;
  private static final Secret SECRET = Secret.of(HexFormat.of().parseHex("00".repeat(32)));

  private final ConfigurationMachine machine = new ConfigurationMachine();
  private final HeartbeatTable heartbeats = new HeartbeatTable();
  private final UnusableOsds unusable =
      new UnusableOsds(Optional.of(TimeUnit.SECONDS.toNanos(SECONDS)));

  /** By manager and OSD: since when it cannot use the OSD. */
  private final Map<Integer, Map<Integer, Long>> complaints = new TreeMap<>();

  /** By manager and OSD: since when it can use it again. */
  private final Map<Integer, Map<Integer, Long>> reached = new TreeMap<>();

  /** By manager: what came of its asking all OSDs. */
  private final Map<Integer, OsdLook> looks = new TreeMap<>();

  private final List<Integer> silentOsds = new ArrayList<>();
  private final List<Integer> silentManagers = new ArrayList<>();

  /** OSDs that do not hear what SysMgr says. */
  private final List<Integer> deafOsds = new ArrayList<>();

  private final Map<Integer, Long> quarantineKnown = new TreeMap<>();
  private final Map<Integer, Long> incarnations = new TreeMap<>();
  private final List<Command> done = new ArrayList<>();
  private long now = -TimeUnit.HOURS.toNanos(1);

  @BeforeEach
  void joinAll() {
    machine.apply(
        new Command.Format(new ClusterId("0".repeat(32)), "t", SECRET, "root", SECRET, 1));
    for (int osd = 1; osd <= OSDS; osd++) {
      incarnations.put(osd, 1L);
      join(osd);
    }
    for (int manager = 1; manager <= 2; manager++) {
      machine.apply(
          Joins.of(
              NodeKey.Kind.MANAGER,
              "manager-" + manager,
              "",
              0,
              List.of(new Endpoint("h", 7310 + manager)),
              "h",
              1,
              0,
              false,
              1));
      complaints.put(manager, new TreeMap<>());
      reached.put(manager, new TreeMap<>());
    }
    machine.apply(new Command.Acquire(new ManagerId(1), 1, 1, 1, Optional.empty()));
    machine.apply(
        new Command.Formatted(
            new ManagerId(1), Volume.ROOT, machine.state().volumes().get(Volume.ROOT).epoch()));
    addVolume();
    heartbeats.begin(machine.state(), now);
    pass(1);
  }

  /** Served by the second manager. */
  private void addVolume() {
    String bladeSet = Configuration.DEFAULT_BLADE_SET;
    machine.apply(new Command.CreateVolume("/second", 1, 0, 1, bladeSet, SECRET, 7, 1));
    assertEquals(Optional.of(new ManagerId(2)), second().owner());
  }

  private Volume second() {
    return machine.state().volumes().get(machine.state().volumes().lastKey());
  }

  private void deleteSecondVolume() {
    machine.apply(new Command.DeleteVolume("/second", 9, 1));
    machine.apply(
        new Command.Step(
            new ManagerId(1),
            second().id(),
            second().life().operation(),
            machine.state().volumes().get(Volume.ROOT).epoch(),
            StepKind.UNLINKED,
            ErrorCode.INTERNAL,
            "",
            1));
    assertEquals(1, machine.state().volumes().size());
  }

  private void join(int osd) {
    machine.apply(
        Joins.of(
            NodeKey.Kind.OSD,
            "osd-" + osd,
            "",
            0,
            List.of(new Endpoint("h", 7400 + osd)),
            "h",
            incarnations.get(osd),
            1,
            false,
            1));
    heartbeats.joined(NodeKey.of(new OsdId(osd)), incarnations.get(osd), now);
  }

  private OsdNode osd(int number) {
    return machine.state().osds().get(new OsdId(number));
  }

  private Liveness liveness(int number) {
    return osd(number).node().liveness();
  }

  private void cannotUse(int manager, int osd) {
    reached.get(manager).remove(osd);
    complaints.get(manager).put(osd, now);
  }

  private void canUse(int manager, int osd) {
    complaints.get(manager).remove(osd);
    reached.get(manager).put(osd, now);
  }

  /** Beats, judges and applies as a leader does, four times a second. */
  private void pass(double seconds) {
    long until = now + (long) (seconds * 1e9);
    while (now < until) {
      now += TimeUnit.MILLISECONDS.toNanos(250);
      for (int osd : incarnations.keySet()) {
        if (!silentOsds.contains(osd)) {
          beat(osd);
        }
      }
      for (int manager = 1; manager <= 2; manager++) {
        if (!silentManagers.contains(manager)) {
          heartbeats.heard(
              NodeKey.of(new ManagerId(manager)), 1, managersReport(manager), false, now);
        }
      }
      machine.apply(new Command.SetLiveness(heartbeats.judge(machine.state(), now), 1));
      unusable
          .judge(machine.state(), heartbeats, now, 1)
          .ifPresent(
              command -> {
                machine.apply(command);
                unusable.carriedOut(command, now);
                done.add(command);
              });
    }
  }

  private void beat(int number) {
    long known = quarantineKnown.getOrDefault(number, 0L);
    boolean refuses =
        known > osd(number).quarantine().number() || osd(number).quarantine().active();
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
            known,
            refuses,
            new TreeSet<>(),
            List.of(),
            "",
            List.of(),
            Optional.empty());
    heartbeats.heard(NodeKey.of(new OsdId(number)), incarnations.get(number), report, false, now);
    if (!deafOsds.contains(number)) {
      quarantineKnown.put(number, osd(number).toldQuarantine());
    }
  }

  private NodeReport managersReport(int manager) {
    List<OsdAccess> access = new ArrayList<>();
    complaints.get(manager).forEach((osd, since) -> access.add(word(osd, false, since)));
    reached.get(manager).forEach((osd, since) -> access.add(word(osd, true, since)));
    return new NodeReport(
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
        List.of(),
        "",
        access,
        Optional.ofNullable(looks.get(manager)));
  }

  private OsdAccess word(int osd, boolean usable, long since) {
    return new OsdAccess(
        new OsdId(osd), incarnations.get(osd), usable, now - since, "it waits", "no route");
  }

  @Test
  void anOsdUnusableForTheConfiguredTimeIsGivenUp() {
    cannotUse(1, 3);
    pass(SECONDS - 1);
    assertEquals(Liveness.UP, liveness(3));
    assertEquals(1, unusable.complaints(machine.state(), heartbeats).size());
    pass(3);
    assertEquals(Liveness.DOWN, liveness(3));
    assertEquals("manager 1: no route", osd(3).unusable().orElseThrow().why());
    assertTrue(unusable.complaints(machine.state(), heartbeats).isEmpty());
  }

  @Test
  void anUnusableOsdIsDownOnceItRefusesClients() {
    deafOsds.add(3);
    cannotUse(1, 3);
    pass(SECONDS + 1);
    assertTrue(osd(3).unusable().isPresent());
    assertEquals(Liveness.UP, liveness(3));
    deafOsds.clear();
    pass(1);
    assertEquals(Liveness.DOWN, liveness(3));
  }

  @Test
  void anOsdThatMissesItsQuarantineCountsAsSilent() {
    deafOsds.add(3);
    cannotUse(1, 3);
    pass(SECONDS + 5.5);
    assertEquals(Liveness.UP, liveness(3));
    pass(2);
    assertEquals(Liveness.DOWN, liveness(3));
  }

  @Test
  void aComplaintThatEndsInTimeChangesNothing() {
    cannotUse(1, 3);
    pass(SECONDS - 2);
    complaints.get(1).clear();
    pass(10);
    assertEquals(Liveness.UP, liveness(3));
    assertTrue(done.isEmpty());
  }

  @Test
  void aManagerThatCannotUseMostOsdsHasNoneGivenUp() {
    for (int osd = 1; osd <= 3; osd++) {
      cannotUse(1, osd);
    }
    pass(60);
    assertTrue(done.isEmpty());
    assertTrue(
        unusable
            .complaints(machine.state(), heartbeats)
            .get(0)
            .refusal()
            .orElseThrow()
            .contains("its own network"));
  }

  private void gaveNoSign(int manager, int... osds) {
    TreeMap<OsdId, OsdLook.Unreached> unreached = new TreeMap<>();
    for (int osd : osds) {
      unreached.put(new OsdId(osd), new OsdLook.Unreached(incarnations.get(osd), 1));
    }
    looks.put(manager, new OsdLook(false, unreached));
  }

  /** Only one of them is waited for, and the manager reaches hardly any. */
  @Test
  void silentOsdsCountEvenIfNothingWaitsForThem() {
    cannotUse(1, 3);
    gaveNoSign(1, 1, 3, 5);
    pass(60);
    assertTrue(done.isEmpty());
    assertTrue(
        unusable
            .complaints(machine.state(), heartbeats)
            .get(0)
            .refusal()
            .orElseThrow()
            .contains("its own network"));
  }

  /** The root volume goes to the second manager, its backup, which reaches all OSDs. */
  @Test
  void noOsdIsGivenUpForAPrimaryWhoseBackupReachesIt() {
    nameBackup();
    cannotUse(1, 3);
    gaveNoSign(1, 3);
    gaveNoSign(2);
    pass(SECONDS + 8);
    assertTrue(done.isEmpty());
    pass(4);
    assertTrue(
        osd(3).unusable().isPresent(), "the volume has not gone, and must not wait for ever");
  }

  @Test
  void anOsdIsGivenUpIfTheBackupLacksOneToo() {
    nameBackup();
    cannotUse(1, 3);
    gaveNoSign(1, 3);
    gaveNoSign(2, 5);
    pass(SECONDS + 1);
    assertTrue(osd(3).unusable().isPresent());
  }

  /** It answers, and does nothing that it is asked for: its backup would wait as it does. */
  @Test
  void aLivingOsdIsGivenUpThoughAnotherManagerReachesIt() {
    nameBackup();
    cannotUse(1, 3);
    gaveNoSign(1);
    gaveNoSign(2);
    pass(SECONDS + 1);
    assertTrue(osd(3).unusable().isPresent());
  }

  /** The first manager has the root volume alone. */
  private void nameBackup() {
    Volume root = machine.state().volumes().get(Volume.ROOT);
    machine.apply(
        new Command.SetBackup(
            new ManagerId(1), Volume.ROOT, root.epoch(), 1, Optional.of(new ManagerId(2))));
  }

  /** Of all OSDs it lacks few; of the BladeSet whose volume waits, most. */
  @Test
  void aManagerWithoutMostOfABladeSetIsNotBelieved() {
    machine.apply(
        new Command.ChangeBladeSet(new BladeSetChange.Create("other", FaultDomain.Wish.AUTO)));
    for (int osd = OSDS + 1; osd <= 3 * OSDS; osd++) {
      incarnations.put(osd, 1L);
      machine.apply(
          new Command.Join(
              NodeKey.Kind.OSD,
              "osd-" + osd,
              "",
              0,
              List.of(new Endpoint("h", 7400 + osd)),
              "h",
              1,
              1,
              false,
              1,
              "",
              StartProof.NONE,
              NodeHistory.NONE,
              "",
              "other"));
    }
    for (int osd = 1; osd <= 3; osd++) {
      cannotUse(1, osd);
    }
    assertEquals("other", osd(3 * OSDS).bladeSet());
    heartbeats.begin(machine.state(), now);
    pass(60);
    assertEquals(Liveness.UP, liveness(3 * OSDS));
    assertTrue(done.isEmpty());
  }

  @Test
  void anOsdIsNotGivenUpForWantOfASignAlone() {
    gaveNoSign(1, 3);
    pass(60);
    assertTrue(done.isEmpty());
    cannotUse(1, 3);
    pass(SECONDS + 2);
    assertEquals(Liveness.DOWN, liveness(3));
  }

  @Test
  void aSignThatAnEarlierStartDidNotGiveDoesNotCount() {
    gaveNoSign(1, 1, 3, 5);
    incarnations.put(1, 2L);
    join(1);
    pass(1);
    cannotUse(1, 3);
    pass(SECONDS + 2);
    assertEquals(Liveness.DOWN, liveness(3));
  }

  @Test
  void noOsdIsGivenUpBeforeAllWereAsked() {
    cannotUse(1, 3);
    looks.put(1, new OsdLook(true, new TreeMap<>()));
    pass(SECONDS + 5);
    assertTrue(done.isEmpty());
    gaveNoSign(1, 3);
    pass(2);
    assertEquals(Liveness.DOWN, liveness(3));
  }

  @Test
  void asManyOsdsAreGivenUpAsFilesBearTheLossOf() {
    cannotUse(1, 2);
    cannotUse(2, 4);
    pass(60);
    assertEquals(Liveness.DOWN, liveness(2));
    assertEquals(Liveness.UP, liveness(4));
    assertTrue(
        unusable
            .complaints(machine.state(), heartbeats)
            .get(0)
            .refusal()
            .orElseThrow()
            .contains("[2] are away already"));
  }

  @Test
  void noOsdIsGivenUpBesideADownOne() {
    silentOsds.add(5);
    pass(8);
    cannotUse(1, 2);
    pass(60);
    assertEquals(Liveness.UP, liveness(2));
    silentOsds.clear();
    pass(5);
    assertEquals(Liveness.DOWN, liveness(2));
  }

  @Test
  void theLastOsdIsNeverGivenUp() {
    for (int osd = 2; osd <= OSDS; osd++) {
      silentOsds.add(osd);
    }
    pass(8);
    cannotUse(1, 1);
    pass(60);
    assertEquals(Liveness.UP, liveness(1));
  }

  @Test
  void anOsdIsTakenBackOnceAllManagersCanUseIt() {
    cannotUse(1, 3);
    cannotUse(2, 3);
    pass(SECONDS + 3);
    assertEquals(Liveness.DOWN, liveness(3));
    canUse(1, 3);
    pass(30);
    assertEquals(Liveness.DOWN, liveness(3));
    canUse(2, 3);
    pass(4);
    assertEquals(Liveness.DOWN, liveness(3));
    pass(4);
    assertTrue(osd(3).unusable().isEmpty());
    assertEquals(1, osd(3).quarantine().number());
    assertEquals(Liveness.QUARANTINED, liveness(3));
  }

  @Test
  void theWordOfAManagerThatIsDownIsNotWaitedFor() {
    cannotUse(1, 3);
    cannotUse(2, 3);
    pass(SECONDS + 3);
    canUse(2, 3);
    silentManagers.add(1);
    pass(5);
    assertEquals(Liveness.DOWN, liveness(3));
    pass(5);
    assertEquals(Liveness.QUARANTINED, liveness(3));
  }

  @Test
  void managersWithoutAVolumeThereAreNotWaitedFor() {
    cannotUse(1, 3);
    cannotUse(2, 3);
    pass(SECONDS + 3);
    assertEquals(Liveness.DOWN, liveness(3));
    deleteSecondVolume();
    complaints.get(2).clear();
    canUse(1, 3);
    pass(8);
    assertEquals(Liveness.QUARANTINED, liveness(3));
  }

  @Test
  void withoutVolumesTheOsdIsTakenBackLater() {
    cannotUse(1, 3);
    pass(SECONDS + 3);
    assertEquals(Liveness.DOWN, liveness(3));
    complaints.get(1).clear();
    Configuration all = machine.state();
    Configuration without =
        new Configuration(
            all.cluster(),
            all.bladeSets(),
            all.osds(),
            all.managers(),
            new TreeMap<>(),
            all.partitions(),
            all.tableVersion(),
            all.partitionsVersion(),
            all.lastOsdId(),
            all.lastManagerId(),
            all.history(),
            all.sysmgr(),
            all.histories(),
            all.version(),
            all.nfs());
    long wanted = UnusableOsds.RETURN_NANOS;
    assertTrue(unusable.judge(without, heartbeats, now, 1).isEmpty());
    assertTrue(unusable.judge(without, heartbeats, now + wanted - 1, 1).isEmpty());
    assertEquals(
        Optional.of(new Command.SetUsable(new OsdId(3), 1)),
        unusable.judge(without, heartbeats, now + wanted, 1));
  }

  @Test
  void withoutManagersNoOsdIsTakenBack() {
    cannotUse(1, 3);
    pass(SECONDS + 3);
    silentManagers.addAll(List.of(1, 2));
    pass(60);
    assertEquals(Liveness.DOWN, liveness(3));
  }

  @Test
  void anOsdThatComesAndGoesIsLeftOutLongerEachTime() {
    List<Double> lengths = new ArrayList<>();
    for (int turn = 0; turn < 4; turn++) {
      cannotUse(1, 3);
      pass(SECONDS + 3);
      assertEquals(Liveness.DOWN, liveness(3));
      canUse(1, 3);
      long before = now;
      while (liveness(3) == Liveness.DOWN) {
        pass(0.25);
      }
      lengths.add((now - before) / 1e9);
    }
    for (int turn = 1; turn < 4; turn++) {
      assertTrue(lengths.get(turn) > 1.5 * lengths.get(turn - 1), lengths.toString());
    }
  }

  @Test
  void anOsdThatHasStartedAgainIsNotUnusableAnyMore() {
    cannotUse(1, 3);
    pass(SECONDS + 3);
    complaints.get(1).clear();
    incarnations.put(3, 2L);
    quarantineKnown.remove(3);
    join(3);
    pass(2);
    assertTrue(osd(3).unusable().isEmpty());
    assertEquals(Liveness.QUARANTINED, liveness(3));
    assertEquals(1, osd(3).quarantine().number());
  }

  @Test
  void anOsdThatJoinsAsTheSameStartStaysGivenUp() {
    cannotUse(1, 3);
    pass(SECONDS + 3);
    join(3);
    assertTrue(osd(3).unusable().isPresent());
    pass(2);
    assertEquals(Liveness.DOWN, liveness(3));
  }

  @Test
  void aComplaintOfAnEarlierStartSaysNothing() {
    cannotUse(1, 3);
    pass(SECONDS - 1);
    machine.apply(
        new Command.SetUnusable(
            new OsdId(3), 7, new TreeSet<>(List.of(new ManagerId(1))), "why", 1));
    assertTrue(osd(3).unusable().isEmpty());
  }

  @Test
  void aDisabledRuleGivesUpNoOsd() {
    UnusableOsds never = new UnusableOsds(Optional.empty());
    cannotUse(1, 3);
    complaints.get(1).put(3, now - TimeUnit.MINUTES.toNanos(10));
    pass(1);
    assertFalse(done.isEmpty());
    complaints.get(1).remove(3);
    complaints.get(1).put(4, now - TimeUnit.MINUTES.toNanos(10));
    heartbeats.heard(NodeKey.of(new ManagerId(1)), 1, managersReport(1), false, now);
    assertTrue(never.judge(machine.state(), heartbeats, now, 1).isEmpty());
  }
}
