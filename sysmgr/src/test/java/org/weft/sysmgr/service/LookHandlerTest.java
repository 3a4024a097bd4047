package org.weft.sysmgr.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.wire.AcquiredVolume;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.HeartbeatRequest;
import org.weft.protocol.wire.LookAtVolumeReply;
import org.weft.protocol.wire.LookAtVolumeRequest;
import org.weft.protocol.wire.VolumeFormattedRequest;
import org.weft.protocol.wire.VolumeHealth;

/** Keys to look at a volume are given while no manager serves it, on virtual time (P 6.8d). */
final class LookHandlerTest {
  private final SimulatedSysmgr sysmgr = new SimulatedSysmgr(44, 3);

  @BeforeEach
  void aVolumeWithManager() throws Exception {
    sysmgr.awaitCluster();
    sysmgr.joinManager(1, "m", 7310);
    sysmgr.acquire(1, 1, 7);
    sysmgr.call(
        1,
        Opcode.VOLUME_FORMATTED,
        VolumeFormattedRequest.newBuilder().setManagerId(1).setVolumeId(1).setEpoch(1).build(),
        Empty.parser());
  }

  private void beat() throws Exception {
    sysmgr.beat(
        1,
        HeartbeatRequest.newBuilder()
            .setManagerId(1)
            .addVolumes(VolumeHealth.newBuilder().setVolumeId(1).setEpoch(1).setState("serving")));
  }

  private static LookAtVolumeRequest request(long epoch) {
    return LookAtVolumeRequest.newBuilder()
        .setPath("/")
        .setIdentity("m")
        .setManagerId(1)
        .setEpoch(epoch)
        .build();
  }

  private AcquiredVolume look(long epoch) throws Exception {
    return sysmgr
        .call(1, Opcode.LOOK_AT_VOLUME, request(epoch), LookAtVolumeReply.parser())
        .getVolume();
  }

  private CompletableFuture<RpcReply> ask(long epoch, byte[] secret) {
    return sysmgr.ask(1, Opcode.LOOK_AT_VOLUME, request(epoch), secret);
  }

  @Test
  void whileALeaseRunsThereAreNoKeys() throws Exception {
    beat();
    sysmgr.seconds(1.5);
    String why = sysmgr.failure(ErrorCode.BUSY, ask(0, sysmgr.secret()));
    assertTrue(why.contains("manager-1"), why);
    sysmgr.seconds(1);
    AcquiredVolume given = look(0);
    assertEquals(1, given.getVolume().getEpoch());
    assertEquals(1, given.getVolume().getManagerId());
    assertTrue(given.getKeys().getKeysCount() > 0);
    assertEquals(1, sysmgr.table(1).getVolumes(0).getEpoch(), "no epoch begins by a look");
  }

  @Test
  void aManagerThatIsHeardAgainEndsALook() throws Exception {
    sysmgr.seconds(3);
    assertEquals(1, look(0).getVolume().getEpoch());
    beat();
    sysmgr.failure(ErrorCode.BUSY, ask(1, sysmgr.secret()));
  }

  @Test
  void aNewEpochEndsALookForGood() throws Exception {
    sysmgr.seconds(3);
    assertEquals(1, look(0).getVolume().getEpoch());
    sysmgr.acquire(1, 1, 8);
    sysmgr.seconds(3);
    sysmgr.failure(ErrorCode.FENCED, ask(1, sysmgr.secret()));
    assertEquals(2, look(2).getVolume().getEpoch());
  }

  /** All leases are over in its memory, and the epoch is the old one. */
  @Test
  void aLeaderThatTheOthersHaveReplacedGivesNoKeys() throws Exception {
    sysmgr.seconds(3);
    byte[] secret = sysmgr.secret();
    sysmgr.replication.cut(1);
    sysmgr.replication.elect(2);
    sysmgr.seconds(3);
    CompletableFuture<RpcReply> asked = ask(1, secret);
    sysmgr.time.runUntil("the call ends", asked::isDone);
    assertTrue(asked.isCompletedExceptionally(), "a member that does not lead gave keys");
  }

  @Test
  void noCallerGetsKeysWithoutTheJoinToken() throws Exception {
    sysmgr.seconds(3);
    sysmgr.failure(ErrorCode.UNAUTHENTICATED, ask(0, new byte[0]));
  }
}
