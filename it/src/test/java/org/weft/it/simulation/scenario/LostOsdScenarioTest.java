package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftFile;
import org.weft.client.WeftInput;
import org.weft.client.WeftPath;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimNode;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.simulator.node.SysmgrNode;

/** OSDs that are lost, or seem to be, and what they say when they are back (P 5.8, 5.9, 6.3). */
class LostOsdScenarioTest {
  private static final String PATH = "/file";
  private static final byte[] OLD = Stage.bytes(1, 2 * Stage.STRIPE);
  private static final byte[] NEWS = Stage.bytes(2, Stage.UNIT);

  @Test
  void soleWriterWithoutAnOsdDoesNotWriteAroundIt() throws Exception {
    Stage stage = Stage.boot();
    Stage.OpenedFile shared = stage.opened(PATH, OLD);
    stage.world().network().separate(shared.writer().name(), stage.dataOsd(shared.map(), 0).name());
    CompletableFuture<Void> write = Stage.write(shared.file(), 0, NEWS);
    stage.world().pass(20_000);
    assertFalse(write.isDone(), "no change is complete without a component that is there");
    assertTrue(stage.map(shared.other(), PATH).missing().isEmpty());
    assertArrayEquals(OLD, stage.read(shared.other(), PATH));
    stage.world().network().heal();
    stage.call(write);
    assertArrayEquals(Stage.changed(OLD, 0, NEWS), stage.read(shared.other(), PATH));
    var closed = stage.call(shared.file().close());
    stage.assertHolds(PATH, Stage.changed(OLD, 0, NEWS));
  }

  @Test
  void returningOsdThatWasWrittenAroundIsNotRead() throws Exception {
    Stage stage = Stage.boot();
    Stage.OpenedFile shared = stage.opened(PATH, OLD);
    WeftInput opened = stage.reading(shared.other(), PATH, OLD);
    SimulatedOsd away = stage.dataOsd(shared.map(), 0);
    away.pause();
    stage.call(Stage.write(shared.file(), 0, NEWS));
    byte[] expected = Stage.changed(OLD, 0, NEWS);
    assertArrayEquals(expected, stage.read(opened, OLD.length), "while it is away");
    away.resume();
    // It does not know yet that it was given up.
    assertArrayEquals(expected, stage.read(opened, OLD.length), "when it is just back");
    stage.world().pass(1_000);
    assertArrayEquals(expected, stage.read(opened, OLD.length), "when it has been told");
    var closed = stage.call(shared.file().close());
    opened.close();
    stage.heal();
    stage.assertHolds(PATH, expected);
  }

  @Test
  void readerThatSleptThroughALossReadsNothingStale() throws Exception {
    Stage stage = Stage.boot();
    Stage.OpenedFile shared = stage.opened(PATH, OLD);
    WeftInput opened = stage.call(shared.other().files().open(WeftPath.of(PATH)));
    SimulatedOsd away = stage.dataOsd(shared.map(), 0);
    away.pause();
    stage.call(Stage.write(shared.file(), 0, NEWS));
    away.resume();
    assertArrayEquals(Stage.changed(OLD, 0, NEWS), stage.read(opened, OLD.length));
    opened.close();
  }

  /** All others reach it: it hears from a manager that it was given up. */
  @Test
  void osdOnlySysmgrLostIsNotReadOnceWrittenAround() throws Exception {
    Stage stage = Stage.boot();
    Stage.OpenedFile shared = stage.opened(PATH, OLD);
    WeftInput opened = stage.reading(shared.other(), PATH, OLD);
    SimulatedOsd cutOff = stage.dataOsd(shared.map(), 0);
    for (SysmgrNode member : stage.world().sysmgrs()) {
      stage.world().network().separate(member.name(), cutOff.name());
    }
    stage.world().pass(8_000);
    // It is down now, and the writer does without it once it does not answer.
    stage.world().network().separate(shared.writer().name(), cutOff.name());
    stage.call(Stage.write(shared.file(), 0, NEWS));
    assertFalse(stage.map(shared.other(), PATH).missing().isEmpty());
    ByteBuffer first = ByteBuffer.allocate(Stage.UNIT);
    assertEquals(Stage.UNIT, stage.call(opened.read(0, first)));
    assertArrayEquals(NEWS, first.array(), "by the map of before");
    var closed = stage.call(shared.file().close());
    opened.close();
    stage.heal();
    stage.assertHolds(PATH, Stage.changed(OLD, 0, NEWS));
  }

  @Test
  void osdThatLostPowerIsNotReadBeyondItsCheckpoint() throws Exception {
    for (long seed = 1; seed <= 5; seed++) {
      Stage stage = Stage.boot(WorldOptions.of(seed));
      ClientNode writer = stage.client();
      WeftFile file = stage.open(writer, PATH, Stage.WIDE, OLD);
      stage.world().pass(12_000);
      stage.call(Stage.write(file, 0, NEWS));
      var closed = stage.call(file.close());
      SimulatedOsd victim = stage.dataOsd(stage.map(writer, PATH), 0);
      victim.machine().losePower();
      stage.restart(victim);
      ClientNode stranger = stage.client();
      assertArrayEquals(Stage.changed(OLD, 0, NEWS), stage.read(stranger, PATH), "seed " + seed);
      stage.heal();
      stage.assertHolds(PATH, Stage.changed(OLD, 0, NEWS));
    }
  }

  @Test
  void namesThatWereAcknowledgedOutliveALossOfPowerEverywhere() throws Exception {
    for (long seed = 1; seed <= 5; seed++) {
      Stage stage = Stage.boot(WorldOptions.of(seed));
      ClientNode client = stage.client();
      var made = stage.call(client.files().mkdir(WeftPath.of("/d"), 0755));
      stage.put(client, "/d/a", Stage.WIDE, OLD);
      stage.world().pass(12_000);
      stage.call(client.files().rename(WeftPath.of("/d/a"), WeftPath.of("/b"), false));
      var last = stage.call(client.files().mkdir(WeftPath.of("/d/e"), 0755));
      client.kill();
      for (SimNode node : stage.world().nodes()) {
        if (node != client) {
          node.machine().losePower();
        }
      }
      stage.heal();
      ClientNode stranger = stage.client();
      assertArrayEquals(OLD, stage.read(stranger, "/b"), "seed " + seed);
      assertTrue(stage.call(stranger.files().attributes(WeftPath.of("/d/e"))).isDirectory());
      assertEquals(
          List.of("/d/e"),
          stage.call(stranger.files().list(WeftPath.of("/d")).nextPage()).orElseThrow().stream()
              .map(entry -> entry.path().toString())
              .toList());
    }
  }

  @Test
  void aPathSurvivesAsManyLossesAsTheBytesItLeadsTo() throws Exception {
    Stage stage = Stage.boot();
    ClientNode client = stage.client();
    var made = stage.call(client.files().mkdirs(WeftPath.of("/a/b"), 0755));
    stage.put(client, "/a/b/c", LayoutSpec.of(3, 2, Stage.UNIT), OLD);
    stage.world().pass(12_000);
    List<SimulatedOsd> osds = stage.world().osds();
    for (int first = 0; first < osds.size(); first++) {
      for (int second = first + 1; second < osds.size(); second++) {
        osds.get(first).kill();
        osds.get(second).kill();
        stage.world().managers().get(0).kill();
        stage.world().managers().get(0).start();
        ClientNode stranger = stage.client();
        assertArrayEquals(
            OLD, stage.read(stranger, "/a/b/c"), "without " + first + " and " + second);
        stranger.kill();
        stage.restart(osds.get(first));
        stage.restart(osds.get(second));
      }
    }
  }

  @Test
  void aFullOsdLeavesNoStripeHalfWritten() throws Exception {
    Stage stage = Stage.boot();
    ClientNode writer = stage.client();
    WeftFile file = stage.open(writer, PATH, Stage.WIDE, OLD);
    stage.parityOsd(stage.map(writer, PATH)).machine().fullDisk(true);
    byte[] wide = Stage.bytes(3, 8 * Stage.STRIPE);
    CompletableFuture<Void> write = Stage.write(file, 0, wide);
    stage.world().pass(60_000);
    writer.kill();
    stage.heal();
    byte[] found = stage.read(stage.client(), PATH);
    if (write.isDone() && !write.isCompletedExceptionally()) {
      assertArrayEquals(wide, found);
    }
    stage.assertHolds(PATH, found);
  }
}
