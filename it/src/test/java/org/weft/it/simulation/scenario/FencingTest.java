package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.CreateOptions;
import org.weft.client.WeftFile;
import org.weft.client.WeftOutput;
import org.weft.client.WeftPath;
import org.weft.osd.store.value.Authority;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.layout.StorageMap;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedOsd;
import org.weft.simulator.node.SysmgrNode;

/** What comes too late changes nothing (P 5.4, 5.7, 6.2, 6.6). */
class FencingTest {
  private static final String PATH = "/file";
  private static final byte[] OLD = Stage.bytes(1, 2 * Stage.STRIPE);
  private static final byte[] FIRST = Stage.bytes(2, 1_000);
  private static final byte[] SECOND = Stage.bytes(3, 1_000);
  private static final long DAY_MILLIS = 24L * 60 * 60 * 1_000;

  @Test
  void frozenWriterOfATakenFileWritesNothing() throws Exception {
    Stage stage = Stage.boot();
    ClientNode frozen = stage.client();
    ClientNode next = stage.client();
    WeftFile file = stage.open(frozen, PATH, Stage.WIDE, OLD);
    CompletableFuture<Void> late = Stage.write(file, 0, FIRST);
    frozen.pause();
    WeftFile taken = stage.open(next, PATH);
    stage.call(Stage.write(taken, 0, SECOND));
    var closed = stage.call(taken.close());
    // Nothing of this rests on a wall clock.
    stage.world().osds().forEach(osd -> osd.machine().jumpClock(-DAY_MILLIS));
    frozen.resume();
    stage.world().pass(60_000);
    assertTrue(late.isCompletedExceptionally(), "its grant has ended");
    stage.assertHolds(PATH, Stage.changed(OLD, 0, SECOND));
  }

  @Test
  void lateWriteDoesNotOverwriteItsSuccessors() throws Exception {
    Stage stage = Stage.boot();
    ClientNode writer = stage.client();
    ClientNode next = stage.client();
    WeftFile file = stage.open(writer, PATH, Stage.WIDE, OLD);
    StorageMap map = stage.map(next, PATH);
    SimulatedOsd data = stage.dataOsd(map, 0);
    stage.world().network().cut(writer.name(), data.name());
    CompletableFuture<Void> hanging = Stage.write(file, 0, FIRST);
    stage.world().network().separate(writer.name(), stage.world().managers().get(0).name());
    WeftFile taken = stage.open(next, PATH);
    stage.call(Stage.write(taken, 0, SECOND));
    stage.world().network().heal();
    stage.world().pass(5_000);
    var closed = stage.call(taken.close());
    stage.world().pass(60_000);
    assertTrue(hanging.isCompletedExceptionally());
    stage.assertHolds(PATH, Stage.changed(OLD, 0, SECOND));
  }

  @Test
  void lateWritesDoNotBringARemovedFileBack() throws Exception {
    Stage stage = Stage.boot();
    TreeSet<Long> before = objects(stage);
    ClientNode writer = stage.client();
    ClientNode other = stage.client();
    WeftOutput out =
        stage.call(
            writer
                .files()
                .create(WeftPath.of(PATH), CreateOptions.newFile().withLayout(Stage.WIDE)));
    for (SimulatedOsd osd : stage.world().osds()) {
      stage.world().network().cut(writer.name(), osd.name());
    }
    stage.call(out.write(ByteBuffer.wrap(OLD)));
    CompletableFuture<Void> flush = out.hflush();
    stage.world().pass(100);
    stage.world().network().separate(writer.name(), stage.world().managers().get(0).name());
    stage.call(other.files().unlink(WeftPath.of(PATH)));
    stage.world().pass(25_000);
    stage.world().network().heal();
    stage.world().pass(60_000);
    assertTrue(flush.isCompletedExceptionally());
    writer.kill();
    other.kill();
    stage.heal();
    stage.world().pass(30_000);
    assertEquals(before, objects(stage), "no object is left that no name leads to");
  }

  private static TreeSet<Long> objects(Stage stage) throws Exception {
    TreeSet<Long> all = new TreeSet<>();
    for (SimulatedOsd osd : stage.world().osds()) {
      osd.store()
          .list(new PartitionId(1), Authority.ofManager(1_000), new ObjectId(0), 10_000)
          .objects()
          .forEach(object -> all.add(object.value()));
    }
    return all;
  }

  @Test
  void aManagerThatSysmgrDoesNotRenewAnswersNoClient() throws Exception {
    Stage stage = Stage.boot(WorldOptions.of(1));
    ClientNode client = stage.client();
    SysmgrNode sysmgr = stage.world().sysmgrs().get(0);
    sysmgr.pause();
    stage.world().pass(2_000);
    CompletableFuture<?> change = client.files().mkdir(WeftPath.of("/made"), 0755);
    stage.world().pass(10_000);
    assertFalse(change.isDone(), "its lease is over");
    sysmgr.resume();
    var made = stage.call(change);
  }

  @Test
  void aSysmgrLeaderThatIsCutOffKeepsNoManagerServing() throws Exception {
    Stage stage = Stage.boot(WorldOptions.of(1).withSysmgrMembers(3));
    ClientNode client = stage.client();
    SysmgrNode leader =
        stage.world().sysmgrs().stream().filter(SysmgrNode::isLeader).findFirst().orElseThrow();
    stage.world().sysmgrs().stream()
        .filter(member -> member != leader)
        .forEach(member -> stage.world().network().separate(leader.name(), member.name()));
    String manager = stage.world().managers().get(0).name();
    stage.world().sysmgrs().stream()
        .filter(member -> member != leader)
        .forEach(member -> stage.world().network().separate(manager, member.name()));
    stage.world().pass(10_000);
    CompletableFuture<?> change = client.files().mkdir(WeftPath.of("/made"), 0755);
    stage.world().pass(20_000);
    assertFalse(change.isDone(), "it hears only of a leader that no member follows");
    stage.world().network().heal();
    var made = stage.call(change);
  }
}
