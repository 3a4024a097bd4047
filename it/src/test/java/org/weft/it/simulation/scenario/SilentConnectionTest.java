package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.WeftFile;
import org.weft.client.WeftInput;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;

/**
 * Connections to an OSD that are dead since a cut, which is over (P 5.8.66). Another connection is
 * open at once, and none of its owners waits for TCP.
 */
class SilentConnectionTest {
  private static final String PATH = "/file";
  private static final byte[] OLD = Stage.bytes(1, 2 * Stage.STRIPE);
  private static final byte[] NEWS = Stage.bytes(2, Stage.UNIT);
  private static final int SEEDS = 5;

  /** Less than TCP would wait, and less than an attempt to write lasts. */
  private static final long SOON_MILLIS = 5_000;

  private static void silence(Stage stage, String machine, SimulatedOsd osd) {
    stage.world().network().silenceConnections(machine, osd.name());
  }

  private static void assertSoon(Stage stage, long seed, CompletableFuture<?> call)
      throws Exception {
    stage.world().pass(SOON_MILLIS);
    assertTrue(call.isDone(), "it waits for a connection that leads nowhere, seed " + seed);
    var done = stage.call(call);
  }

  @Test
  void writerContinuesSoonWithoutLosingAComponent() throws Exception {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Stage stage = Stage.boot(WorldOptions.of(seed));
      ClientNode writer = stage.client();
      stage.put(writer, PATH, Stage.WIDE, OLD);
      StorageMap map = stage.map(writer, PATH);
      WeftFile file = stage.open(writer, PATH);
      stage.call(Stage.write(file, 0, OLD));
      silence(stage, writer.name(), stage.dataOsd(map, 0));
      assertSoon(stage, seed, Stage.write(file, 0, NEWS));
      var closed = stage.call(file.close());
      assertEquals(Set.of(), Set.copyOf(stage.map(writer, PATH).missing()), "seed " + seed);
      stage.heal();
      stage.assertHolds(PATH, Stage.changed(OLD, 0, NEWS));
    }
  }

  @Test
  void aReaderThatAsksNoOtherOsdReadsSoon() throws Exception {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Stage stage = Stage.boot(WorldOptions.of(seed));
      ClientNode reader = stage.patientClient();
      stage.put(reader, PATH, Stage.WIDE, OLD);
      WeftInput opened = stage.reading(reader, PATH, OLD);
      silence(stage, reader.name(), stage.dataOsd(stage.map(reader, PATH), 0));
      ByteBuffer target = ByteBuffer.allocate(Stage.UNIT);
      assertSoon(stage, seed, opened.read(0, target));
      assertArrayEquals(Arrays.copyOf(OLD, Stage.UNIT), target.array());
      opened.close();
    }
  }

  /** Rounds, checkpoints and grants of a manager go by its connection, too. */
  @Test
  void aManagerServesOnAndNoOsdIsGivenUp() throws Exception {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Stage stage = Stage.boot(WorldOptions.of(seed));
      ClientNode writer = stage.client();
      stage.put(writer, PATH, Stage.WIDE, OLD);
      StorageMap map = stage.map(writer, PATH);
      for (SimulatedManager manager : stage.world().managers()) {
        silence(stage, manager.name(), stage.dataOsd(map, 0));
      }
      stage.put(writer, PATH + 2, Stage.WIDE, OLD);
      stage.world().pass(20_000);
      assertEquals(Set.of(), Set.copyOf(stage.map(writer, PATH).missing()), "seed " + seed);
      assertEquals(Set.of(), Set.copyOf(stage.map(writer, PATH + 2).missing()), "seed " + seed);
      stage.heal();
      stage.assertHolds(PATH + 2, OLD);
    }
  }
}
