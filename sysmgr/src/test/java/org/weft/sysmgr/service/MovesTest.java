package org.weft.sysmgr.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.AcquireVolumesReply;
import org.weft.protocol.wire.AcquireVolumesRequest;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.DrainManagerRequest;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.HeartbeatReply;
import org.weft.protocol.wire.HeartbeatRequest;
import org.weft.protocol.wire.JoinReply;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.MoveVolumeRequest;
import org.weft.protocol.wire.RemoveManagerRequest;
import org.weft.protocol.wire.VolumeFormattedRequest;
import org.weft.protocol.wire.VolumeRow;
import org.weft.sysmgr.SysmgrClient;

/** Moves and drains as SysMgr leads them, with leaders that go in between, on virtual time. */
final class MovesTest {
  private final SimulatedSysmgr sysmgr = new SimulatedSysmgr(13, 3);

  @BeforeEach
  void open() throws Exception {
    sysmgr.awaitCluster();
    for (int i = 1; i <= 3; i++) {
      sysmgr.call(
          1, Opcode.JOIN_MANAGER, SysmgrClient.join("m" + i, 7310 + i, 0), JoinReply.parser());
    }
    long epoch =
        sysmgr
            .call(
                1,
                Opcode.ACQUIRE_VOLUMES,
                AcquireVolumesRequest.newBuilder().setManagerId(1).setNonce(5).build(),
                AcquireVolumesReply.parser())
            .getVolumes(0)
            .getVolume()
            .getEpoch();
    sysmgr.call(
        1,
        Opcode.VOLUME_FORMATTED,
        VolumeFormattedRequest.newBuilder().setManagerId(1).setVolumeId(1).setEpoch(epoch).build(),
        Empty.parser());
  }

  private void beat(int member, int... managers) throws RpcException {
    for (int manager : managers) {
      sysmgr.call(
          member,
          Opcode.HEARTBEAT,
          HeartbeatRequest.newBuilder().setManagerId(manager).build(),
          HeartbeatReply.parser());
    }
  }

  private void beatFor(int member, int seconds, int... managers) throws RpcException {
    for (int i = 0; i < 2 * seconds; i++) {
      beat(member, managers);
      sysmgr.seconds(0.5);
    }
  }

  private void drain(int member, int manager, boolean undrain) throws RpcException {
    sysmgr.call(
        member,
        Opcode.DRAIN_MANAGER,
        DrainManagerRequest.newBuilder()
            .setUser("root")
            .setManagerId(manager)
            .setUndrain(undrain)
            .build(),
        Empty.parser());
  }

  private VolumeRow root(int member) throws RpcException {
    return sysmgr.status(member).getTable().getVolumes(0);
  }

  @Test
  void aDrainIsCarriedOnByTheNextLeader() throws Exception {
    drain(1, 1, false);
    sysmgr.replication.elect(2);
    sysmgr.seconds(1);
    beatFor(2, 4, 1, 2, 3);
    assertEquals(2, root(2).getMoveTo());
    assertEquals("", root(2).getMoveFailure());
    assertTrue(sysmgr.status(2).getTable().getManagers(0).getDraining());
    drain(2, 1, true);
    sysmgr.seconds(0.5);
    assertEquals(0, root(2).getMoveTo());
    assertFalse(sysmgr.status(2).getTable().getManagers(0).getDraining());
  }

  @Test
  void aDrainLooksForAnotherManagerWhereOneGoesDown() throws Exception {
    drain(1, 1, false);
    beatFor(1, 1, 1, 2, 3);
    assertEquals(2, root(1).getMoveTo());
    beatFor(1, 12, 1, 3);
    assertEquals(3, root(1).getMoveTo());
    assertEquals("", root(1).getMoveFailure());
  }

  /** Its journal is there alone: such a volume would take the place of others that can move. */
  @Test
  void aVolumeOfAManagerThatIsDownIsNotMovedByADrain() throws Exception {
    beatFor(1, 15, 2, 3);
    drain(1, 1, false);
    beatFor(1, 3, 2, 3);
    assertEquals(0, root(1).getMoveTo());
    // It is up again, and its journal with it.
    beatFor(1, 3, 1, 2, 3);
    assertEquals(2, root(1).getMoveTo());
  }

  @Test
  void aMoveThatDoesNotComeAboutIsGivenUpAndSaysSo() throws Exception {
    MoveVolumeRequest wanted =
        MoveVolumeRequest.newBuilder().setUser("root").setPath("/").setManagerId(2).build();
    sysmgr.call(1, Opcode.MOVE_VOLUME, wanted, Empty.parser());
    beatFor(1, 100, 1, 2, 3);
    assertEquals("", root(1).getMoveFailure());
    beatFor(1, 30, 1, 2, 3);
    assertTrue(root(1).getMoveFailure().contains("120 s"), root(1)::getMoveFailure);
    sysmgr.call(1, Opcode.MOVE_VOLUME, wanted, Empty.parser());
    assertEquals("", root(1).getMoveFailure());
  }

  private static RemoveManagerRequest removal(String user, int manager) {
    return RemoveManagerRequest.newBuilder().setUser(user).setManagerId(manager).build();
  }

  @Test
  void aRemovedManagerIsGoneAtTheNextLeaderTooAndIsRefusedThere() throws Exception {
    beatFor(1, 15, 1, 3);
    assertEquals(
        List.of("manager-down manager-2"),
        sysmgr.status(1).getProblemsList().stream()
            .filter(each -> each.getName().equals("manager-down"))
            .map(each -> each.getName() + " " + each.getSubject())
            .toList());
    sysmgr.call(1, Opcode.REMOVE_MANAGER, removal("root", 2), Empty.parser());
    sysmgr.replication.elect(2);
    sysmgr.seconds(1);
    beatFor(2, 4, 1, 3);
    ClusterStatus status = sysmgr.status(2);
    assertEquals(
        List.of(1, 3),
        status.getTable().getManagersList().stream().map(ManagerRow::getManagerId).toList());
    assertEquals(2, status.getRemovedManagers(0).getManagerId());
    assertTrue(
        status.getProblemsList().stream().noneMatch(each -> each.getName().equals("manager-down")));
    assertTrue(
        status.getLastEventsList().stream()
            .anyMatch(
                each -> each.getKind().equals("manager-removed") && each.getUser().equals("root")));
    String refused =
        sysmgr.failure(
            ErrorCode.INVALID_ARGUMENT,
            sysmgr.ask(2, Opcode.JOIN_MANAGER, SysmgrClient.join("m2", 7312, 1), sysmgr.secret()));
    assertTrue(refused.contains("manager-2 was removed from the cluster"), refused);
    // A process that was cut off, and is heard again, is told to join, and refused then.
    sysmgr.failure(
        ErrorCode.NOT_FOUND,
        sysmgr.ask(
            2,
            Opcode.HEARTBEAT,
            HeartbeatRequest.newBuilder().setManagerId(2).build(),
            sysmgr.secret()));
  }

  @Test
  void thePrimaryIsNotRemovedWhetherItIsUpOrNot() throws Exception {
    beatFor(1, 1, 1, 2, 3);
    sysmgr.failure(
        ErrorCode.INVALID_ARGUMENT, sysmgr.ask(1, Opcode.REMOVE_MANAGER, removal("root", 1), null));
    beatFor(1, 15, 2, 3);
    sysmgr.failure(
        ErrorCode.INVALID_ARGUMENT, sysmgr.ask(1, Opcode.REMOVE_MANAGER, removal("root", 1), null));
    assertEquals(1, root(1).getManagerId());
  }

  @Test
  void onlyTheSuperuserMovesAndDrains() {
    sysmgr.failure(
        ErrorCode.PERMISSION_DENIED, sysmgr.ask(1, Opcode.REMOVE_MANAGER, removal("eve", 2), null));
    sysmgr.failure(
        ErrorCode.PERMISSION_DENIED,
        sysmgr.ask(
            1,
            Opcode.MOVE_VOLUME,
            MoveVolumeRequest.newBuilder().setUser("eve").setPath("/").setManagerId(2).build(),
            null));
    sysmgr.failure(
        ErrorCode.PERMISSION_DENIED,
        sysmgr.ask(
            1,
            Opcode.DRAIN_MANAGER,
            DrainManagerRequest.newBuilder().setUser("eve").setManagerId(2).build(),
            null));
  }
}
