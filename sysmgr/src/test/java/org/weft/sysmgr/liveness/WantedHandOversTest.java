package org.weft.sysmgr.liveness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.ManagerId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.sysmgr.configuration.ConfigurationMachine;
import org.weft.sysmgr.configuration.Joins;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.volume.Volume;

/** Volumes whose primary does not reach OSDs that their backup reaches (P 6.2). */
final class WantedHandOversTest {
  private static final int OSDS = 6;
  private static final int SECONDS = 15;
  private static final Secret SECRET = Secret.of(HexFormat.of().parseHex("00".repeat(32)));

  private final ConfigurationMachine machine = new ConfigurationMachine();
  private final HeartbeatTable heartbeats = new HeartbeatTable();
  private WantedHandOvers wanted =
      new WantedHandOvers(new UnusableOsds(Optional.of(TimeUnit.SECONDS.toNanos(SECONDS))));

  /** By manager and OSD: since when the OSD gives the manager no sign of life. */
  private final Map<Integer, SortedMap<Integer, Long>> cuts = new TreeMap<>();

  /** Managers of an older release. */
  private final List<Integer> old = new ArrayList<>();

  private final List<Integer> silentManagers = new ArrayList<>();

  /** What the primary says of the volume; empty: nothing. */
  private String state = "serving";

  /** How long ago managers began the looks that they tell of. */
  private long lookAgeNanos = TimeUnit.SECONDS.toNanos(1);

  private final List<Integer> silentOsds = new ArrayList<>();
  private final List<WantedHandOvers.Wanted> asked = new ArrayList<>();
  private long now = -TimeUnit.HOURS.toNanos(1);
  private int number;

  /** Two managers: the first has the volume, and the second is its backup. */
  @BeforeEach
  void joinAll() {
    machine.apply(
        new Command.Format(new ClusterId("0".repeat(32)), "t", SECRET, "root", SECRET, 1));
    for (int osd = 1; osd <= OSDS; osd++) {
      join(NodeKey.Kind.OSD, osd, 7400 + osd);
    }
    for (int manager = 1; manager <= 2; manager++) {
      join(NodeKey.Kind.MANAGER, manager, 7310 + manager);
      cuts.put(manager, new TreeMap<>());
    }
    machine.apply(new Command.Acquire(new ManagerId(1), 1, 1, 1, Optional.empty()));
    machine.apply(new Command.Formatted(new ManagerId(1), Volume.ROOT, root().epoch()));
    heartbeats.begin(machine.state(), now);
    name(2);
    pass(2);
  }

  private void join(NodeKey.Kind kind, int id, int port) {
    String name = (kind == NodeKey.Kind.OSD ? "osd-" : "manager-") + id;
    List<Endpoint> addresses = List.of(new Endpoint("h", port));
    machine.apply(Joins.of(kind, name, "", 0, addresses, "h", 1, 1, false, 1));
  }

  private Volume root() {
    return machine.state().volumes().get(Volume.ROOT);
  }

  private ManagerId primary() {
    return root().owner().orElseThrow();
  }

  /** The primary has that manager as its backup. */
  private void name(int backup) {
    Optional<ManagerId> named = Optional.of(new ManagerId(backup));
    machine.apply(new Command.SetBackup(primary(), Volume.ROOT, root().epoch(), ++number, named));
    assertEquals(named, root().backup().manager());
  }

  private void cut(int manager, int... osds) {
    for (int osd : osds) {
      cuts.get(manager).put(osd, now);
    }
  }

  /** Beats and judges four times a second; managers look when they are asked, or lack an OSD. */
  private void pass(double seconds) {
    long until = now + (long) (seconds * 1e9);
    while (now < until) {
      now += TimeUnit.MILLISECONDS.toNanos(250);
      for (int osd = 1; osd <= OSDS; osd++) {
        if (!silentOsds.contains(osd)) {
          heard(NodeKey.of(new OsdId(osd)), Optional.empty());
        }
      }
      for (int manager = 1; manager <= 2; manager++) {
        if (!silentManagers.contains(manager)) {
          heard(NodeKey.of(new ManagerId(manager)), look(manager));
        }
      }
      machine.apply(new Command.SetLiveness(heartbeats.judge(machine.state(), now), 1));
      asked.addAll(wanted.judge(machine.state(), heartbeats, now));
    }
  }

  private void heard(NodeKey node, Optional<OsdLook> look) {
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
            node.equals(NodeKey.of(primary())) ? List.of(volume()) : List.of(),
            "",
            List.of(),
            look);
    heartbeats.heard(node, 1, report, false, now);
  }

  private VolumeReport volume() {
    return new VolumeReport(
        VolumeHealth.newBuilder()
            .setVolumeId(Volume.ROOT.value())
            .setEpoch(root().epoch())
            .setState(state)
            .build());
  }

  private Optional<OsdLook> look(int manager) {
    boolean looks = wanted.isToLook(new ManagerId(manager)) || !cuts.get(manager).isEmpty();
    if (!looks || old.contains(manager)) {
      return Optional.empty();
    }
    TreeMap<OsdId, OsdLook.Unreached> unreached = new TreeMap<>();
    cuts.get(manager)
        .forEach(
            (osd, since) -> unreached.put(new OsdId(osd), new OsdLook.Unreached(1, now - since)));
    return Optional.of(new OsdLook(false, unreached, Optional.of(lookAgeNanos)));
  }

  /** As the primary does when it is asked. */
  private void handOver() {
    WantedHandOvers.Wanted one = wanted.of(primary()).get(0);
    machine.apply(new Command.HandOver(one.volume(), one.epoch(), one.primary(), one.backup()));
    assertEquals(one.backup(), primary());
    name(one.primary().value());
  }

  private boolean isWanted() {
    return !wanted.of(primary()).isEmpty();
  }

  @Test
  void aVolumeGoesToABackupThatReachesMoreOsds() {
    cut(1, 1, 2, 3, 4);
    pass(SECONDS - 1);
    assertFalse(isWanted());
    pass(2);
    assertTrue(isWanted());
    assertEquals(1, asked.size());
    assertEquals(
        "manager-1 has not reached OSDs [1, 2, 3, 4] for 15 s, and manager-2 does",
        asked.get(0).why());
    pass(10);
    assertTrue(isWanted(), "it is asked until it has done so");
    assertEquals(1, asked.size(), "and that is noted once");
    handOver();
    pass(120);
    assertFalse(isWanted());
    assertEquals(1, asked.size());
  }

  @Test
  void managersLookWhileAPrimaryLacksAnOsd() {
    assertFalse(wanted.isToLook(new ManagerId(1)));
    assertFalse(wanted.isToLook(new ManagerId(2)));
    cut(1, 1);
    pass(1);
    assertTrue(wanted.isToLook(new ManagerId(1)));
    assertTrue(wanted.isToLook(new ManagerId(2)));
    cuts.get(1).clear();
    pass(1);
    assertFalse(wanted.isToLook(new ManagerId(2)));
  }

  /** What it said last is in the table of heartbeats still. */
  @Test
  void aRemovedManagerGetsNoVolumesAndNoRequests() {
    cut(1, 1);
    pass(1);
    assertTrue(wanted.isToLook(new ManagerId(2)));
    silentManagers.add(2);
    pass(8);
    machine.apply(
        new Command.SetBackup(primary(), Volume.ROOT, root().epoch(), ++number, Optional.empty()));
    machine.apply(new Command.RemoveManager(new ManagerId(2), 1));
    assertFalse(machine.state().managers().containsKey(new ManagerId(2)));
    cut(1, 2, 3, 4);
    pass(60);
    assertFalse(wanted.isToLook(new ManagerId(2)));
    assertTrue(asked.isEmpty());
  }

  /** No OSD is given up for a primary whose backup reaches it. */
  @Test
  void aVolumeGoesForASingleOsdThatItsBackupReaches() {
    cut(1, 1);
    pass(SECONDS + 1);
    assertTrue(isWanted());
  }

  /** It would wait in its fence for ever, and the primary serves names and most files. */
  @Test
  void aServedVolumeStaysIfItsBackupLacksAnOsd() {
    silentOsds.add(6);
    pass(8);
    cut(1, 1, 2);
    cut(2, 3);
    pass(300);
    assertTrue(asked.isEmpty());
    state = "fencing OSDs [1, 2]";
    pass(1);
    assertTrue(isWanted(), "the primary serves nothing either");
  }

  @Test
  void aVolumeGoesWhereFilesBearNoFurtherLoss() {
    silentOsds.add(6);
    pass(8);
    cut(1, 1);
    pass(SECONDS + 1);
    assertTrue(isWanted());
    assertTrue(asked.get(0).why().contains("[1]"), asked.get(0).why());
  }

  @Test
  void twoCutOffManagersDoNotExchangeVolumes() {
    cut(1, 1, 2, 3, 4);
    cut(2, 1, 2, 3, 4);
    pass(300);
    assertTrue(asked.isEmpty());
    cuts.get(2).clear();
    cut(2, 3, 4, 5, 6);
    pass(300);
    assertTrue(asked.isEmpty(), "as many others");
  }

  @Test
  void aBackupThatLacksFewerGetsTheVolumeAndKeepsIt() {
    cut(1, 1, 2, 3, 4);
    cut(2, 6);
    pass(SECONDS + 1);
    handOver();
    pass(600);
    assertEquals(1, asked.size());
  }

  /** It was asked, and died before it heard of it: it serves nothing before its fence is over. */
  @Test
  void aRestartedPrimaryIsAskedAgainAtOnce() {
    cut(1, 1, 2, 3, 4);
    pass(SECONDS + 1);
    assertEquals(1, asked.size());
    machine.apply(new Command.Acquire(new ManagerId(1), 1, 2, 1, Optional.empty()));
    state = "fencing OSDs [1, 2, 3, 4]";
    pass(1);
    assertTrue(isWanted());
    assertEquals(2, asked.size());
  }

  /** The backup was lost as the volume came to it, and the former primary is promoted again. */
  @Test
  void aWaitingVolumeGoesBackAtOnceTheFirstTime() {
    cut(1, 1, 2, 3, 4);
    pass(SECONDS + 1);
    handOver();
    cuts.values().forEach(SortedMap::clear);
    cut(2, 1, 2, 3, 4);
    state = "fencing OSDs [1, 2, 3, 4]";
    pass(SECONDS + 1);
    assertTrue(isWanted());
    handOver();
    cuts.values().forEach(SortedMap::clear);
    cut(1, 1, 2, 3, 4);
    pass(SECONDS + 60);
    assertFalse(isWanted(), "it has gone twice");
    pass(60);
    assertTrue(isWanted());
  }

  private Optional<String> part() {
    return wanted.part(machine.state(), heartbeats, root(), now);
  }

  /** Its host is cut off, and SysMgr reaches that by another network. */
  @Test
  void anIsolatedPrimaryHandsOverAtOnce() {
    assertTrue(part().isPresent());
    cut(1, 1, 2, 3, 4);
    lookAgeNanos = 0;
    pass(1);
    assertTrue(isWanted());
    assertTrue(asked.get(0).why().startsWith("manager-1 reaches neither its backup nor OSDs"));
    assertTrue(part().isPresent(), "the row keeps the backup until the volume has gone");
    handOver();
    pass(30);
    assertEquals(1, asked.size());
  }

  @Test
  void aPrimaryWithAllOsdsButNoBackupServesAlone() {
    assertTrue(part().isPresent(), "it has not looked yet");
    pass(1);
    assertEquals(Optional.empty(), part());
    assertTrue(asked.isEmpty());
  }

  /** A look of before the cut says that all is well. */
  @Test
  void looksOfBeforeTheBackupWasLostCountForNothing() {
    lookAgeNanos = TimeUnit.SECONDS.toNanos(6);
    cut(1);
    assertTrue(part().isPresent());
    pass(4);
    assertTrue(part().isPresent());
    lookAgeNanos = 0;
    pass(1);
    assertEquals(Optional.empty(), part());
  }

  @Test
  void aPrimaryGoesOnAloneWhereItsBackupIsNotHeard() {
    silentManagers.add(2);
    pass(2);
    assertEquals(Optional.empty(), part());
  }

  @Test
  void aPrimaryGoesOnAloneWhereItsBackupReachesNoMore() {
    assertTrue(part().isPresent());
    cut(1, 1, 2, 3, 4);
    cut(2, 1, 2, 3, 4);
    lookAgeNanos = 0;
    pass(1);
    assertEquals(Optional.empty(), part());
    assertTrue(asked.isEmpty());
  }

  /** One of the two does not say what it reaches, or does not obey. */
  @Test
  void aPartedPrimaryIsAnsweredAfterItsPatience() {
    old.add(2);
    cut(1, 1, 2, 3, 4);
    assertTrue(part().isPresent());
    pass(11);
    assertTrue(part().isPresent());
    pass(2);
    assertEquals(Optional.empty(), part());
    old.clear();
    lookAgeNanos = 0;
    pass(1);
    assertTrue(part().isPresent());
    pass(5);
    assertEquals(Optional.empty(), part(), "it was asked, and has not handed over");
  }

  @Test
  void anUnsteadyNetworkMovesAVolumeEverMoreRarely() {
    long sinceNanos = now;
    List<Long> gaps = new ArrayList<>();
    for (int turn = 0; turn < 7; turn++) {
      cuts.values().forEach(SortedMap::clear);
      cut(primary().value(), 1, 2, 3, 4);
      int before = asked.size();
      while (asked.size() == before) {
        pass(1);
      }
      gaps.add(TimeUnit.NANOSECONDS.toSeconds(now - sinceNanos));
      sinceNanos = now;
      handOver();
    }
    assertTrue(gaps.get(0) < SECONDS + 3, gaps.toString());
    assertTrue(gaps.get(1) >= 60, gaps.toString());
    assertTrue(gaps.get(2) >= 120, gaps.toString());
    assertTrue(gaps.get(6) >= 600 && gaps.get(6) < 610, gaps.toString());
  }

  @Test
  void aManagerOfAnOlderReleaseGetsNothingAndGivesNothing() {
    cut(1, 1, 2, 3, 4);
    old.add(2);
    pass(60);
    assertTrue(asked.isEmpty());
    old.set(0, 1);
    pass(60);
    assertTrue(asked.isEmpty());
  }

  @Test
  void noVolumeGoesToABackupThatIsNotHeard() {
    cut(1, 1, 2, 3, 4);
    pass(SECONDS - 2);
    silentManagers.add(2);
    pass(4);
    assertFalse(isWanted());
  }

  @Test
  void noVolumeGoesWhereNoOsdIsEverGivenUp() {
    wanted = new WantedHandOvers(new UnusableOsds(Optional.empty()));
    cut(1, 1, 2, 3, 4);
    pass(60);
    assertTrue(asked.isEmpty());
  }

  @Test
  void aVolumeWithoutABackupStays() {
    machine.apply(
        new Command.SetBackup(primary(), Volume.ROOT, root().epoch(), ++number, Optional.empty()));
    cut(1, 1, 2, 3, 4);
    pass(60);
    assertTrue(asked.isEmpty());
  }

  @Test
  void aNewLeaderAsksAgain() {
    cut(1, 1, 2, 3, 4);
    pass(SECONDS + 1);
    wanted.begin();
    assertFalse(isWanted());
    assertFalse(wanted.isToLook(new ManagerId(2)));
    pass(1);
    assertTrue(isWanted());
  }
}
