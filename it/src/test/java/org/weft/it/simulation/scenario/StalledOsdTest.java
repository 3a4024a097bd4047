package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.WeftFile;
import org.weft.client.WeftInput;
import org.weft.client.WeftPath;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.simulator.node.SysmgrNode;

/**
 * An OSD that was frozen, given up and written around. It finds requests in its sockets when it
 * continues, before it learns of its quarantine (P 5.8).
 */
class StalledOsdTest {
  private static final String PATH = "/file";
  private static final byte[] OLD = Stage.bytes(1, 2 * Stage.STRIPE);
  private static final byte[] NEWS = Stage.bytes(2, Stage.UNIT);

  /** Reads the first unit by a map of before, from an OSD that goes on a moment later. */
  private static void assertNothingOldIsRead(long seed, boolean patient) throws Exception {
    Stage stage = Stage.boot(WorldOptions.of(seed));
    ClientNode writer = stage.client();
    ClientNode reader = patient ? stage.patientClient() : stage.client();
    stage.put(writer, PATH, Stage.WIDE, OLD);
    StorageMap map = stage.map(reader, PATH);
    WeftInput opened = stage.reading(reader, PATH, OLD);
    SimulatedOsd stalled = stage.dataOsd(map, 0);
    stalled.pause();
    // Only SysMgr tells it that it was given up: what a manager says may be read too late.
    stage
        .world()
        .managers()
        .forEach(manager -> stage.world().network().separate(manager.name(), stalled.name()));
    stage.world().pass(7_000);
    WeftFile file = stage.open(writer, PATH);
    stage.call(Stage.write(file, 0, NEWS));
    var closed = stage.call(file.close());
    assertFalse(stage.map(writer, PATH).missing().isEmpty());
    ByteBuffer target = ByteBuffer.allocate(Stage.UNIT);
    CompletableFuture<Integer> read = opened.read(0, target);
    // The request waits in a socket; others are asked, too, unless the reader is patient.
    stage.world().pass(patient ? 5 : 40);
    stalled.resume();
    var count = stage.call(read);
    assertArrayEquals(NEWS, target.array(), "seed " + seed);
    opened.close();
    stage.heal();
    stage.assertHolds(PATH, Stage.changed(OLD, 0, NEWS));
  }

  @Test
  void unhedgedReaderGetsNothingStale() throws Exception {
    for (long seed = 1; seed <= 5; seed++) {
      assertNothingOldIsRead(seed, true);
    }
  }

  @Test
  void hedgedReaderGetsNothingStale() throws Exception {
    for (long seed = 1; seed <= 5; seed++) {
      assertNothingOldIsRead(seed, false);
    }
  }

  /** Files that are open go on being read while all of SysMgr is away. */
  @Test
  void osdWithoutSysmgrServes() throws Exception {
    Stage stage = Stage.boot();
    ClientNode reader = stage.patientClient();
    stage.put(reader, PATH, Stage.WIDE, OLD);
    WeftInput opened = stage.call(reader.files().open(WeftPath.of(PATH)));
    SimulatedOsd osd = stage.dataOsd(stage.map(reader, PATH), 0);
    stage.world().sysmgrs().forEach(SysmgrNode::pause);
    stage.world().pass(60_000);
    assertArrayEquals(firstUnit(OLD), firstUnit(stage, opened));
    // Shorter than a manager would wait for its answer.
    osd.pause();
    stage.world().pass(300);
    osd.resume();
    assertArrayEquals(firstUnit(OLD), firstUnit(stage, opened));
    opened.close();
  }

  private static byte[] firstUnit(byte[] content) {
    return Arrays.copyOf(content, Stage.UNIT);
  }

  private static byte[] firstUnit(Stage stage, WeftInput opened) throws Exception {
    ByteBuffer target = ByteBuffer.allocate(Stage.UNIT);
    var count = stage.call(opened.read(0, target));
    return target.array();
  }
}
