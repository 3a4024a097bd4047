package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.WeftFile;
import org.weft.client.WeftInput;
import org.weft.client.WeftPath;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.simulator.node.SysmgrNode;
import org.weft.sysmgr.configuration.node.Liveness;

/** Two volumes with a manager each: an OSD that comes back does so for each apart (P 5.8). */
class VolumesApartTest {
  private static final PartitionId ROOT = new PartitionId(1);
  private static final String PATH = "/file";
  private static final String OTHER = "/second/file";
  private static final byte[] OLD = Stage.bytes(1, 2 * Stage.STRIPE);
  private static final byte[] NEWS = Stage.bytes(2, Stage.UNIT);
  private static final byte[] EXPECTED = Stage.changed(OLD, 0, NEWS);
  private static final long LONG_MILLIS = 120_000;

  private static SimulatedManager managerOf(Stage stage, PartitionId volume) {
    return stage.world().managers().stream()
        .filter(
            manager ->
                manager.health().stream()
                    .anyMatch(health -> health.getVolumeId() == volume.value()))
        .findFirst()
        .orElseThrow();
  }

  private static SortedSet<PartitionId> openVolumes(Stage stage, SimulatedOsd osd) {
    return stage
        .world()
        .configuration()
        .map(known -> known.osds().get(new OsdId(osd.osdId())))
        .filter(row -> row.node().liveness() == Liveness.QUARANTINED)
        .map(row -> row.quarantine().open())
        .orElseGet(TreeSet::new);
  }

  private static boolean isCompared(Stage stage, SimulatedOsd osd, PartitionId volume) {
    return stage
        .world()
        .configuration()
        .map(known -> known.osds().get(new OsdId(osd.osdId())))
        .filter(row -> row.node().liveness() == Liveness.QUARANTINED)
        .filter(row -> !row.quarantine().closed().contains(volume))
        .isPresent();
  }

  private static void losesPowerAndComesBack(Stage stage, SimulatedOsd osd) {
    osd.machine().losePower();
    stage.restart(osd);
  }

  private static void awaitOpen(Stage stage, SimulatedOsd osd, PartitionId volume) {
    stage
        .world()
        .await(
            osd.name() + " serves clients of volume " + volume,
            LONG_MILLIS,
            () -> openVolumes(stage, osd).contains(volume));
  }

  /** Its last write is under no checkpoint. */
  private static void change(Stage stage, ClientNode client, String path) throws Exception {
    WeftFile file = stage.open(client, path);
    stage.call(Stage.write(file, 0, NEWS));
    var closed = stage.call(file.close());
  }

  @Test
  void aVolumeWhoseManagerIsAwayKeepsNoOsdFromAnother() throws Exception {
    Stage stage = Stage.boot(WorldOptions.of(3).withSecondVolume());
    PartitionId second = stage.world().homeVolume();
    ClientNode client = stage.client();
    stage.put(client, PATH, Stage.WIDE, OLD);
    stage.put(client, OTHER, Stage.WIDE, OLD);
    SimulatedManager manager = managerOf(stage, second);
    manager.kill();
    for (int unit = 0; unit < 2; unit++) {
      SimulatedOsd osd = stage.dataOsd(stage.map(client, PATH), unit);
      osd.stop();
      stage.world().await(osd.name() + " stops", LONG_MILLIS, () -> !osd.isRunning());
      stage.restart(osd);
      awaitOpen(stage, osd, ROOT);
      assertEquals(new TreeSet<>(Set.of(ROOT)), openVolumes(stage, osd));
    }
    ClientNode stranger = stage.client();
    assertArrayEquals(OLD, stage.read(stranger, PATH));
    change(stage, stranger, PATH);
    assertArrayEquals(EXPECTED, stage.read(stranger, PATH));
    stage.put(stranger, "/new", Stage.WIDE, OLD);
    assertArrayEquals(OLD, stage.read(stranger, "/new"));
    assertTrue(stage.map(stranger, PATH).missing().isEmpty(), "all components are written");
    manager.start();
    stage.heal();
    stage.assertHolds(PATH, EXPECTED);
    stage.assertHolds(OTHER, OLD);
  }

  @Test
  void comparisonOfOneVolumeOpensNoOther() throws Exception {
    for (long seed = 1; seed <= 3; seed++) {
      Stage stage = Stage.boot(WorldOptions.of(seed).withSecondVolume());
      PartitionId second = stage.world().homeVolume();
      ClientNode writer = stage.client();
      ClientNode reader = stage.client();
      WeftFile file = stage.open(writer, OTHER, Stage.WIDE, OLD);
      WeftInput opened = stage.call(reader.files().open(WeftPath.of(OTHER)));
      assertArrayEquals(OLD, stage.read(opened, OLD.length));
      SimulatedManager manager = managerOf(stage, second);
      SimulatedOsd away = stage.dataOsd(stage.map(reader, OTHER), 0);
      away.pause();
      stage.call(Stage.write(file, 0, NEWS));
      manager.kill();
      away.resume();
      awaitOpen(stage, away, ROOT);
      // By the map of before: this unit alone, which was written around.
      ByteBuffer first = ByteBuffer.allocate(Stage.UNIT);
      CompletableFuture<Integer> read = opened.read(0, first);
      stage.world().pass(3_000);
      manager.start();
      assertEquals(Stage.UNIT, stage.call(read));
      assertArrayEquals(NEWS, first.array(), "seed " + seed);
      var closed = stage.call(file.close());
      opened.close();
      stage.heal();
      stage.assertHolds(OTHER, EXPECTED);
    }
  }

  @Test
  void anotherLossClosesAVolumeThatHadComparedTheOsd() throws Exception {
    for (long seed = 1; seed <= 3; seed++) {
      Stage stage = Stage.boot(WorldOptions.of(seed).withSecondVolume());
      PartitionId second = stage.world().homeVolume();
      ClientNode client = stage.client();
      stage.put(client, PATH, Stage.WIDE, OLD);
      SimulatedManager other = managerOf(stage, second);
      SimulatedManager own = managerOf(stage, ROOT);
      SimulatedOsd victim = stage.dataOsd(stage.map(client, PATH), 0);
      other.kill();
      stage.world().pass(12_000);
      losesPowerAndComesBack(stage, victim);
      awaitOpen(stage, victim, ROOT);
      stage.world().pass(12_000);
      change(stage, client, PATH);
      assertTrue(stage.map(client, PATH).missing().isEmpty(), "it was written there");
      WeftInput opened = stage.call(client.files().open(WeftPath.of(PATH)));
      own.kill();
      losesPowerAndComesBack(stage, victim);
      stage.world().pass(3_000);
      assertEquals(new TreeSet<>(), openVolumes(stage, victim));
      assertArrayEquals(EXPECTED, stage.read(opened, EXPECTED.length), "seed " + seed);
      opened.close();
      other.start();
      own.start();
      stage.heal();
      stage.assertHolds(PATH, EXPECTED);
    }
  }

  /**
   * The OSD lost power and may serve the volume again, and the manager does not know that yet. Two
   * rules keep old bytes from readers, each alone. A file is not written around an OSD that has
   * voted for the volume. What is left on one that is written around is removed before.
   */
  @Test
  void readmittedOsdServesNothingStale() throws Exception {
    for (long seed = 14; seed <= 20; seed++) {
      Stage stage = Stage.boot(WorldOptions.of(seed).withSecondVolume());
      PartitionId second = stage.world().homeVolume();
      ClientNode writer = stage.client();
      ClientNode reader = stage.patientClient();
      stage.put(writer, PATH, Stage.WIDE, OLD);
      SimulatedManager own = managerOf(stage, ROOT);
      managerOf(stage, second).kill();
      stage.world().pass(12_000);
      WeftInput opened = stage.call(reader.files().open(WeftPath.of(PATH)));
      SimulatedOsd victim = stage.dataOsd(stage.map(reader, PATH), 0);
      losesPowerAndComesBack(stage, victim);
      stage
          .world()
          .await("the volume's word is taken", LONG_MILLIS, () -> isCompared(stage, victim, ROOT));
      // Before or after the manager has the table that says so.
      stage.world().pass(25 * seed);
      for (SysmgrNode member : stage.world().sysmgrs()) {
        stage.world().network().separate(own.name(), member.name());
      }
      WeftFile file = stage.open(writer, PATH);
      CompletableFuture<Void> write = Stage.write(file, 0, NEWS);
      stage.world().time().after(1_500_000_000L, stage.world().network()::heal);
      stage.call(write);
      stage
          .world()
          .await(
              "it serves the volume's clients",
              LONG_MILLIS,
              () -> !victim.store().refusesClientsOf(ROOT));
      ByteBuffer first = ByteBuffer.allocate(Stage.UNIT);
      var count = stage.call(opened.read(0, first));
      assertArrayEquals(NEWS, first.array(), "seed " + seed);
      var closed = stage.call(file.close());
      opened.close();
      stage.heal();
      stage.assertHolds(PATH, EXPECTED);
    }
  }
}
