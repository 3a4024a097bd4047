package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftFile;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedOsd;

/** OSDs carry out what managers copy beside what clients ask, and not before it (P 6.8). */
class BackgroundShareTest {
  private static final int FILES = 3;
  private static final long AFTER_MILLIS = 8_000;
  private static final long SLOW_NANOS = 20_000_000;

  /** As {@link Stage#WIDE}, in as few requests as its many bytes take. */
  private static final LayoutSpec WIDE = LayoutSpec.of(4, 1, 64 << 10);

  /** A component is copied in three pieces of 256 KiB. */
  private static final byte[] CONTENT = Stage.bytes(1, 192 * Stage.STRIPE);

  private static final byte[] NEWS = Stage.bytes(2, Stage.UNIT);

  private static boolean isRebuilt(StorageMap map, SimulatedOsd lost) {
    return !map.components().contains(new OsdId(lost.osdId())) && map.missing().isEmpty();
  }

  /**
   * The client writes all the time to two OSDs that hold a part of all that is lost. What managers
   * read there waits, and the client's writes pass what waits.
   */
  @Test
  void clientWritesOvertakeRebuildReadsAndTheRebuildEnds() throws Exception {
    Stage stage =
        Stage.boot(
            WorldOptions.of(95880001)
                .withLone(2)
                .withRepair(AFTER_MILLIS)
                .withRepairShare(20)
                .withOsdCapacityBytes(64L << 20));
    ClientNode client = stage.client();
    WeftFile busy = stage.open(client, "/busy", WIDE, CONTENT);
    StorageMap map = stage.map(client, "/busy");
    List<String> paths = new ArrayList<>();
    for (int file = 0; file < FILES; file++) {
      String path = "/file-" + file;
      stage.put(client, path, WIDE, CONTENT);
      paths.add(path);
    }
    stage.world().pass(12_000);
    SimulatedOsd written = stage.dataOsd(map, 0);
    SimulatedOsd lost = stage.dataOsd(map, 1);
    stage.world().osds().forEach(osd -> osd.machine().slowDisk(SLOW_NANOS));
    lost.kill();
    int passed = 0;
    int looks = 0;
    int rebuilt = 0;
    while (rebuilt < FILES) {
      assertTrue(
          looks++ < 3_000, () -> "not rebuilt: " + stage.world().managers().get(0).problems());
      long waitedBefore = written.background().waited();
      int waiting = written.background().waiting();
      stage.call(Stage.write(busy, 0, NEWS));
      if (waiting > 0 && written.background().waited() == waitedBefore) {
        passed++;
      }
      stage.world().pass(50);
      rebuilt = 0;
      for (String path : looks % 20 == 0 ? paths : List.<String>of()) {
        rebuilt += isRebuilt(stage.map(client, path), lost) ? 1 : 0;
      }
    }
    assertTrue(written.background().waited() > 0, "nothing that managers read waited for clients");
    assertTrue(passed > 0, "no write of the client passed what waited");
    stage.world().osds().forEach(osd -> osd.machine().repair());
    var closed = stage.call(busy.close());
    for (String path : paths) {
      stage.assertHolds(path, CONTENT);
    }
    assertArrayEquals(Stage.changed(CONTENT, 0, NEWS), stage.read(client, "/busy"));
  }
}
