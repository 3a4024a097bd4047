package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.client.WeftClient;
import org.weft.client.WeftFile;
import org.weft.client.WeftPath;
import org.weft.client.health.DamagedFiles;
import org.weft.client.internal.ClientParts;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.ParityScrubState;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;

/** The scrub of parity names what contradicts itself, and rewrites nothing (P 6.8f). */
class ParityScrubScenarioTest {
  private static final String PATH = "/dir/file";
  private static final byte[] CONTENT = Stage.bytes(1, 5 * Stage.STRIPE + 3_000);
  private static final long AFTER_MILLIS = 8_000;

  private final Stage stage = Stage.boot(WorldOptions.of(1).withRepair(AFTER_MILLIS).withScrub());
  private final RottenBlocks blocks = new RottenBlocks(stage);
  private final ClientNode client;

  ParityScrubScenarioTest() throws Exception {
    client = stage.client();
    var made = stage.call(client.files().mkdir(WeftPath.of("/dir"), 0755));
    stage.put(client, PATH, Stage.WIDE, CONTENT);
    stage.put(client, "/small", Stage.WIDE, Stage.bytes(2, 300));
  }

  private ParityScrubState state() {
    return stage.world().managers().stream()
        .flatMap(manager -> manager.health().stream())
        .map(volume -> volume.getParityScrub())
        .findFirst()
        .orElse(ParityScrubState.getDefaultInstance());
  }

  private List<DamagedFiles.One> damaged() throws WeftException {
    WeftClient connected = stage.call(stage.client().connected());
    return stage.call(ClientParts.of(connected).health().damage("/", 0, 10)).files();
  }

  private void awaitNamed(int files) {
    stage
        .world()
        .await(files + " files are named", 300_000, () -> state().getContradicted() == files);
  }

  private SimulatedOsd contradict(byte[] wrong) throws Exception {
    stage.world().pass(12_000);
    StorageMap map = stage.map(client, PATH);
    SimulatedOsd osd = stage.osd(map, 0);
    blocks.replace(osd, stage.objectId(client, PATH), 0, wrong);
    return osd;
  }

  @Test
  void scrubOfSoundFilesReportsNothing() {
    stage
        .world()
        .await(
            "a pass over both files",
            300_000,
            () -> state().getLastFiles() == 2 && state().getLastLeft() == 0);
    assertEquals(0, state().getContradicted());
  }

  @Test
  void contradictionIsReportedToOperatorsAndLeftAlone() throws Exception {
    byte[] wrong = Stage.bytes(9, 4096);
    SimulatedOsd osd = contradict(wrong);
    awaitNamed(1);
    DamagedFiles.One found = damaged().get(0);
    assertEquals(PATH, found.path());
    assertEquals(List.of(), found.gone());
    assertEquals(List.of(new ByteRange(0, Stage.STRIPE)), found.inDoubt());
    stage
        .world()
        .await(
            "the manager says so",
            60_000,
            () ->
                stage.world().managers().get(0).problems().stream()
                    .anyMatch(what -> what.contains(PATH) && what.contains("contradict")));
    stage.world().pass(60_000);
    assertTrue(blocks.holds(osd, stage.objectId(client, PATH), 0, wrong), "nothing was rewritten");
  }

  @Test
  void scrubFindingSurvivesAFailoverUntilTheFileIsRewritten() throws Exception {
    contradict(Stage.bytes(9, 4096));
    awaitNamed(1);
    long passes = state().getPasses();
    for (SimulatedManager manager : stage.world().managers()) {
      manager.kill();
    }
    stage.world().pass(1_000);
    stage.world().managers().forEach(SimulatedManager::start);
    stage.world().await("a manager serves", 120_000, () -> state().getPasses() > 0);
    assertEquals(1, state().getContradicted(), "before it is found again");
    assertTrue(state().getPasses() >= passes, "it goes on with the passes that were made");
    WeftFile file = stage.open(client, PATH);
    stage.call(Stage.write(file, 0, Arrays.copyOf(CONTENT, Stage.STRIPE)));
    stage.call(file.close());
    awaitNamed(0);
    assertEquals(List.of(), damaged());
    assertArrayEquals(CONTENT, stage.read(client, PATH));
  }

  @Test
  void removedFileIsNoLongerReported() throws Exception {
    contradict(Stage.bytes(9, 4096));
    awaitNamed(1);
    var removed = stage.call(client.files().unlink(WeftPath.of(PATH)));
    assertEquals(List.of(), damaged());
    awaitNamed(0);
  }

  @Test
  void aBlockThatRotsIsRepairedAndIsNoContradiction() throws Exception {
    stage.world().pass(12_000);
    StorageMap map = stage.map(client, PATH);
    SimulatedOsd osd = stage.osd(map, 0);
    long objectId = stage.objectId(client, PATH);
    blocks.rot(osd, objectId, 0);
    stage
        .world()
        .await("it is well", 300_000, () -> osd.isRunning() && !blocks.isBad(osd, objectId, 0));
    long passes = state().getPasses();
    stage.world().await("another pass", 300_000, () -> state().getPasses() > passes + 1);
    assertEquals(0, state().getContradicted());
    stage.assertHolds(PATH, CONTENT);
  }

  @Test
  void writtenFileIsScrubbedInTheSamePassAfterItsClose() throws Exception {
    WeftFile file = stage.open(client, PATH);
    stage.call(Stage.write(file, 0, Stage.bytes(5, 20_000)));
    stage.world().await("it is passed over", 300_000, () -> state().getLeft() == 1);
    long passes = state().getPasses();
    stage.call(file.close());
    stage.world().await("the pass ends", 300_000, () -> state().getPasses() > passes);
    assertEquals(2, state().getLastFiles());
    assertEquals(0, state().getLastLeft());
  }

  @Test
  void scrubBesideAWriterReportsNothing() throws Exception {
    WeftFile file = stage.open(client, PATH);
    for (int turn = 0; turn < 200; turn++) {
      stage.call(Stage.write(file, 0, Stage.bytes(turn, 20_000)));
      if (turn % 10 == 9) {
        stage.call(file.close());
        stage.world().pass(turn);
        file = stage.open(client, PATH);
      }
      stage.world().pass(20);
      assertEquals(0, state().getContradicted(), state()::toString);
    }
    stage.call(file.close());
    stage
        .world()
        .await(
            "a pass over all files",
            600_000,
            () -> state().getLastFiles() == 2 && state().getLastLeft() == 0);
    assertEquals(0, state().getContradicted());
  }
}
