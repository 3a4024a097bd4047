package org.weft.sysmgr.configuration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.layout.FaultDomain;
import org.weft.protocol.rpc.Endpoint;
import org.weft.sysmgr.balance.Balance;
import org.weft.sysmgr.bladeset.BladeSet;
import org.weft.sysmgr.bladeset.BladeSetChange;
import org.weft.sysmgr.configuration.cluster.Event;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.Liveness;
import org.weft.sysmgr.configuration.node.NodeHistory;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.node.StartProof;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.state.PlacementOrders;
import org.weft.sysmgr.configuration.stored.CommandCodec;
import org.weft.sysmgr.configuration.stored.SnapshotCodec;
import org.weft.sysmgr.configuration.volume.Volume;

/** What may become of BladeSets (P 4.5). */
final class BladeSetRuleTest {
  private static final String DEFAULT = Configuration.DEFAULT_BLADE_SET;
  private static final OsdId FIRST = new OsdId(1);
  private static final OsdId SECOND = new OsdId(2);

  private ConfigurationMachine machine = new ConfigurationMachine();
  private int joined;

  @BeforeEach
  void start() {
    machine.apply(
        new Command.Format(
            new ClusterId("00112233445566778899aabbccddeeff"),
            "test",
            Secret.of(new byte[64]),
            "root",
            Secret.of(new byte[32]),
            1));
    for (int i = 0; i < 4; i++) {
      join("", "");
    }
  }

  private CommandResult join(String rack, String bladeSet) {
    joined++;
    return machine.apply(
        new Command.Join(
            NodeKey.Kind.OSD,
            "o" + joined,
            "",
            0,
            List.of(new Endpoint("127.0.0.1", 7400 + joined)),
            "host-" + joined,
            1,
            0,
            false,
            1,
            "",
            StartProof.NONE,
            NodeHistory.NONE,
            rack,
            bladeSet));
  }

  private CommandResult change(BladeSetChange change) {
    return machine.apply(new Command.ChangeBladeSet(change));
  }

  private void done(BladeSetChange change) {
    assertEquals(new CommandResult.Done(), change(change));
  }

  private String refused(ErrorCode code, BladeSetChange change) {
    Configuration before = machine.state();
    CommandResult.Refused refused = assertInstanceOf(CommandResult.Refused.class, change(change));
    assertEquals(code, refused.code(), refused.message());
    assertSame(before, machine.state());
    return refused.message();
  }

  private void create(String name) {
    done(new BladeSetChange.Create(name, FaultDomain.Wish.AUTO));
  }

  private void makeVolume(String bladeSet) {
    ConfigurationDraft draft = new ConfigurationDraft(machine.state());
    PartitionId id = draft.issueVolumeId();
    draft.volumes.put(id, Volume.root(bladeSet));
    machine = new ConfigurationMachine(draft.freeze());
  }

  private static BladeSetChange.Grow grow(String name, OsdId... osds) {
    return new BladeSetChange.Grow(name, new TreeSet<>(List.of(osds)));
  }

  private String setOf(OsdId osd) {
    return machine.state().osds().get(osd).bladeSet();
  }

  private Set<OsdId> coming(String name) {
    return machine.state().bladeSets().get(name).coming();
  }

  @Test
  void aNameIsCheckedAndARepeatChangesNothing() {
    create("fast");
    create("fast");
    String bad = refused(ErrorCode.INVALID_ARGUMENT, new BladeSetChange.Create("a b", AUTO));
    assertTrue(bad.contains("'a b'"), bad);
    String other =
        refused(ErrorCode.EXISTS, new BladeSetChange.Create("fast", FaultDomain.Wish.RACK));
    assertTrue(other.contains("weft bladeset set"), other);
    for (int i = machine.state().bladeSets().size(); i < BladeSetRule.MAX_BLADE_SETS; i++) {
      create("set-" + i);
    }
    refused(ErrorCode.NO_SPACE, new BladeSetChange.Create("more", AUTO));
  }

  private static final FaultDomain.Wish AUTO = FaultDomain.Wish.AUTO;

  @Test
  void aNewOsdJoinsOnlyAnExistingBladeSet() {
    CommandResult.Refused refused = assertInstanceOf(CommandResult.Refused.class, join("", "fast"));
    assertTrue(refused.message().contains("weft bladeset create fast"), refused::message);
    create("fast");
    join("r1", "fast");
    OsdNode osd = machine.state().osds().get(new OsdId(5));
    assertEquals("fast", osd.bladeSet());
    assertEquals("r1", osd.rack());
    // It stays where it is, whatever its configuration says later; its rack may change.
    machine.apply(
        new Command.Join(
            NodeKey.Kind.OSD,
            osd.node().identity(),
            "",
            5,
            osd.node().addresses(),
            "host-5",
            2,
            0,
            false,
            2,
            "",
            StartProof.NONE,
            NodeHistory.NONE,
            "r2",
            "nowhere"));
    assertEquals("fast", setOf(new OsdId(5)));
    assertEquals("r2", machine.state().osds().get(new OsdId(5)).rack());
  }

  @Test
  void aUsedOsdMovesOnceAllManagersCallItEmpty() {
    create("fast");
    done(grow("fast", FIRST));
    assertEquals(DEFAULT, setOf(FIRST), "it may hold something");
    assertEquals(Set.of(FIRST), coming("fast"));
    long drain = machine.state().history().placement().drainOf(FIRST);
    refused(ErrorCode.NOT_FOUND, new BladeSetChange.Arrive("fast", FIRST, drain + 1));
    refused(
        ErrorCode.NOT_FOUND, new BladeSetChange.Arrive("fast", FIRST, PlacementOrders.NO_DRAIN));
    refused(ErrorCode.NOT_FOUND, new BladeSetChange.Arrive(DEFAULT, FIRST, drain));
    done(grow("fast", FIRST));
    assertEquals(drain, machine.state().history().placement().drainOf(FIRST), "a repeat");
    done(new BladeSetChange.Arrive("fast", FIRST, drain));
    assertEquals("fast", setOf(FIRST));
    assertEquals(Set.of(), coming("fast"));
    assertEquals(Set.of(), machine.state().history().placement().drainingOsds());
    refused(ErrorCode.NOT_FOUND, new BladeSetChange.Arrive("fast", FIRST, drain));
  }

  @Test
  void anOsdThatIsDrainedNoMoreDoesNotCome() {
    create("fast");
    done(grow("fast", FIRST));
    machine.apply(new Command.DrainOsd(FIRST, false));
    assertEquals(Set.of(), coming("fast"));
    machine.apply(new Command.DrainOsd(FIRST, true));
    long drain = machine.state().history().placement().drainOf(FIRST);
    refused(ErrorCode.NOT_FOUND, new BladeSetChange.Arrive("fast", FIRST, drain));
  }

  @Test
  void aBladeSetWithVolumesKeepsTwoOsds() {
    create("fast");
    done(grow("fast", FIRST, SECOND));
    String refused = refused(ErrorCode.INVALID_ARGUMENT, grow("fast", new OsdId(3)));
    assertTrue(refused.contains("directories need 2"), refused);
  }

  @Test
  void anOsdMovesAtOnceWithoutVolumes() {
    create("fast");
    create("slow");
    join("", "fast");
    done(grow("slow", new OsdId(5)));
    assertEquals("slow", setOf(new OsdId(5)));
    makeVolume("slow");
    String refused = refused(ErrorCode.INVALID_ARGUMENT, grow("fast", new OsdId(5)));
    assertTrue(refused.contains("cannot be drained"), refused);
  }

  @Test
  void anOsdThatIsNotUpDoesNotMove() {
    create("fast");
    machine.apply(
        new Command.SetLiveness(
            List.of(new Command.Judgement(NodeKey.of(FIRST), 1, Liveness.DOWN, true, 0)), 6));
    assertTrue(refused(ErrorCode.INVALID_ARGUMENT, grow("fast", FIRST)).contains("DOWN"));
    refused(ErrorCode.NOT_FOUND, grow("fast", new OsdId(77)));
    refused(ErrorCode.NOT_FOUND, grow("nowhere", SECOND));
  }

  @Test
  void aMergeTakesAllOsdsAndVolumesAndTheName() {
    create("fast");
    join("", "fast");
    makeVolume("fast");
    done(grow("fast", FIRST));
    long version = machine.state().tableVersion();
    long keys = machine.state().partitionsVersion();
    done(new BladeSetChange.Merge("fast", DEFAULT));
    assertEquals(version + 1, machine.state().tableVersion(), "one version has it all");
    assertEquals(keys, machine.state().partitionsVersion(), "every OSD had all keys before");
    assertEquals(Set.of(DEFAULT), machine.state().bladeSets().keySet());
    machine.state().osds().values().forEach(osd -> assertEquals(DEFAULT, osd.bladeSet()));
    machine.state().volumes().values().forEach(each -> assertEquals(DEFAULT, each.bladeSet()));
    assertEquals(Set.of(), machine.state().history().placement().drainingOsds(), "it need not go");
    Configuration merged = machine.state();
    done(new BladeSetChange.Merge("fast", DEFAULT));
    assertSame(merged, machine.state(), "a repeat");
    assertInstanceOf(CommandResult.Joined.class, join("", "fast"));
    assertEquals(DEFAULT, setOf(new OsdId(6)));
    assertTrue(
        refused(ErrorCode.NOT_FOUND, grow("fast", FIRST)).contains("it was merged into default"));
    create("fast");
    assertInstanceOf(CommandResult.Joined.class, join("", "fast"));
    assertEquals("fast", setOf(new OsdId(7)), "the name is another one's now");
  }

  @Test
  void aMergeThatIsRepeatedAfterItsTargetWasMergedIsDone() {
    create("fast");
    create("faster");
    done(new BladeSetChange.Merge("faster", "fast"));
    done(new BladeSetChange.Merge("fast", DEFAULT));
    done(new BladeSetChange.Merge("faster", "fast"));
    create("other");
    refused(ErrorCode.NOT_FOUND, new BladeSetChange.Merge("faster", "other"));
  }

  @Test
  void aMergeEndsTheBalanceOfItsBladeSet() {
    create("fast");
    join("", "fast");
    join("", "fast");
    assertEquals(
        new CommandResult.Done(),
        machine.apply(new Command.SetBalance("fast", Balance.Action.START, 50_000, 5)));
    done(new BladeSetChange.Merge("fast", DEFAULT));
    assertEquals(
        "The balance of BladeSet fast has ended: the BladeSet is no more.",
        machine.events().events().stream()
            .filter(each -> each.kind().equals("balance-ended"))
            .map(Event::what)
            .findFirst()
            .orElse("not told"));
  }

  @Test
  void theDefaultBladeSetIsNotRemoved() {
    create("fast");
    refused(ErrorCode.INVALID_ARGUMENT, new BladeSetChange.Merge(DEFAULT, "fast"));
    refused(ErrorCode.INVALID_ARGUMENT, new BladeSetChange.Merge("fast", "fast"));
    refused(ErrorCode.NOT_FOUND, new BladeSetChange.Merge("fast", "nowhere"));
    refused(ErrorCode.INVALID_ARGUMENT, new BladeSetChange.Delete(DEFAULT));
  }

  @Test
  void onlyAnEmptyBladeSetIsDeleted() {
    create("fast");
    join("", "fast");
    assertTrue(refused(ErrorCode.NOT_EMPTY, new BladeSetChange.Delete("fast")).contains("osd-5"));
    done(grow(DEFAULT, new OsdId(5)));
    done(grow("fast", new OsdId(5)));
    assertTrue(refused(ErrorCode.NOT_EMPTY, new BladeSetChange.Delete("fast")).contains("osd-5"));
    machine.apply(new Command.DrainOsd(new OsdId(5), false));
    makeVolume("fast");
    assertTrue(refused(ErrorCode.NOT_EMPTY, new BladeSetChange.Delete("fast")).contains("/"));
    done(new BladeSetChange.Merge("fast", DEFAULT));
    create("fast");
    done(new BladeSetChange.Delete("fast"));
    assertEquals(Set.of(DEFAULT), machine.state().bladeSets().keySet());
  }

  @Test
  void changesAndWhatBecameOfThemSurviveTheirEncoding() throws Exception {
    List<BladeSetChange> changes =
        List.of(
            new BladeSetChange.Create("fast", FaultDomain.Wish.RACK),
            new BladeSetChange.Create("auto", FaultDomain.Wish.AUTO),
            new BladeSetChange.SetDomain("fast", FaultDomain.Wish.AUTO),
            new BladeSetChange.SetDomain("fast", FaultDomain.Wish.OSD),
            new BladeSetChange.Merge("auto", "fast"),
            grow("fast", FIRST, SECOND),
            new BladeSetChange.Arrive("fast", FIRST, 9),
            new BladeSetChange.Delete("fast"));
    for (BladeSetChange change : changes) {
      Command command = new Command.ChangeBladeSet(change);
      assertEquals(command, CommandCodec.decode(CommandCodec.encode(command)));
      change(change);
      join("rack", "");
      ByteArrayOutputStream snapshot = new ByteArrayOutputStream();
      SnapshotCodec.write(machine.state(), snapshot);
      assertEquals(
          machine.state(), SnapshotCodec.read(new ByteArrayInputStream(snapshot.toByteArray())));
    }
    assertEquals(FaultDomain.Wish.OSD, machine.state().bladeSets().get("fast").domain());
  }

  @Test
  void theLogOfEventsTellsOfIt() {
    create("fast");
    done(new BladeSetChange.SetDomain("fast", FaultDomain.Wish.RACK));
    done(grow("fast", FIRST));
    done(new BladeSetChange.Merge("fast", DEFAULT));
    create("other");
    done(new BladeSetChange.Delete("other"));
    List<String> kinds = machine.events().events().stream().map(Event::kind).toList();
    for (String kind :
        List.of(
            "bladeset-made",
            "bladeset-domain",
            "bladeset-grows",
            "bladeset-merged",
            "bladeset-deleted")) {
      assertTrue(kinds.contains(kind), kind + " is not in " + kinds);
    }
    assertFalse(BladeSet.isName(""));
  }
}
