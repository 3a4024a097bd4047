package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.CreateOptions;
import org.weft.client.WeftPath;
import org.weft.client.health.HealthCalls;
import org.weft.client.health.VolumeCheckStatus;
import org.weft.client.internal.ClientParts;
import org.weft.metadata.OfflineCheckCourse;
import org.weft.osd.store.mutation.ObjectRemoval;
import org.weft.osd.store.value.Authority;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.wire.CheckState;
import org.weft.protocol.wire.CheckStatusReply;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;

/** The check of a volume without its manager, by the manager's disk (P 6.8d.6). */
class UnservedVolumeTest {
  private static final byte[] CONTENT = Stage.bytes(1, 5 * Stage.STRIPE + 3_000);
  private static final int FILES = 12;
  private static final long SEED = 95_800_001;

  /** A volume with files, some of them with two names, whose journal's tail is long. */
  private record Scene(Stage stage, ClientNode client) {
    static Scene of(long seed) throws Exception {
      Stage stage = Stage.boot(WorldOptions.of(seed));
      ClientNode client = stage.client();
      Scene scene = new Scene(stage, client);
      var unusedMade = stage.call(client.files().mkdir(WeftPath.of("/dir"), 0755));
      for (int file = 0; file < FILES; file++) {
        stage.put(client, path(file), Stage.WIDE, content(file));
      }
      var unusedLinked =
          stage.call(client.files().link(WeftPath.of(path(0)), WeftPath.of("/dir/other")));
      return scene;
    }

    static String path(int file) {
      return (file % 2 == 0 ? "/file-" : "/dir/file-") + file;
    }

    static byte[] content(int file) {
      return file % 3 == 0 ? CONTENT : Stage.bytes(file, 300 + file);
    }

    SimulatedManager manager() {
      return stage.world().managers().get(0);
    }

    /** Names go, move and come, and nothing waits for that. */
    void change() {
      for (int file = 1; file < FILES; file += 3) {
        var unusedRemoved = client.files().unlink(WeftPath.of(path(file)));
        var unusedMoved =
            client
                .files()
                .rename(WeftPath.of(path(file + 1)), WeftPath.of("/dir/moved-" + file), false);
        var unusedMade =
            client
                .files()
                .create(
                    WeftPath.of("/dir/made-" + file),
                    CreateOptions.newFile().withLayout(Stage.WIDE));
      }
    }

    CheckStatusReply checked() throws WeftException {
      return ended(stage.call(manager().startCheck("/", true)));
    }

    private CheckStatusReply ended(OfflineCheckCourse check) throws WeftException {
      CheckStatusReply now = stage.call(check.status(0, 100));
      for (int poll = 0; poll < 3_000 && now.getState() == CheckState.CHECK_RUNNING; poll++) {
        stage.world().pass(100);
        now = stage.call(check.status(0, 100));
      }
      assertEquals(CheckState.CHECK_DONE, now.getState(), now.getDoing());
      return now;
    }

    VolumeCheckStatus checkedOnline() throws Exception {
      HealthCalls checks = ClientParts.of(stage.call(client.connected())).health();
      VolumeCheckStatus now = stage.call(checks.startCheck("/", true));
      for (int poll = 0; poll < 3_000 && now.isRunning(); poll++) {
        stage.world().pass(100);
        now = stage.call(checks.checkStatus("/", now.id(), 0, 100));
        assertTrue(now.isKnown(), "the manager knows of it");
      }
      assertEquals(VolumeCheckStatus.State.DONE, now.state(), now.doing());
      return now;
    }
  }

  @Test
  void workOfAKilledManagerGivesNoFinding() throws Exception {
    for (int step = 0; step < 6; step++) {
      Scene scene = Scene.of(SEED + step);
      SimulatedManager manager = scene.manager();
      scene.change();
      scene.stage().world().pass(2L + 9L * step);
      manager.kill();
      SortedMap<String, ByteBuffer> before = manager.diskContent();
      CheckStatusReply found = scene.checked();
      assertEquals(List.of(), found.getFindingList(), "step " + step);
      assertTrue(found.getObjects() > FILES / 2, found::toString);
      assertEquals(List.of(), found.getUncheckedList(), "step " + step);
      assertTrue(found.getStripes() > 0, found::toString);
      manager.kill();
      assertEquals(before, manager.diskContent(), "nothing is changed, step " + step);
      manager.start();
      assertEquals(List.of(), scene.checkedOnline().page(), "step " + step);
      scene.stage().assertHolds(Scene.path(3), Scene.content(3));
    }
  }

  private static ObjectRemoval removal(SimulatedOsd osd, long objectId) throws WeftException {
    ObjectName name = ObjectName.of(1, objectId);
    long epoch = osd.store().partition(name.partition()).orElseThrow().fenceEpoch();
    long lsn = Lsn.of(epoch, 1L << 30).value();
    return new ObjectRemoval(name, Authority.ofManager(epoch), lsn, 0, false, true);
  }

  @Test
  void offlineCheckReportsMissingObjectsLikeTheOnlineOne() throws Exception {
    Scene scene = Scene.of(SEED + 100);
    Stage stage = scene.stage();
    // Until all of it is on OSDs: what the journal's tail tells counts as brought there.
    stage.world().pass(60_000);
    long object = stage.objectId(scene.client(), Scene.path(3));
    SimulatedOsd osd = stage.osd(stage.map(scene.client(), Scene.path(3)), 4);
    scene.manager().kill();
    var unusedRemoved = stage.call(osd.store().apply(removal(osd, object)).toCompletableFuture());
    TreeSet<String> offline = new TreeSet<>();
    scene.checked().getFindingList().forEach(f -> offline.add(f.getKind() + " " + f.getPath()));
    scene.manager().kill();
    scene.manager().start();
    TreeSet<String> online = new TreeSet<>();
    scene.checkedOnline().page().forEach(f -> online.add(f.kind() + " " + f.path()));
    assertEquals(online, offline);
    assertTrue(online.contains("component-absent " + Scene.path(3)), online::toString);
  }

  @Test
  void checkKilledAtAnyMomentLeavesNoTrace() throws Exception {
    Scene scene = Scene.of(SEED + 200);
    SimulatedManager manager = scene.manager();
    scene.change();
    scene.stage().world().pass(20);
    manager.kill();
    SortedMap<String, ByteBuffer> before = manager.diskContent();
    for (long millis : new long[] {0, 1, 20, 400, 1_900, 2_200, 2_600, 3_500, 6_000}) {
      CompletableFuture<OfflineCheckCourse> unused = manager.startCheck("/", true);
      scene.stage().world().pass(millis);
      manager.kill();
      assertEquals(before, manager.diskContent(), "after " + millis + " ms");
    }
    CheckStatusReply found = scene.checked();
    assertEquals(List.of(), found.getFindingList());
    assertEquals(List.of(), found.getUncheckedList());
    assertTrue(found.getObjects() > FILES / 2, found::toString);
    manager.kill();
    manager.start();
    for (int file : new int[] {0, 3, 6}) {
      scene.stage().assertHolds(Scene.path(file), Scene.content(file));
    }
  }
}
