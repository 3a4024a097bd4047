package org.weft.sysmgr.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.AcquireVolumesReply;
import org.weft.protocol.wire.CreateVolumeRequest;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.HeartbeatReply;
import org.weft.protocol.wire.HeartbeatRequest;
import org.weft.protocol.wire.JoinReply;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;
import org.weft.protocol.wire.ReadmitOsdRequest;
import org.weft.protocol.wire.VolumeFormattedRequest;
import org.weft.protocol.wire.VolumeOperation;

/** What OSDs and the table hear of a quarantine that ends volume by volume (P 5.8). */
final class VolumeQuarantineTest {
  private final SimulatedSysmgr sysmgr = new SimulatedSysmgr(43, 1);

  private static HeartbeatRequest.Builder osdBeat(int id, long partitionsVersion) {
    return HeartbeatRequest.newBuilder()
        .setOsdId(id)
        .setIncarnation(1)
        .setPartitionsVersion(partitionsVersion);
  }

  private void formatted(long volume) throws WeftException {
    VolumeFormattedRequest formatted =
        VolumeFormattedRequest.newBuilder().setManagerId(1).setVolumeId(volume).setEpoch(1).build();
    sysmgr.call(1, Opcode.VOLUME_FORMATTED, formatted, Empty.parser());
  }

  private void makeSecondVolume() throws WeftException {
    CreateVolumeRequest request =
        CreateVolumeRequest.newBuilder()
            .setUser("root")
            .addGroups("supergroup")
            .setNonce(5)
            .setPath("/two")
            .build();
    sysmgr.call(1, Opcode.CREATE_VOLUME, request, VolumeOperation.parser());
    sysmgr.call(
        1,
        Opcode.ACQUIRE_VOLUMES,
        SimulatedSysmgr.acquisition(1, 7).toBuilder().setVolumeId(2).build(),
        AcquireVolumesReply.parser());
    formatted(2);
  }

  /** One volume's manager is away: the other's clients wait for its own alone (P 5.8). */
  @Test
  void anOsdServesComparedVolumesBeforeTheOthers() throws Exception {
    sysmgr.awaitCluster();
    sysmgr.joinOsd(1, "a", 7400, 1);
    sysmgr.joinManager(1, "m", 7310);
    sysmgr.acquire(1, 1, 7);
    formatted(1);
    makeSecondVolume();
    long stored = sysmgr.joinOsd(1, "a", 7400, 1).getPartitionsVersion();
    sysmgr.beat(1, osdBeat(1, stored).setLeaving(true));
    JoinReply joined = sysmgr.joinOsd(1, "a", 7400, 2);
    assertEquals(List.of(), joined.getOpenVolumesList());
    assertEquals(List.of(1L, 2L), sysmgr.table(1).getOsds(0).getAwaitedVolumeList());
    HeartbeatRequest.Builder beat =
        osdBeat(1, joined.getPartitionsVersion())
            .setIncarnation(2)
            .setQuarantine(1)
            .setQuarantined(true);
    assertEquals(List.of(), sysmgr.beat(1, beat).getOpenVolumesList());
    ReadmitOsdRequest compared =
        ReadmitOsdRequest.newBuilder()
            .setManagerId(1)
            .setVolumeId(1)
            .setEpoch(1)
            .setOsdId(1)
            .setIncarnation(2)
            .setQuarantine(1)
            .build();
    sysmgr.call(1, Opcode.READMIT_OSD, compared, Empty.parser());
    HeartbeatReply reply = sysmgr.beat(1, beat);
    assertTrue(reply.getQuarantined());
    assertEquals(List.of(1L), reply.getOpenVolumesList());
    sysmgr.seconds(1);
    assertEquals(List.of(), sysmgr.table(1).getOsds(0).getOpenVolumeList(), "it has not said so");
    sysmgr.beat(1, beat.addOpenVolumes(1));
    sysmgr.seconds(1);
    OsdRow row = sysmgr.table(1).getOsds(0);
    assertEquals(NodeState.QUARANTINED, row.getState());
    assertEquals(List.of(1L), row.getOpenVolumeList());
    assertEquals(List.of(2L), row.getAwaitedVolumeList());
    // It is given up again: nothing of that holds.
    sysmgr.beat(1, osdBeat(1, stored).setIncarnation(2).setLeaving(true));
    assertEquals(List.of(), sysmgr.table(1).getOsds(0).getOpenVolumeList());
    JoinReply again = sysmgr.joinOsd(1, "a", 7400, 3);
    assertEquals(2, again.getQuarantine());
    assertEquals(List.of(), again.getOpenVolumesList());
  }
}
