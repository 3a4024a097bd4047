package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftFile;
import org.weft.client.WeftInput;
import org.weft.client.WeftPath;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;

/**
 * A component that is given up on its OSD's own word, since a block of it has rotted (P 5.8). The
 * OSD goes on serving what else it has, and is in no quarantine.
 */
class GivenUpComponentTest {
  private static final String PATH = "/file";
  private static final int BLOCK = 4096;
  private static final int UNIT = 2 * BLOCK;
  private static final LayoutSpec WIDE = LayoutSpec.of(4, 1, UNIT);
  private static final byte[] OLD = Stage.bytes(1, 4 * UNIT);

  /** A part of the first block, and all of the second one. */
  private static final int FROM = 100;

  private static final byte[] NEWS = Stage.bytes(2, UNIT - FROM);
  private static final int SEEDS = 24;

  /** True if the block that has rotted is the one that the write changes in part. */
  private static boolean isWrittenAroundAndReadNew(long seed) throws Exception {
    Stage stage = Stage.boot(WorldOptions.of(seed));
    ClientNode writer = stage.client();
    ClientNode reader = stage.patientClient();
    WeftFile file = stage.open(writer, PATH, WIDE, OLD);
    StorageMap map = stage.map(reader, PATH);
    WeftInput opened = stage.call(reader.files().open(WeftPath.of(PATH)));
    assertTrue(stage.dataOsd(map, 0).machine().rot());
    stage.call(Stage.write(file, FROM, NEWS));
    ByteBuffer second = ByteBuffer.allocate(BLOCK);
    var count = stage.call(opened.read(BLOCK, second));
    byte[] expected = Stage.changed(OLD, FROM, NEWS);
    assertArrayEquals(
        Arrays.copyOfRange(expected, BLOCK, 2 * BLOCK), second.array(), "seed " + seed);
    boolean around = !stage.map(reader, PATH).missing().isEmpty();
    var closed = stage.call(file.close());
    opened.close();
    stage.heal();
    stage.assertHolds(PATH, expected);
    return around;
  }

  @Test
  void remainsOfAGivenUpComponentAreNotRead() throws Exception {
    int around = 0;
    for (long seed = 1; seed <= SEEDS; seed++) {
      around += isWrittenAroundAndReadNew(seed) ? 1 : 0;
    }
    assertTrue(around > SEEDS / 8, "written around in " + around + " worlds");
  }
}
