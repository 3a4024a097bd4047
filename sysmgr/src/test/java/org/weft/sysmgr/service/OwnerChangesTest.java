package org.weft.sysmgr.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.HeartbeatRequest;
import org.weft.protocol.wire.RecoverVolumeRequest;
import org.weft.protocol.wire.VolumeFormattedRequest;
import org.weft.protocol.wire.VolumeHealth;

/** Leases of managers that are about to lose a volume, on virtual time (P 6.2, 6.8e). */
final class OwnerChangesTest {
  private final SimulatedSysmgr sysmgr = new SimulatedSysmgr(43, 3);

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

  private int leaseMillis(long epoch) throws Exception {
    return sysmgr
        .beat(
            1,
            HeartbeatRequest.newBuilder()
                .setManagerId(1)
                .addVolumes(
                    VolumeHealth.newBuilder().setVolumeId(1).setEpoch(epoch).setState("serving")))
        .getLeaseMillis();
  }

  private CompletableFuture<RpcReply> order() {
    return sysmgr.ask(
        1,
        Opcode.RECOVER_VOLUME,
        RecoverVolumeRequest.newBuilder()
            .setUser("root")
            .setPath("/")
            .setForce("its disk is lost")
            .build(),
        sysmgr.secret());
  }

  @Test
  void anOwnerGetsNoLeaseWhileACommandIsInDoubt() throws Exception {
    assertEquals(2_000, leaseMillis(1));
    CompletableFuture<RpcReply> order = order();
    sysmgr.seconds(0.1);
    assertEquals(0, leaseMillis(1), "the order waits for the end of its lease");
    sysmgr.replication.loseAnswers(true);
    sysmgr.failure(ErrorCode.UNAVAILABLE, order);
    for (int half = 0; half < 6; half++) {
      assertEquals(0, leaseMillis(1), "the order may be applied yet");
      sysmgr.seconds(0.5);
    }
    assertFalse(sysmgr.table(1).getVolumes(0).getEpoch() > 1);
    sysmgr.replication.loseAnswers(false);
    sysmgr.seconds(1);
    assertTrue(sysmgr.table(1).getVolumes(0).getEpoch() > 1);
    assertEquals(0, leaseMillis(1), "its epoch is over");
  }

  @Test
  void anOwnerGetsLeasesAgainOnceAllOrdersAreAnsweredOrRefused() throws Exception {
    assertEquals(2_000, leaseMillis(1));
    CompletableFuture<RpcReply> first = order();
    CompletableFuture<RpcReply> second = order();
    sysmgr.seconds(0.1);
    assertEquals(0, leaseMillis(1));
    sysmgr.time.await(first);
    sysmgr.time.runUntil("the second is answered", second::isDone);
    sysmgr.acquire(1, 1, 8);
    long epoch = sysmgr.table(1).getVolumes(0).getEpoch();
    assertEquals(2_000, leaseMillis(epoch));
  }

  @Test
  void anOrderWaitsForTheLeaseThatARepeatedAcquisitionGives() throws Exception {
    assertEquals(2_000, leaseMillis(1));
    CompletableFuture<RpcReply> order = order();
    sysmgr.seconds(1);
    sysmgr.acquire(1, 1, 7);
    sysmgr.seconds(1.5);
    assertEquals(1, sysmgr.table(1).getVolumes(0).getEpoch(), "its lease lasts for half a second");
    sysmgr.time.await(order);
    assertTrue(sysmgr.table(1).getVolumes(0).getEpoch() > 1);
  }
}
