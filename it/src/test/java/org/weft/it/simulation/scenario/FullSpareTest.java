package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.client.CreateOptions;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftOutput;
import org.weft.client.WeftPath;
import org.weft.osd.store.StoreStatus;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;

/** The only OSD that can take what was lost has no room for all of it (P 6.8). */
class FullSpareTest {
  private static final long CAPACITY_BYTES = 8 << 20;
  private static final long TWENTIETH_BYTES = CAPACITY_BYTES / 20;
  private static final long AFTER_MILLIS = 8_000;
  private static final LayoutSpec BARE = new LayoutSpec(1, 0, Stage.UNIT, 0, 1);
  private static final byte[] OTHER = Stage.bytes(1, 544 << 10);

  /** What they, the OSD's reserve and a twentieth leave takes one component, and not two. */
  private static final int OTHERS = 13;

  /**
   * Long pauses between slow pieces: managers know what OSDs hold, as these said it, before a
   * rebuild is over.
   */
  private static final int SHARE_PERCENT = 5;

  private static final long SLOW_NANOS = 500_000_000;

  /** Half a mebibyte for each component. */
  private static final byte[] CONTENT = Stage.bytes(2, 2 << 20);

  private static final int FILES = 4;

  private final Stage stage =
      Stage.boot(
          WorldOptions.of(1)
              .withRepair(AFTER_MILLIS)
              .withRepairShare(SHARE_PERCENT)
              .withOsdCapacityBytes(CAPACITY_BYTES));

  /** Makes files until so many lie as wanted; where one lies is known before a byte is written. */
  private List<String> put(
      ClientNode client,
      String name,
      int wanted,
      LayoutSpec layout,
      byte[] content,
      SimulatedOsd spare)
      throws Exception {
    boolean isOnSpare = layout == BARE;
    List<String> paths = new ArrayList<>();
    for (int number = 0; paths.size() < wanted; number++) {
      WeftPath path = WeftPath.of("/" + name + "-" + number);
      WeftOutput out =
          stage.call(client.files().create(path, CreateOptions.newFile().withLayout(layout)));
      StorageMap map = stage.map(client, path.toString());
      if (map.components().contains(new OsdId(spare.osdId())) == isOnSpare) {
        paths.add(path.toString());
        stage.call(out.write(ByteBuffer.wrap(content)));
        stage.call(out.close());
      } else {
        stage.call(out.close());
        stage.call(client.files().unlink(path));
      }
    }
    return paths;
  }

  private static long freeBytes(SimulatedOsd osd) {
    StoreStatus status = osd.store().status();
    return status.capacityBytes() - status.usedBytes() - status.reserveBytes();
  }

  private long withoutSpare() {
    return stage.world().managers().stream()
        .flatMap(manager -> manager.health().stream())
        .mapToLong(volume -> volume.getRepair().getWithoutSpare())
        .sum();
  }

  private int onSpare(ClientNode client, List<String> paths, SimulatedOsd spare) throws Exception {
    int on = 0;
    for (String path : paths) {
      on += stage.map(client, path).components().contains(new OsdId(spare.osdId())) ? 1 : 0;
    }
    return on;
  }

  private void awaitOnSpare(ClientNode client, List<String> paths, SimulatedOsd spare, int wanted)
      throws Exception {
    for (int look = 0; look < 600; look++) {
      if (onSpare(client, paths, spare) >= wanted) {
        return;
      }
      stage.world().pass(500);
    }
    throw new AssertionError(onSpare(client, paths, spare) + " are rebuilt, not " + wanted);
  }

  @Test
  void concurrentRebuildsLeaveATwentiethOfEachOsdFree() throws Exception {
    ClientNode client = stage.client();
    SimulatedOsd spare = stage.world().osds().get(0);
    List<String> others = put(client, "other", OTHERS, BARE, OTHER, spare);
    List<String> paths = put(client, "file", FILES, Stage.WIDE, CONTENT, spare);
    stage.world().pass(12_000);
    SimulatedOsd lost = stage.dataOsd(stage.map(client, paths.get(0)), 1);
    for (SimulatedManager manager : stage.world().managers()) {
      stage.world().network().latency(manager.name(), spare.name(), SLOW_NANOS);
    }
    lost.kill();
    stage.world().await("files wait for a spare", 120_000, () -> withoutSpare() > 0);
    awaitOnSpare(client, paths, spare, 1);
    stage.world().pass(60_000);
    assertEquals(1, onSpare(client, paths, spare));
    assertEquals(FILES - 1, withoutSpare());
    assertTrue(freeBytes(spare) >= TWENTIETH_BYTES, () -> "left to clients: " + freeBytes(spare));
    for (String path : others) {
      stage.call(client.files().unlink(WeftPath.of(path)));
    }
    awaitOnSpare(client, paths, spare, FILES);
    for (String path : paths) {
      stage.assertHolds(path, CONTENT);
    }
  }
}
