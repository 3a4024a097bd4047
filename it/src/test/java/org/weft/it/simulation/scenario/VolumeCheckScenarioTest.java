package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.weft.client.WeftFile;
import org.weft.client.WeftPath;
import org.weft.client.health.HealthCalls;
import org.weft.client.health.VolumeCheckStatus;
import org.weft.client.health.VolumeCheckStatus.Finding;
import org.weft.client.internal.ClientParts;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.mutation.AttributeUpdate;
import org.weft.osd.store.mutation.ObjectRemoval;
import org.weft.osd.store.value.AttributeValue;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.ObjectTag;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;

/** The check of a volume names what contradicts itself, and nothing else (P 6.8d). */
class VolumeCheckScenarioTest {
  private static final String PATH = "/dir/file";
  private static final byte[] CONTENT = Stage.bytes(1, 5 * Stage.STRIPE + 3_000);

  private static final int NAMES_OF_LARGE = 600;

  private final Stage stage = Stage.boot();
  private final ClientNode client;
  private final HealthCalls checks;

  VolumeCheckScenarioTest() throws Exception {
    client = stage.client();
    checks = ClientParts.of(stage.call(client.connected())).health();
    var made = stage.call(client.files().mkdir(WeftPath.of("/dir"), 0755));
    stage.put(client, PATH, Stage.WIDE, CONTENT);
    stage.put(client, "/small", Stage.WIDE, Stage.bytes(2, 300));
    var linked = stage.call(client.files().link(WeftPath.of("/small"), WeftPath.of("/dir/other")));
    stage.world().pass(12_000);
  }

  private VolumeCheckStatus checked(boolean parity) throws WeftException {
    VolumeCheckStatus now = stage.call(checks.startCheck("/", parity));
    long id = now.id();
    for (int poll = 0; poll < 3_000 && now.isRunning(); poll++) {
      stage.world().pass(100);
      now = stage.call(checks.checkStatus("/", id, 0, 100));
      assertTrue(now.isKnown(), "the manager knows of it");
    }
    assertEquals(VolumeCheckStatus.State.DONE, now.state(), now.doing());
    return now;
  }

  private Finding onlyFinding(boolean parity) throws WeftException {
    VolumeCheckStatus found = checked(parity);
    assertEquals(1, found.findings(), () -> found.page().toString());
    return found.page().get(0);
  }

  private static ObjectName name(long objectId) {
    return ObjectName.of(1, objectId);
  }

  private static Authority authority(SimulatedOsd osd) throws WeftException {
    ObjectStore store = osd.store();
    return Authority.ofManager(
        store.partition(name(1).partition()).map(each -> each.fenceEpoch()).orElse(1L));
  }

  private void remove(SimulatedOsd osd, long objectId) throws WeftException {
    long lsn = Lsn.of(authority(osd).epoch(), 1L << 30).value();
    var done =
        stage.call(
            osd.store()
                .apply(new ObjectRemoval(name(objectId), authority(osd), lsn, 0, false, true))
                .toCompletableFuture());
  }

  private void make(SimulatedOsd osd, long objectId, StorageMap map, int index)
      throws WeftException {
    long lsn = Lsn.of(authority(osd).epoch(), 1L << 30).value();
    var done =
        stage.call(
            osd.store()
                .apply(
                    new AttributeUpdate(
                        name(objectId),
                        authority(osd),
                        List.of(new AttributeValue(1, lsn, new byte[] {1})),
                        Optional.of(ObjectTag.of(map.tag(index))),
                        List.of(),
                        0,
                        0,
                        true))
                .toCompletableFuture());
  }

  private SimulatedOsd outside(StorageMap map) {
    return stage.world().osds().stream()
        .filter(osd -> !map.components().contains(new OsdId(osd.osdId())))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aVolumeInWhichAllIsWellIsFoundWell() throws Exception {
    VolumeCheckStatus found = checked(true);
    assertEquals(List.of(), found.page());
    assertEquals(List.of(), found.unchecked());
    assertEquals(4, found.objects(), "root, a directory and two files");
    assertEquals(4, found.names(), "one of them has two names");
    assertTrue(found.stripes() >= 6, "of both files: " + found.stripes());
  }

  @Test
  void aComponentThatIsAbsentIsNamed() throws Exception {
    StorageMap map = stage.map(client, PATH);
    int last = map.components().size() - 1;
    remove(stage.osd(map, last), stage.objectId(client, PATH));
    Finding found = onlyFinding(false);
    assertEquals("component-absent", found.kind());
    assertEquals(PATH, found.path());
    assertEquals(map.osdOf(last).value(), found.osd());
    assertFalse(found.nextStep().isEmpty());
  }

  @Test
  void leftoverObjectIsReportedWithItsOsd() throws Exception {
    StorageMap map = stage.map(client, PATH);
    SimulatedOsd outside = outside(map);
    make(outside, stage.objectId(client, PATH), map, 1);
    Finding found = onlyFinding(false);
    assertEquals("leftover-component", found.kind());
    assertEquals(outside.osdId(), found.osd());
  }

  @Test
  void aComponentOfNoFileIsNamed() throws Exception {
    StorageMap map = stage.map(client, PATH);
    make(stage.osd(map, 0), 900_000, map, 0);
    Finding found = onlyFinding(false);
    assertEquals("object-without-attributes", found.kind());
    assertEquals(900_000, found.objectId());
    assertEquals("", found.path());
  }

  @Test
  void contradictingParityIsReportedAndLeftAsItIs() throws Exception {
    StorageMap map = stage.map(client, PATH);
    long objectId = stage.objectId(client, PATH);
    byte[] wrong = Stage.bytes(9, 4096);
    RottenBlocks blocks = new RottenBlocks(stage);
    blocks.replace(stage.osd(map, 0), objectId, 0, wrong);
    assertEquals(0, checked(false).findings(), "without --parity nothing is read");
    Finding found = onlyFinding(true);
    assertEquals("parity-differs", found.kind());
    assertEquals(PATH, found.path());
    assertTrue(blocks.holds(stage.osd(map, 0), objectId, 0, wrong), "nothing was rewritten");
  }

  @Test
  void aFileThatIsWrittenAllTheTimeGivesNoFinding() throws Exception {
    WeftFile file = stage.open(client, PATH);
    VolumeCheckStatus now = stage.call(checks.startCheck("/", true));
    while (now.isRunning()) {
      stage.call(Stage.write(file, 0, Stage.bytes(now.objects(), 20_000)));
      stage.world().pass(20);
      now = stage.call(checks.checkStatus("/", now.id(), 0, 100));
    }
    assertEquals(List.of(), now.page());
    assertEquals(1, now.written());
    assertTrue(now.unchecked().toString().contains("being written"), now.unchecked()::toString);
    var closed = stage.call(file.close());
    assertEquals(List.of(), checked(true).page());
  }

  @Test
  void renamesAndRemovalsDuringACheckGiveNoFinding() throws Exception {
    VolumeCheckStatus now = stage.call(checks.startCheck("/", false));
    WeftPath here = WeftPath.of(PATH);
    WeftPath there = WeftPath.of("/elsewhere");
    for (int turn = 0; now.isRunning() || turn < 20; turn++) {
      if (!now.isRunning()) {
        now = stage.call(checks.startCheck("/", false));
      }
      var moved =
          stage.call(
              client
                  .files()
                  .rename(turn % 2 == 0 ? here : there, turn % 2 == 0 ? there : here, false));
      stage.put(client, "/brief", Stage.WIDE, Stage.bytes(turn, 40_000));
      stage.world().pass(20);
      var removed = stage.call(client.files().unlink(WeftPath.of("/brief")));
      now = stage.call(checks.checkStatus("/", now.id(), 0, 100));
      assertEquals(List.of(), now.page());
    }
  }

  private List<SimulatedOsd> holders(String path) throws WeftException {
    long objectId = stage.objectId(client, path);
    return stage.world().osds().stream().filter(osd -> stage.hasObject(osd, objectId)).toList();
  }

  /** Makes a name, moves it, and removes it: always the same two, which are in two blocks. */
  private void change(String directory) throws WeftException {
    WeftPath here = WeftPath.of(directory + "/brief");
    WeftPath there = WeftPath.of(directory + "/moved");
    var made = stage.call(client.files().mkdir(here, 0755));
    var moved = stage.call(client.files().rename(here, there, false));
    var gone = stage.call(client.files().rmdir(there));
  }

  @Test
  void aLargeDirectoryThatChangesAllTheTimeIsComparedAndCounted() throws Exception {
    var made = stage.call(client.files().mkdir(WeftPath.of("/many"), 0755));
    for (int name = 0; name < NAMES_OF_LARGE; name++) {
      var unused = stage.call(client.files().mkdir(WeftPath.of("/many/" + name), 0755));
    }
    stage.world().pass(12_000);
    SimulatedOsd harmed = holders("/many").get(0);
    for (int block = 2; block < 6; block++) {
      new RottenBlocks(stage)
          .replace(harmed, stage.objectId(client, "/many"), block, Stage.bytes(9, 4096));
    }
    VolumeCheckStatus now = stage.call(checks.startCheck("/", false));
    while (now.isRunning()) {
      change("/many");
      now = stage.call(checks.checkStatus("/", now.id(), 0, 100));
    }
    assertEquals(VolumeCheckStatus.State.DONE, now.state(), now.doing());
    assertEquals(List.of(), now.unchecked());
    assertTrue(now.findings() >= 2, "of four blocks two may be written anew: " + now.page());
    for (Finding each : now.page()) {
      assertEquals("directory-copies-differ", each.kind(), each::toString);
      assertEquals("/many", each.path());
      assertEquals(harmed.osdId(), each.osd());
    }
    assertTrue(now.names() >= NAMES_OF_LARGE, "names: " + now.names());
  }

  @Test
  void aFileThatIsGoneIsNamedAlthoughItsManagerRemembersIt() throws Exception {
    long objectId = stage.objectId(client, PATH);
    for (SimulatedOsd holder : holders(PATH)) {
      remove(holder, objectId);
    }
    VolumeCheckStatus found = checked(false);
    assertTrue(found.findings() > 0, "a lost file is found");
    for (Finding each : found.page()) {
      assertEquals(PATH, each.path());
      assertTrue(
          List.of("attributes-absent", "component-absent").contains(each.kind()), each::toString);
    }
  }

  @Test
  void absentOsdIsReportedAsNotChecked() throws Exception {
    SimulatedOsd away = stage.world().osds().get(0);
    away.kill();
    stage.world().pass(20_000);
    VolumeCheckStatus found = checked(false);
    assertEquals(List.of(), found.page());
    assertTrue(
        found.unchecked().toString().contains("osd-" + away.osdId()), found.unchecked()::toString);
  }

  @Test
  void aManagerThatStartsAgainKnowsOfNoCheck() throws Exception {
    VolumeCheckStatus begun = stage.call(checks.startCheck("/", false));
    for (SimulatedManager manager : stage.world().managers()) {
      manager.kill();
    }
    stage.world().pass(1_000);
    stage.world().managers().forEach(SimulatedManager::start);
    assertFalse(stage.call(checks.checkStatus("/", begun.id(), 0, 10)).isKnown());
    assertEquals(List.of(), checked(false).page());
  }

  @Test
  void aCheckIsCancelledAndBegunAgain() throws Exception {
    VolumeCheckStatus begun = stage.call(checks.startCheck("/", false));
    assertEquals(VolumeCheckStatus.State.CANCELLED, stage.call(checks.cancelCheck("/", 0)).state());
    assertTrue(stage.call(checks.startCheck("/", false)).id() > begun.id());
    assertEquals(List.of(), checked(false).page());
  }
}
