package org.weft.sysmgr.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.MessageLite;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.AcquireVolumesReply;
import org.weft.protocol.wire.AcquireVolumesRequest;
import org.weft.protocol.wire.ClusterStatus;
import org.weft.protocol.wire.DrainManagerRequest;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.HandOverRequest;
import org.weft.protocol.wire.HeartbeatReply;
import org.weft.protocol.wire.HeartbeatRequest;
import org.weft.protocol.wire.JoinReply;
import org.weft.protocol.wire.ManagerRow;
import org.weft.protocol.wire.MoveVolumeRequest;
import org.weft.protocol.wire.OsdLook;
import org.weft.protocol.wire.RemoveManagerRequest;
import org.weft.protocol.wire.SetBackupRequest;
import org.weft.protocol.wire.UnreachedOsd;
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

  private void beat(int member, int... managers) throws WeftException {
    for (int manager : managers) {
      sysmgr.call(
          member,
          Opcode.HEARTBEAT,
          HeartbeatRequest.newBuilder().setManagerId(manager).build(),
          HeartbeatReply.parser());
    }
  }

  private void beatFor(int member, int seconds, int... managers) throws WeftException {
    for (int i = 0; i < 2 * seconds; i++) {
      beat(member, managers);
      sysmgr.seconds(0.5);
    }
  }

  /** One OSD is up, which that manager alone does not reach; the others look, too. */
  private HeartbeatReply beatWithLooks(int cutOff, int asker) throws WeftException {
    HeartbeatRequest.Builder osd =
        HeartbeatRequest.newBuilder()
            .setOsdId(1)
            .setIncarnation(1)
            .setPartitionsVersion(sysmgr.state(1).partitionsVersion());
    sysmgr.call(1, Opcode.HEARTBEAT, osd.build(), HeartbeatReply.parser());
    HeartbeatReply last = HeartbeatReply.getDefaultInstance();
    for (int manager = 1; manager <= 3; manager++) {
      OsdLook.Builder look = OsdLook.newBuilder().setAgeMillis(0);
      if (manager == cutOff) {
        look.addUnreached(UnreachedOsd.newBuilder().setOsdId(1).setIncarnation(1));
      }
      HeartbeatReply reply =
          sysmgr.call(
              1,
              Opcode.HEARTBEAT,
              HeartbeatRequest.newBuilder().setManagerId(manager).setOsdLook(look).build(),
              HeartbeatReply.parser());
      last = manager == asker ? reply : last;
    }
    sysmgr.seconds(0.5);
    return last;
  }

  private static SetBackupRequest backup(int number, int backup, boolean unreached) {
    return SetBackupRequest.newBuilder()
        .setManagerId(1)
        .setVolumeId(1)
        .setEpoch(1)
        .setNumber(number)
        .setBackupId(backup)
        .setUnreached(unreached)
        .build();
  }

  private void refused(ErrorCode code, Opcode opcode, MessageLite request, String part) {
    String why = sysmgr.failure(code, sysmgr.ask(1, opcode, request, sysmgr.secret()));
    assertTrue(why.contains(part), why);
  }

  @Test
  void noVolumeMovesToAManagerThatDoesNotReachAnOsd() throws Exception {
    sysmgr.joinOsd(1, "a", 7400, 1);
    for (int i = 0; i < 4; i++) {
      beatWithLooks(2, 1);
    }
    MoveVolumeRequest move =
        MoveVolumeRequest.newBuilder().setUser("root").setPath("/").setManagerId(2).build();
    refused(
        ErrorCode.INVALID_ARGUMENT,
        Opcode.MOVE_VOLUME,
        move,
        "manager-2 does not reach OSDs [1], and could not serve the volume");
    drain(1, 1, false);
    assertEquals(List.of(2), beatWithLooks(2, 1).getCutOffManagersList());
    beatWithLooks(2, 1);
    assertEquals(3, root(1).getMoveTo());
    // The network has changed meanwhile.
    for (int i = 0; i < 4; i++) {
      beatWithLooks(3, 1);
    }
    assertEquals(2, root(1).getMoveTo());
  }

  @Test
  void aManagerThatIsDownIsNotNamedABackup() throws Exception {
    beatFor(1, 15, 1, 3);
    refused(ErrorCode.BUSY, Opcode.SET_BACKUP, backup(1, 2, false), "manager-2 is down");
    sysmgr.call(1, Opcode.SET_BACKUP, backup(2, 3, false), Empty.parser());
    assertEquals(3, root(1).getBackupId());
  }

  @Test
  void aPartedPrimaryIsAnsweredOnceBothHaveLooked() throws Exception {
    sysmgr.joinOsd(1, "a", 7400, 1);
    for (int i = 0; i < 4; i++) {
      beatWithLooks(0, 1);
    }
    sysmgr.call(1, Opcode.SET_BACKUP, backup(1, 2, false), Empty.parser());
    sysmgr.seconds(0.5);
    beat(1, 1, 2);
    refused(ErrorCode.BUSY, Opcode.SET_BACKUP, backup(2, 0, true), "look which OSDs they reach");
    sysmgr.seconds(0.5);
    assertTrue(beatWithLooks(0, 1).getLookAtOsds());
    sysmgr.call(1, Opcode.SET_BACKUP, backup(2, 0, true), Empty.parser());
    assertEquals(0, root(1).getBackupId());
  }

  @Test
  void anIsolatedPrimaryIsAskedForItsVolume() throws Exception {
    sysmgr.joinOsd(1, "a", 7400, 1);
    for (int i = 0; i < 4; i++) {
      beatWithLooks(0, 1);
    }
    sysmgr.call(1, Opcode.SET_BACKUP, backup(1, 2, false), Empty.parser());
    sysmgr.seconds(0.5);
    beat(1, 1, 2);
    refused(ErrorCode.BUSY, Opcode.SET_BACKUP, backup(2, 0, true), "look which OSDs they reach");
    beatWithLooks(1, 1);
    assertEquals(2, beatWithLooks(1, 1).getHandOvers(0).getBackupId());
    refused(ErrorCode.BUSY, Opcode.SET_BACKUP, backup(2, 0, true), "is to go to manager-2");
    // As the primary does then: it names its backup anew, ends its service, and hands over.
    sysmgr.call(1, Opcode.SET_BACKUP, backup(3, 2, false), Empty.parser());
    sysmgr.call(
        1,
        Opcode.HAND_OVER,
        HandOverRequest.newBuilder()
            .setManagerId(1)
            .setVolumeId(1)
            .setEpoch(1)
            .setBackupId(2)
            .build(),
        Empty.parser());
    assertEquals(2, root(1).getManagerId());
    assertEquals(1, root(1).getBackupId());
    refused(ErrorCode.FENCED, Opcode.SET_BACKUP, backup(2, 0, true), "");
  }

  private void drain(int member, int manager, boolean undrain) throws WeftException {
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

  private VolumeRow root(int member) throws WeftException {
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
  void aDrainLeavesVolumesOfADownManager() throws Exception {
    beatFor(1, 15, 2, 3);
    drain(1, 1, false);
    beatFor(1, 3, 2, 3);
    assertEquals(0, root(1).getMoveTo());
    // It is up again, and its journal with it.
    beatFor(1, 3, 1, 2, 3);
    assertEquals(2, root(1).getMoveTo());
  }

  @Test
  void aMoveThatTakesTooLongIsGivenUp() throws Exception {
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
  void theNextLeaderAlsoRefusesARemovedManager() throws Exception {
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
