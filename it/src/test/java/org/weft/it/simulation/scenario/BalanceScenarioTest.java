package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftFile;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.BalanceAction;
import org.weft.protocol.wire.OsdRow;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.sysmgr.balance.Balance;

/** An OSD that is empty comes to hold as much as others (P 6.8c). */
class BalanceScenarioTest {
  private static final int FILES = 24;
  private static final int OPEN_FILES = 4;
  private static final int BAND_PPM = 20_000;
  private static final String OPEN = "/open";
  private static final byte[] OLD = Stage.bytes(1, 6 * Stage.STRIPE + 3_000);
  private static final byte[] NEWS = Stage.bytes(3, Stage.UNIT);

  /** No OSD counts as lost for being down. */
  private static final long NEVER_MILLIS = 100_000_000;

  private final SortedMap<String, byte[]> contents = new TreeMap<>();

  private Stage boot(long seed) throws Exception {
    return Stage.boot(WorldOptions.of(seed).withRepair(NEVER_MILLIS));
  }

  private void put(Stage stage, ClientNode client, String path, int length) throws Exception {
    byte[] content = Stage.bytes(contents.size() + 10, length);
    stage.put(client, path, LayoutSpec.of(2, 2, Stage.UNIT), content);
    contents.put(path, content);
  }

  /** Drained, and used again: it has nothing, and the others have all. */
  private SimulatedOsd emptied(Stage stage, ClientNode client) throws Exception {
    for (int number = 0; number < FILES; number++) {
      put(stage, client, "/file-" + number, 20_000 + number % 4 * 60_000);
    }
    SimulatedOsd osd = stage.world().osds().get(0);
    stage.drain(osd);
    stage.world().await(osd.name() + " holds nothing", 600_000, () -> stage.isEmptied(osd));
    var used = stage.call(stage.world().osdDrains().undrain(osd.osdId()));
    stage.world().pass(20_000);
    return osd;
  }

  private static void start(Stage stage) throws Exception {
    var recorded =
        stage.call(stage.world().osdBalances().ask(BalanceAction.BALANCE_START, BAND_PPM));
  }

  private static void awaitEnd(Stage stage) {
    stage
        .world()
        .await(
            "the balance has ended",
            1_800_000,
            () ->
                stage
                    .world()
                    .osdBalances()
                    .last()
                    .filter(each -> each.state() == Balance.State.ENDED)
                    .isPresent());
  }

  private static long components(Stage stage, ClientNode client, SimulatedOsd osd, int files)
      throws Exception {
    long count = 0;
    for (int number = 0; number < files; number++) {
      StorageMap map = stage.map(client, "/file-" + number);
      assertTrue(map.missing().isEmpty(), map::toString);
      assertEquals(
          map.components().size(), map.components().stream().distinct().count(), map::toString);
      count += map.components().contains(new OsdId(osd.osdId())) ? 1 : 0;
    }
    return count;
  }

  private void assertBalanced(Stage stage, ClientNode client, SimulatedOsd osd) throws Exception {
    Balance balance = stage.world().osdBalances().last().orElseThrow();
    assertTrue(balance.words().startsWith("no OSD is further"), balance::words);
    assertTrue(components(stage, client, osd, FILES) > 0, "components have come");
    double used = 0;
    double capacity = 0;
    for (OsdRow row : stage.world().table().orElseThrow().getOsdsList()) {
      used += row.getUsedBytes();
      capacity += row.getCapacityBytes();
    }
    for (OsdRow row : stage.world().table().orElseThrow().getOsdsList()) {
      double share = (double) row.getUsedBytes() / row.getCapacityBytes();
      assertEquals(used / capacity, share, 1.5 * BAND_PPM / 1e6, row::toString);
    }
    for (var each : contents.entrySet()) {
      stage.assertHolds(each.getKey(), each.getValue());
      assertArrayEquals(each.getValue(), stage.read(stage.client(), each.getKey()));
    }
  }

  @Test
  void balanceFillsAnEmptyOsdAndEnds() throws Exception {
    for (long seed = 1; seed <= 2; seed++) {
      contents.clear();
      Stage stage = boot(seed);
      ClientNode client = stage.client();
      SimulatedOsd osd = emptied(stage, client);
      assertEquals(0, components(stage, client, osd, FILES));
      start(stage);
      awaitEnd(stage);
      assertBalanced(stage, client, osd);
    }
  }

  @Test
  void balanceSurvivesDeathsOfManagerAndOsd() throws Exception {
    Stage stage = boot(2);
    ClientNode client = stage.client();
    SimulatedOsd osd = emptied(stage, client);
    start(stage);
    for (int death = 0; death < 3; death++) {
      stage.world().pass(1_500 + 900L * death);
      SimulatedManager manager = stage.world().managers().get(0);
      manager.kill();
      manager.start();
    }
    osd.kill();
    stage.world().pass(20_000);
    stage.restart(osd);
    stage.heal();
    awaitEnd(stage);
    assertBalanced(stage, client, osd);
  }

  @Test
  void balanceLeavesWrittenFilesAndTheirWritersAlone() throws Exception {
    Stage stage = boot(1);
    ClientNode client = stage.client();
    SimulatedOsd osd = emptied(stage, client);
    List<WeftFile> open = new ArrayList<>();
    List<StorageMap> before = new ArrayList<>();
    for (int number = 0; number < OPEN_FILES; number++) {
      open.add(stage.open(client, OPEN + number, Stage.WIDE, OLD));
      before.add(stage.map(client, OPEN + number));
    }
    start(stage);
    awaitEnd(stage);
    for (int number = 0; number < OPEN_FILES; number++) {
      stage.call(Stage.write(open.get(number), Stage.UNIT, NEWS));
      assertEquals(before.get(number), stage.map(client, OPEN + number));
      var closed = stage.call(open.get(number).close());
      stage.assertHolds(OPEN + number, Stage.changed(OLD, Stage.UNIT, NEWS));
    }
    assertTrue(components(stage, client, osd, FILES) > 0, "others have moved");
  }

  @Test
  void balanceRestsWhileAnOsdIsDownOrItIsPaused() throws Exception {
    Stage stage = boot(1);
    ClientNode client = stage.client();
    SimulatedOsd osd = emptied(stage, client);
    start(stage);
    var paused = stage.call(stage.world().osdBalances().ask(BalanceAction.BALANCE_PAUSE, BAND_PPM));
    stage.world().pass(8_000);
    long then = components(stage, client, osd, FILES);
    stage.world().pass(120_000);
    assertEquals(then, components(stage, client, osd, FILES), "while it is paused");
    SimulatedOsd away = stage.world().osds().get(1);
    away.kill();
    stage.world().pass(20_000);
    var on = stage.call(stage.world().osdBalances().ask(BalanceAction.BALANCE_RESUME, BAND_PPM));
    stage.world().pass(120_000);
    assertEquals(then, components(stage, client, osd, FILES), "while an OSD is down");
    assertFalse(stage.world().osdBalances().last().orElseThrow().state() == Balance.State.ENDED);
    stage.restart(away);
    stage.heal();
    awaitEnd(stage);
    assertBalanced(stage, client, osd);
  }
}
