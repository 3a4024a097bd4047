package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedOsd;

/** Names whose attributes only OSDs have that are away, and that no manager remembers (P 5.8). */
class ReturningOsdsTest {
  private static final long SEED = 95_810_000;
  private static final String PATH = "/file";
  private static final byte[] CONTENT = Stage.bytes(1, 2 * Stage.STRIPE);

  /** More than such a manager keeps. */
  private static final int OTHERS = 100;

  /** Longer than managers wait before they bring anything to OSDs. */
  private static final long FLUSHED_MILLIS = 15_000;

  /** A manager that knows the name, and not where it leads, and the OSDs that do. */
  private record Scene(Stage stage, ClientNode client, List<SimulatedOsd> holders) {
    static Scene of(long seed) throws WeftException {
      Stage stage = Stage.boot(WorldOptions.of(seed).withForgetful());
      ClientNode client = stage.client();
      stage.put(client, PATH, Stage.WIDE, CONTENT);
      StorageMap map = stage.map(client, PATH);
      stage.world().pass(FLUSHED_MILLIS);
      for (int other = 0; other < OTHERS; other++) {
        stage.put(client, "/other-" + other, Stage.WIDE, new byte[] {1});
      }
      stage.world().pass(FLUSHED_MILLIS);
      assertTrue(
          stage.call(client.files().list(WeftPath.ROOT, 1_000, false).nextPage()).stream()
              .flatMap(List::stream)
              .anyMatch(each -> each.path().equals(WeftPath.of(PATH))));
      List<SimulatedOsd> holders =
          map.attributeHolders(stage.rootVolume().metaCopies()).stream()
              .map(
                  osd ->
                      stage.world().osds().stream()
                          .filter(node -> node.osdId() == osd.value())
                          .findFirst()
                          .orElseThrow())
              .toList();
      assertTrue(holders.size() > 1, holders::toString);
      holders.forEach(SimulatedOsd::kill);
      return new Scene(stage, client, holders);
    }

    CompletableFuture<FileStatus> asked() {
      return client.files().attributes(WeftPath.of(PATH));
    }

    CompletableFuture<Optional<List<FileStatus>>> listed() {
      return client.files().list(WeftPath.ROOT).nextPage();
    }

    void goOn(long millis, CompletableFuture<?> call) {
      stage.world().pass(millis);
      assertTrue(!call.isDone(), () -> "it waits: " + call);
    }
  }

  /** The first is back before SysMgr gives them up; the second is compared, in quarantine. */
  @ParameterizedTest
  @ValueSource(longs = {2_000, 8_000})
  void areWaitedFor(long awayMillis) throws Exception {
    Scene scene = Scene.of(SEED + awayMillis);
    CompletableFuture<FileStatus> asked = scene.asked();
    CompletableFuture<Optional<List<FileStatus>>> listed = scene.listed();
    scene.goOn(awayMillis, asked);
    scene.goOn(0, listed);
    scene.holders().forEach(SimulatedOsd::start);
    assertEquals(CONTENT.length, scene.stage().call(asked).sizeBytes());
    assertTrue(scene.stage().call(listed).isPresent(), "names with attributes");
  }

  @Test
  void filesOfAbsentOsdsAreReportedUnreachable() throws Exception {
    Scene scene = Scene.of(SEED);
    CompletableFuture<FileStatus> asked = scene.asked();
    scene.goOn(10_000, asked);
    WeftException failure = scene.stage().failureOf(asked);
    assertEquals(ErrorCode.TOO_MANY_LOST, failure.code());
    assertTrue(failure.getMessage().contains("did not reply"), failure.getMessage());
    scene.holders().forEach(scene.stage()::restart);
    assertEquals(CONTENT.length, scene.stage().call(scene.asked()).sizeBytes());
  }
}
