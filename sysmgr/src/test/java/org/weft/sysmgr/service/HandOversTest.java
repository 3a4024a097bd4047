package org.weft.sysmgr.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.HeartbeatRequest;
import org.weft.protocol.wire.SetBackupRequest;
import org.weft.protocol.wire.VolumeHealth;
import org.weft.protocol.wire.VolumeRow;

/** When SysMgr gives a volume to its backup by itself, on virtual time (P 6.2). */
final class HandOversTest {
  private final SimulatedSysmgr sysmgr = new SimulatedSysmgr(42, 3);

  @BeforeEach
  void start() {
    sysmgr.awaitCluster();
  }

  private static HeartbeatRequest.Builder servingBeat(int id, long epoch) {
    return idleBeat(id)
        .addVolumes(VolumeHealth.newBuilder().setVolumeId(1).setEpoch(epoch).setState("serving"));
  }

  private void pairOfManagers() throws Exception {
    sysmgr.joinManager(1, "m", 7310);
    sysmgr.joinManager(1, "n", 7311);
    sysmgr.acquire(1, 1, 7);
    nameBackup();
  }

  private void nameBackup() throws Exception {
    SetBackupRequest named =
        SetBackupRequest.newBuilder()
            .setManagerId(1)
            .setVolumeId(1)
            .setEpoch(1)
            .setNumber(1)
            .setBackupId(2)
            .build();
    sysmgr.call(1, Opcode.SET_BACKUP, named, Empty.parser());
  }

  private static HeartbeatRequest.Builder idleBeat(int manager) {
    return HeartbeatRequest.newBuilder().setManagerId(manager);
  }

  @Test
  void aBackupTakesOverOnceTheLeaseOfItsPrimaryIsOver() throws Exception {
    pairOfManagers();
    sysmgr.beat(1, servingBeat(1, 1));
    for (int half = 0; half < 4; half++) {
      assertEquals(1, sysmgr.table(1).getVolumes(0).getManagerId(), "its lease lasts");
      sysmgr.seconds(0.5);
      sysmgr.beat(1, idleBeat(2));
    }
    sysmgr.seconds(0.4);
    VolumeRow row = sysmgr.table(1).getVolumes(0);
    assertEquals(2, row.getManagerId());
    assertEquals(1, row.getBackupId());
    assertEquals(2, row.getEpoch());
    assertEquals(0, sysmgr.beat(1, servingBeat(1, 1)).getLeaseMillis());
    assertEquals(2_000, sysmgr.beat(1, servingBeat(2, 2)).getLeaseMillis());
  }

  @Test
  void aNewLeaderWaitsForThePrimarysLeaseBeforePromotion() throws Exception {
    pairOfManagers();
    sysmgr.beat(1, servingBeat(1, 1));
    sysmgr.seconds(1);
    sysmgr.replication.cut(1);
    sysmgr.replication.elect(2);
    sysmgr.seconds(0.5);
    for (int half = 0; half < 3; half++) {
      sysmgr.beat(2, idleBeat(2));
      assertEquals(1, sysmgr.table(2).getVolumes(0).getManagerId(), "its lease may last");
      sysmgr.seconds(0.5);
    }
    sysmgr.beat(2, idleBeat(2));
    sysmgr.seconds(0.8);
    assertEquals(2, sysmgr.table(2).getVolumes(0).getManagerId());
  }

  @Test
  void aBackupThatIsSilentDoesNotTakeOver() throws Exception {
    pairOfManagers();
    sysmgr.beat(1, servingBeat(1, 1));
    sysmgr.beat(1, idleBeat(2));
    sysmgr.seconds(5);
    assertEquals(1, sysmgr.table(1).getVolumes(0).getManagerId());
    sysmgr.beat(1, servingBeat(1, 1));
  }

  @Test
  void anAcquiredLeaseLastsAsLongAsARenewedOne() throws Exception {
    sysmgr.joinManager(1, "m", 7310);
    sysmgr.joinManager(1, "n", 7311);
    sysmgr.seconds(1.8);
    sysmgr.acquire(1, 1, 7);
    nameBackup();
    for (int half = 0; half < 3; half++) {
      sysmgr.beat(1, idleBeat(2));
      sysmgr.seconds(0.5);
      assertEquals(1, sysmgr.table(1).getVolumes(0).getManagerId(), "its lease lasts");
    }
    sysmgr.beat(1, idleBeat(2));
    sysmgr.seconds(1);
    assertEquals(2, sysmgr.table(1).getVolumes(0).getManagerId());
  }

  @Test
  void aRestartedPrimaryThatWaitsForItsLeaseKeepsTheVolume() throws Exception {
    pairOfManagers();
    sysmgr.beat(1, servingBeat(1, 1));
    sysmgr.seconds(1);
    var next =
        sysmgr.ask(1, Opcode.ACQUIRE_VOLUMES, SimulatedSysmgr.acquisition(1, 8), sysmgr.secret());
    while (!next.isDone()) {
      sysmgr.beat(1, idleBeat(1));
      sysmgr.beat(1, idleBeat(2));
      sysmgr.seconds(0.3);
    }
    VolumeRow row = sysmgr.table(1).getVolumes(0);
    assertEquals(1, row.getManagerId());
    assertEquals(2, row.getEpoch());
    assertEquals(2_000, sysmgr.beat(1, servingBeat(1, 2)).getLeaseMillis(), "the hold is over");
  }
}
