package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftFile;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.simulator.node.SysmgrNode;
import org.weft.simulator.world.BladeSets;
import org.weft.sysmgr.configuration.state.Configuration;

/**
 * OSDs go from BladeSet to BladeSet, BladeSets are merged, and racks are lost (P 4.1, 4.5, 6.8).
 */
class BladeSetTest {
  private static final String DEFAULT = Configuration.DEFAULT_BLADE_SET;
  private static final String OTHER = BladeSets.OTHER;
  private static final byte[] OLD = Stage.bytes(1, 5 * Stage.STRIPE + 3_000);
  private static final byte[] NEWS = Stage.bytes(2, Stage.UNIT);

  /** Two data units and one parity: three racks take a group. */
  private static final LayoutSpec NARROW = new LayoutSpec(2, 1, Stage.UNIT, 2_000, 1);

  private static final int OSDS_OF_RACK = 3;
  private static final long NEVER_MILLIS = 100_000_000;
  private static final long SOON_MILLIS = 3_000;
  private static final int MAX_SECONDS = 600;

  private static Stage boot(long seed, int osds, long repairAfterMillis) {
    return Stage.boot(
        WorldOptions.of(seed).withOsds(osds).withSysmgrMembers(3).withRepair(repairAfterMillis));
  }

  private static Set<OsdId> osdsOf(Stage stage, ClientNode client, String path) throws Exception {
    StorageMap map = stage.map(client, path);
    Set<OsdId> osds = new HashSet<>(map.components());
    osds.addAll(map.attributeOsds());
    return osds;
  }

  private static void done(Stage stage, CompletableFuture<?> change) throws Exception {
    var unused = stage.call(change);
  }

  /** The OSD is emptied, and goes over. */
  private static void move(Stage stage, SimulatedOsd osd) throws Exception {
    done(stage, stage.world().bladeSets().create(OTHER));
    done(stage, stage.world().osdDrains().drain(osd));
    done(stage, stage.world().bladeSets().grow(OTHER, osd.osdId()));
  }

  @Test
  void anOsdInUseIsRefusedAndNamesWhatToDo() throws Exception {
    Stage stage = boot(95_430_001, 7, NEVER_MILLIS);
    ClientNode client = stage.client();
    for (int number = 0; number < 12; number++) {
      stage.put(client, "/" + number, Stage.WIDE, OLD);
    }
    int osd = stage.map(client, "/0").osdOf(0).value();
    stage.world().pass(5_000);
    done(stage, stage.world().bladeSets().create(OTHER));
    var refusal = stage.failureOf(stage.world().bladeSets().grow(OTHER, osd));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal.code());
    assertTrue(refusal.getMessage().contains("weft osd drain osd-" + osd), refusal::getMessage);
  }

  @Test
  void filesStayReadableAndWritableWhileAnOsdMovesOutAndBack() throws Exception {
    for (long seed = 95_430_010; seed < 95_430_014; seed++) {
      Stage stage = boot(seed, 8, NEVER_MILLIS);
      ClientNode client = stage.client();
      WeftFile file = stage.open(client, "/written", Stage.WIDE, OLD);
      stage.put(client, "/kept", Stage.WIDE, OLD);
      SimulatedOsd osd = stage.osd(stage.map(client, "/kept"), 0);
      OsdId id = new OsdId(osd.osdId());
      CompletableFuture<Void> write = Stage.write(file, 0, NEWS);
      done(stage, stage.world().bladeSets().create(OTHER));
      done(stage, stage.world().osdDrains().drain(osd));
      done(stage, write);
      done(stage, file.close());
      done(stage, stage.world().bladeSets().grow(OTHER, osd.osdId()));
      for (int number = 0; number < 12; number++) {
        stage.put(client, "/new-" + number, NARROW, OLD);
        assertFalse(osdsOf(stage, client, "/new-" + number).contains(id), "seed " + seed);
      }
      assertFalse(osdsOf(stage, client, "/kept").contains(id));
      done(stage, stage.world().bladeSets().merge(OTHER, DEFAULT));
      // Until the manager has heard of it.
      stage.world().pass(5_000);
      boolean isUsed = false;
      for (int number = 0; number < 40 && !isUsed; number++) {
        stage.put(client, "/later-" + number, NARROW, OLD);
        isUsed = osdsOf(stage, client, "/later-" + number).contains(id);
      }
      assertTrue(isUsed, "seed " + seed + ": it takes new files again");
      assertArrayEquals(OLD, stage.read(client, "/kept"));
      assertArrayEquals(Stage.changed(OLD, 0, NEWS), stage.read(client, "/written"));
    }
  }

  @Test
  void mergeUnderWritersSurvivesTheDeathOfItsLeader() throws Exception {
    for (long seed = 95_430_100; seed < 95_430_106; seed++) {
      Stage stage = boot(seed, 8, NEVER_MILLIS);
      ClientNode client = stage.client();
      stage.put(client, "/kept", Stage.WIDE, OLD);
      move(stage, stage.world().osds().get((int) (seed % 8)));
      WeftFile file = stage.open(client, "/written", Stage.WIDE, OLD);
      CompletableFuture<Void> write = Stage.write(file, 0, NEWS);
      CompletableFuture<Void> merge = stage.world().bladeSets().merge(OTHER, DEFAULT);
      stage.world().pass(seed % 5 * 2);
      SysmgrNode leader =
          stage.world().sysmgrs().stream().filter(SysmgrNode::isLeader).findFirst().orElseThrow();
      leader.kill();
      stage.world().pass(2_000);
      leader.start();
      done(stage, merge);
      done(stage, write);
      done(stage, file.close());
      assertFalse(stage.world().bladeSets().isSplit());
      for (SimulatedOsd osd : stage.world().osds()) {
        assertTrue(stage.world().bladeSets().serves(osd.osdId()), osd::name);
      }
      assertArrayEquals(OLD, stage.read(client, "/kept"));
      assertArrayEquals(Stage.changed(OLD, 0, NEWS), stage.read(client, "/written"));
    }
  }

  /** A volume of the BladeSet that goes has its OSDs afterwards as before. */
  @Test
  void volumeIsReadAndWrittenAfterItsBladeSetMerged() throws Exception {
    for (long seed = 95_430_200; seed < 95_430_203; seed++) {
      Stage stage = boot(seed, 10, SOON_MILLIS);
      ClientNode client = stage.client();
      done(stage, stage.world().bladeSets().create(OTHER));
      for (SimulatedOsd osd : stage.world().osds().subList(5, 10)) {
        move(stage, osd);
      }
      var made = stage.call(stage.world().bladeSets().createVolume("/apart", OTHER));
      stage.put(client, "/apart/file", NARROW, OLD);
      Set<OsdId> before = osdsOf(stage, client, "/apart/file");
      Set<OsdId> others = new HashSet<>();
      stage.world().osds().subList(5, 10).forEach(osd -> others.add(new OsdId(osd.osdId())));
      assertTrue(others.containsAll(before), "seed " + seed + ": " + before);
      stage.put(client, "/file", NARROW, OLD);
      assertTrue(
          osdsOf(stage, client, "/file").stream().noneMatch(others::contains), "seed " + seed);
      done(stage, stage.world().bladeSets().merge(OTHER, DEFAULT));
      // Longer than it takes until an OSD that is no more counts as lost, and is rebuilt.
      stage.world().pass(20 * SOON_MILLIS);
      assertEquals(before, osdsOf(stage, client, "/apart/file"), "seed " + seed);
      assertTrue(stage.map(client, "/apart/file").missing().isEmpty());
      stage.put(client, "/apart/another", NARROW, OLD);
      WeftFile file = stage.open(client, "/apart/file");
      done(stage, Stage.write(file, 0, NEWS));
      done(stage, file.close());
      assertArrayEquals(Stage.changed(OLD, 0, NEWS), stage.read(client, "/apart/file"));
      assertArrayEquals(OLD, stage.read(client, "/apart/another"));
    }
  }

  private static int rack(Stage stage, OsdId id) {
    List<SimulatedOsd> osds = stage.world().osds();
    for (int number = 0; number < osds.size(); number++) {
      if (osds.get(number).osdId() == id.value()) {
        return number / OSDS_OF_RACK;
      }
    }
    throw new AssertionError("no OSD " + id);
  }

  private static void assertApart(Stage stage, ClientNode client, String path) throws Exception {
    StorageMap map = stage.map(client, path);
    Set<Integer> racks = new HashSet<>();
    for (OsdId id : map.components()) {
      assertTrue(racks.add(rack(stage, id)), () -> path + " has two in one rack: " + map);
    }
  }

  @Test
  void lostRackIsBorneAndRebuiltInOtherRacks() throws Exception {
    for (long seed = 95_430_300; seed < 95_430_303; seed++) {
      Stage stage = boot(seed, 12, SOON_MILLIS);
      ClientNode client = stage.client();
      for (int number = 0; number < 10; number++) {
        stage.put(client, "/" + number, NARROW, OLD);
        assertApart(stage, client, "/" + number);
      }
      int lost = (int) (seed % 4);
      List<SimulatedOsd> gone =
          stage.world().osds().subList(OSDS_OF_RACK * lost, OSDS_OF_RACK * (lost + 1));
      gone.forEach(SimulatedOsd::kill);
      for (int number = 0; number < 10; number++) {
        assertArrayEquals(OLD, stage.read(client, "/" + number), "seed " + seed);
      }
      // Longer than it takes until they are down; a manager remembers few files for their return.
      stage.world().pass(20 * SOON_MILLIS);
      done(stage, stage.world().removeLostOsds(gone.toArray(SimulatedOsd[]::new)));
      Set<OsdId> away = new HashSet<>();
      gone.forEach(osd -> away.add(new OsdId(osd.osdId())));
      for (int number = 0; number < 10; number++) {
        String path = "/" + number;
        awaitElsewhere(stage, client, path, away);
        assertApart(stage, client, path);
        assertArrayEquals(OLD, stage.read(client, path), "seed " + seed);
      }
    }
  }

  private static void awaitElsewhere(Stage stage, ClientNode client, String path, Set<OsdId> away)
      throws Exception {
    for (int tries = 0; tries < MAX_SECONDS; tries++) {
      StorageMap map = stage.map(client, path);
      if (map.missing().isEmpty() && map.components().stream().noneMatch(away::contains)) {
        return;
      }
      stage.world().pass(1_000);
    }
    throw new AssertionError(
        path
            + " is not rebuilt: "
            + stage.map(client, path)
            + stage.world().managers().stream()
                .map(manager -> manager.health() + " " + manager.problems())
                .toList());
  }
}
