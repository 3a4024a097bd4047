package org.weft.client.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.fake.FakeClusterWorld.CLUSTER;
import static org.weft.client.fake.FakeClusterWorld.MANAGER;
import static org.weft.client.fake.FakeClusterWorld.SYSMGR_1;
import static org.weft.client.fake.FakeClusterWorld.SYSMGR_2;
import static org.weft.client.fake.FakeClusterWorld.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.weft.client.fake.FakeClusterWorld;
import org.weft.client.fake.ScriptedSysmgr;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.wire.GetTableRequest;

/** Calls that repeat do so on a connection that leads somewhere. */
class SysmgrLinkTest {
  private static final int TIMEOUT_MILLIS = 2_000;

  private final FakeClusterWorld world = new FakeClusterWorld(5);
  private final ScriptedSysmgr first = new ScriptedSysmgr(CLUSTER, table(5, MANAGER, 3));
  private final ScriptedSysmgr second = new ScriptedSysmgr(CLUSTER, table(5, MANAGER, 3));
  private final SysmgrLink link =
      new SysmgrLink(
          world.wire,
          List.of(SYSMGR_1, SYSMGR_2),
          () -> Optional.of(CLUSTER),
          "manager",
          TIMEOUT_MILLIS,
          world.home);
  private final List<CompletableFuture<RpcReply>> calls = new ArrayList<>();

  SysmgrLinkTest() {
    first.startAt(world.wire, SYSMGR_1);
    second.startAt(world.wire, SYSMGR_2);
  }

  private void call() {
    world.home.execute(() -> calls.add(link.call(question())));
  }

  private static RpcRequest question() {
    return RpcRequest.unsigned(
        Opcode.GET_TABLE, GetTableRequest.getDefaultInstance(), TIMEOUT_MILLIS);
  }

  /**
   * Beats do not wait for each other: when the first one goes unanswered, others are under way on
   * the same connection. All go to the next member, over one connection that none of them takes
   * away from the others.
   */
  @Test
  void callsThatGoUnansweredTogetherFindTheNextMemberTogether() {
    first.mute(true);
    for (int beat = 0; beat < 4; beat++) {
      call();
      world.pass(500);
    }
    world.pass(500);
    assertEquals(4, calls.size());
    for (CompletableFuture<RpcReply> each : calls) {
      assertTrue(each.isDone() && !each.isCompletedExceptionally(), "the next member answers");
      each.join().payload().release();
    }
    assertEquals(2, world.wire.connects());
  }

  @Test
  void aMembersHintLeadsToAnUnlistedLeader() {
    SysmgrLink narrow =
        new SysmgrLink(
            world.wire,
            List.of(SYSMGR_1),
            () -> Optional.of(CLUSTER),
            "client",
            TIMEOUT_MILLIS,
            world.home);
    first.follow(SYSMGR_2);
    CompletableFuture<RpcReply> answer =
        CompletableFuture.supplyAsync(() -> narrow.call(question()), world.home)
            .thenCompose(Function.identity());
    world.pass(500);
    assertTrue(answer.isDone() && !answer.isCompletedExceptionally(), "the leader answers");
    answer.join().payload().release();
  }

  @Test
  void membersThatNameEachOtherEndACall() {
    first.follow(SYSMGR_2);
    second.follow(SYSMGR_1);
    call();
    world.pass(500);
    assertTrue(calls.get(0).isCompletedExceptionally(), "no member leads");
    assertEquals(2, world.wire.connects());
  }
}
