package org.weft.sysmgr.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.sysmgr.StageResults;
import org.weft.testkit.replication.FakeReplication;

/** The log in memory keeps the contract, and its faults are those it says. */
final class FakeReplicationTest extends ReplicatedLogContract {
  private static final Executor HERE = Runnable::run;

  private final FakeReplication replication = new FakeReplication();

  @Override
  ReplicatedLog open(ReplicatedLog.Machine machine) {
    ReplicatedLog log = replication.open(1, RPC, machine, HERE);
    replication.elect(1);
    return log;
  }

  @Override
  void compact() {
    replication.compact(1);
  }

  private static Endpoint rpc(int member) {
    return new Endpoint("127.0.0.1", 7300 + member);
  }

  @Test
  void aFollowerAppliesButRefusesAndNamesTheLeader() throws Exception {
    ListMachine followers = new ListMachine();
    ReplicatedLog leader = replication.open(1, rpc(1), new ListMachine(), HERE);
    ReplicatedLog follower = replication.open(2, rpc(2), followers, HERE);
    replication.elect(1);
    proposed(leader, "a");
    assertEquals(List.of("a"), followers.commands());
    StageResults.failure(ErrorCode.NOT_LEADER, propose(follower, "b"));
    StageResults.failure(ErrorCode.NOT_LEADER, follower.readBarrier());
    assertEquals(Optional.of(rpc(1)), follower.leader());
  }

  @Test
  void aLeaderCutOffBelievesOnButConfirmsNothing() throws Exception {
    ListMachine old = new ListMachine();
    ReplicatedLog first = replication.open(1, rpc(1), old, HERE);
    ReplicatedLog second = replication.open(2, rpc(2), new ListMachine(), HERE);
    replication.elect(1);
    replication.cut(1);
    replication.elect(2);
    CompletionStage<byte[]> lost = propose(first, "lost");
    CompletionStage<Void> barrier = first.readBarrier();
    assertTrue(first.isLeader());
    proposed(second, "kept");
    assertFalse(lost.toCompletableFuture().isDone());
    replication.heal(1);
    StageResults.failure(ErrorCode.NOT_LEADER, lost);
    StageResults.failure(ErrorCode.NOT_LEADER, barrier);
    assertEquals(List.of("kept"), old.commands());
  }
}
