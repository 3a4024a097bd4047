package org.weft.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.volume.SessionGrant;
import org.weft.client.volume.SessionReply;
import org.weft.client.volume.VolumeCalls;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.testkit.osd.Fault;
import org.weft.testkit.sim.SimProcess;

/** OSDs whose machines went down, and what of the files written before is given up (P 5.9). */
final class LostWritesTest {
  @TempDir Path folder;
  private ManagerWorld world;
  private VolumeCalls calls;

  @BeforeEach
  void startCluster() {
    world = new ManagerWorld(5, 4, folder);
    world.start();
    calls = world.superuser();
  }

  @AfterEach
  void stopCluster() {
    world.kill();
  }

  private SessionReply<CreateReply> create(String path) {
    return world.time.await(
        calls.create(path, new VolumeCalls.Creation(0644, 0, false, false, Optional.empty())));
  }

  /** As its writer does that has made the components: of what was never written nothing is lost. */
  private void close(String path, SessionReply<CreateReply> created) {
    var unused =
        world.time.await(
            calls.close(
                new SessionGrant(
                    path,
                    created.sessionId(),
                    created.body().getAttributes().getObjectId(),
                    created.body().getGrant().getNumber()),
                0,
                1,
                false));
  }

  private StorageMap map(String path) {
    return StorageMap.fromMessage(world.time.await(calls.attributes(path)).getMap());
  }

  private void goesDownAndComesBack(int... numbers) {
    for (int number : numbers) {
      world.restartOsd(number);
      world.cluster.quarantine(number, true);
    }
  }

  private NodeState state(int osd) {
    return world.cluster.table().getOsds(osd - 1).getState();
  }

  private VolumeHealth health() {
    return world.manager().health().get(0);
  }

  private int holder(SessionReply<CreateReply> created, int component) {
    return created.body().getGrant().getMap().getOsd(component);
  }

  @Test
  void fileClosedJustBeforeThePowerLossIsReadFromOtherOsds() {
    SessionReply<CreateReply> created = create("/f");
    close("/f", created);
    int lost = holder(created, 1);
    goesDownAndComesBack(lost);
    world.time.runUntil("it is readmitted", () -> state(lost) == NodeState.UP);
    StorageMap map = map("/f");
    assertTrue(map.isMissing(1));
    assertEquals(1, map.missing().size());
    assertEquals(1, health().getRepairComponents());
    assertEquals(0, health().getLaggingCopies(), "what is left of it there is removed");
  }

  @Test
  void fileUnderCheckpointsLosesNoBytes() {
    SessionReply<CreateReply> created = create("/f");
    close("/f", created);
    world.pass(15_000);
    int lost = holder(created, 1);
    goesDownAndComesBack(lost);
    world.time.runUntil("it is readmitted", () -> state(lost) == NodeState.UP);
    assertEquals(0, map("/f").missing().size());
    assertEquals(0, health().getRepairComponents());
  }

  @Test
  void lossesBeyondTheCodeAreAcceptedAndReported() {
    SessionReply<CreateReply> created = create("/f");
    close("/f", created);
    int width = created.body().getGrant().getMap().getOsdCount();
    int[] lost = new int[width];
    for (int component = 0; component < width; component++) {
      lost[component] = holder(created, component);
    }
    goesDownAndComesBack(lost);
    for (int osd : lost) {
      world.time.runUntil("it is readmitted", () -> state(osd) == NodeState.UP);
    }
    assertEquals(0, map("/f").missing().size());
    world.pass(1_000);
    List<String> problems = world.manager().problems();
    assertTrue(
        problems.stream().anyMatch(each -> each.contains("(f) may lack")), problems::toString);
  }

  /** Its writer may say nothing for a long time: other files do not wait for it. */
  @Test
  void aFileThatIsBeingWrittenHoldsUpNoOther() {
    SessionReply<CreateReply> created = create("/f");
    int lost = holder(created, 1);
    SessionReply<CreateReply> other = create("/g");
    int otherLost = holder(other, 1);
    close("/g", other);
    goesDownAndComesBack(lost);
    world.time.runUntil("it is readmitted", () -> state(lost) == NodeState.UP);
    assertTrue(map("/f").isMissing(1));
    if (otherLost == lost) {
      assertTrue(map("/g").isMissing(1));
    }
    close("/f", created);
    assertEquals(0, health().getUnresolvedFiles());
  }

  /** SysMgr has not noticed yet that the second went down with the first. */
  @Test
  void anOsdThatDoesNotAnswerMayHaveLostPowerToo() {
    SessionReply<CreateReply> created = create("/f");
    close("/f", created);
    int one = holder(created, 1);
    int two = holder(created, 2);
    world.osds.get(two - 1).stop();
    goesDownAndComesBack(one);
    world.pass(3_000);
    assertEquals(NodeState.QUARANTINED, state(one));
    assertEquals(0, map("/f").missing().size());
    world.cluster.osdState(two, NodeState.DOWN);
    world.pass(3_000);
    assertEquals(NodeState.QUARANTINED, state(one), "it may come back");
    goesDownAndComesBack(two);
    world.time.runUntil(
        "both are readmitted", () -> state(one) == NodeState.UP && state(two) == NodeState.UP);
    world.time.runUntil("it is resolved", () -> health().getWriteGrants() == 0);
    assertEquals(0, map("/f").missing().size(), "neither is believed alone");
    assertTrue(
        world.manager().problems().stream().anyMatch(each -> each.contains("(f) may lack")),
        () -> "" + world.manager().problems());
  }

  /** Another one is being asked meanwhile. What it lost is decided when it is back. */
  @Test
  void anOsdThatGoesDownBeforeItIsDecidedIsNotForgotten() {
    SessionReply<CreateReply> created = create("/f");
    close("/f", created);
    int one = holder(created, 1);
    int two = holder(created, 2);
    world.osds.get(two - 1).faults(opcode -> Fault.SILENCE);
    goesDownAndComesBack(one);
    world.pass(1_000);
    world.cluster.osdState(one, NodeState.DOWN);
    world.cluster.osdState(two, NodeState.DOWN);
    world.pass(15_000);
    goesDownAndComesBack(one);
    world.time.runUntil("it is readmitted", () -> state(one) == NodeState.UP);
    assertTrue(map("/f").isMissing(1));
  }

  /** It answers, as another start of it than SysMgr knows: so it went down. */
  @Test
  void anOsdThatStartedAgainUnnoticedIsWaitedFor() {
    SessionReply<CreateReply> created = create("/f");
    close("/f", created);
    int one = holder(created, 1);
    int two = holder(created, 2);
    world.osds.get(two - 1).restart();
    goesDownAndComesBack(one);
    world.pass(3_000);
    assertEquals(0, map("/f").missing().size());
    goesDownAndComesBack(two);
    world.time.runUntil(
        "both are readmitted", () -> state(one) == NodeState.UP && state(two) == NodeState.UP);
    assertEquals(0, map("/f").missing().size());
  }

  /** Nothing can be given up, so that what is there decides; and the file is named. */
  @Test
  void aDeadWritersFileIsResolvedThoughTooManyOsdsLostWrites() {
    SimProcess home = world.newProcess();
    SessionReply<CreateReply> created =
        world.time.await(
            world
                .clientIn(home)
                .create("/g", new VolumeCalls.Creation(0644, 0, false, false, Optional.empty())));
    world.pass(1_000);
    home.kill();
    int width = created.body().getGrant().getMap().getOsdCount();
    int[] lost = new int[width];
    for (int component = 0; component < width; component++) {
      lost[component] = holder(created, component);
    }
    goesDownAndComesBack(lost);
    for (int osd : lost) {
      world.time.runUntil("it is readmitted", () -> state(osd) == NodeState.UP);
    }
    world.time.runUntil("it is resolved", () -> health().getWriteGrants() == 0);
    assertEquals(0, map("/g").missing().size());
    List<String> problems = world.manager().problems();
    assertTrue(
        problems.stream().anyMatch(each -> each.contains("(g) may lack")), problems::toString);
  }

  /** Its disk is lost after its power. */
  @Test
  void deadWritersFileDoesNotWaitForALostOsd() {
    SimProcess home = world.newProcess();
    SessionReply<CreateReply> created =
        world.time.await(
            world
                .clientIn(home)
                .create("/f", new VolumeCalls.Creation(0644, 0, false, false, Optional.empty())));
    world.pass(1_000);
    home.kill();
    int lost = holder(created, 1);
    goesDownAndComesBack(lost);
    world.osdDown(lost);
    world.time.runUntil("its writer's lease is over", () -> health().getUnresolvedFiles() > 0);
    world.pass(60_000);
    assertEquals(0, health().getUnresolvedFiles());
    assertEquals(0, health().getWriteGrants());
    assertTrue(map("/f").isMissing(1));
  }

  @Test
  void nextManagerKnowsPossibleLosses() {
    SessionReply<CreateReply> created = create("/f");
    close("/f", created);
    int lost = holder(created, 1);
    for (int round = 0; round < 3; round++) {
      world.kill();
      if (round == 1) {
        goesDownAndComesBack(lost);
      }
      world.launch();
      world.pass(100 + 150 * round);
    }
    world.awaitServing();
    world.time.runUntil("it is readmitted", () -> state(lost) == NodeState.UP);
    calls = world.superuser();
    assertTrue(map("/f").isMissing(1));
    assertFalse(health().getRepairComponents() == 0);
  }
}
