package org.weft.nfs.exports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.weft.nfs.host.FakeAccounts;
import org.weft.nfs.host.HostTable;
import org.weft.nfs.oncrpc.CallMark;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.RpcCredential;
import org.weft.testkit.sim.VirtualTime;

/** For how long calls wait, in which order they go on, and how many wait. */
class WaitingCallsTest {
  private final VirtualTime time = new VirtualTime(1);
  private final WaitingCalls waits = new WaitingCalls(time, Runnable::run);
  private final CompletableFuture<Void> learning = new CompletableFuture<>();
  private final List<String> wentOn = new ArrayList<>();

  private static InetAddress client(int number) {
    return new InetSocketAddress("10.0.0." + number, 700).getAddress();
  }

  private CompletableFuture<Void> call(int client, int uid, String name) {
    return call(client, uid, name, learning);
  }

  private CompletableFuture<Void> call(
      int client, int uid, String name, CompletableFuture<Void> needs) {
    return waits
        .inOrder(new WaitingCalls.Caller(client(client), uid), needs)
        .thenRun(() -> wentOn.add(name));
  }

  @AfterEach
  void nothingWaitsAtTheEnd() {
    learning.complete(null);
    assertEquals(0, waits.waiting());
  }

  @Test
  void callsOfOneCallerGoOnInTheirOrder() {
    var unused = List.of(call(1, 7, "lock"), call(1, 7, "cancel"), call(1, 7, "unlock"));
    assertEquals(List.of(), wentOn);
    learning.complete(null);
    assertEquals(List.of("lock", "cancel", "unlock"), wentOn);
  }

  @Test
  void aCallDoesNotOvertakeOneThatGoesOnJustNow() {
    CompletableFuture<Void> known = CompletableFuture.completedFuture(null);
    var unused =
        waits
            .inOrder(new WaitingCalls.Caller(client(1), 7), learning)
            .thenRun(
                () -> {
                  CompletableFuture<Void> next = call(1, 7, "unlock", known);
                  wentOn.add("lock");
                  assertFalse(next.isDone());
                });
    var unusedToo = call(1, 7, "early", known);
    assertEquals(List.of(), wentOn, "what it needs is known, and one waits before it");
    assertTrue(call(1, 8, "other", known).isDone(), "another caller");
    learning.complete(null);
    assertEquals(List.of("other", "lock", "early", "unlock"), wentOn);
  }

  @Test
  void aCallWaitsForSecondsAtMost() {
    CompletableFuture<Void> call = call(1, 7, "lock");
    CompletableFuture<Void> brief = waits.briefly(learning);
    time.pass(WaitingCalls.PATIENCE_NANOS - 1);
    assertFalse(call.isDone() || brief.isDone());
    time.pass(1);
    assertTrue(call.isDone() && brief.isDone());
    assertEquals(0, waits.waiting());
  }

  @Test
  void waitingCallsOfOneClientAreBounded() {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < WaitingCalls.MAX_OF_CLIENT; i++) {
      all.add("call-" + i);
      assertFalse(call(1, 7, "call-" + i).isDone());
    }
    assertTrue(call(1, 8, "other").isDone(), "it is told at once to come later");
    assertFalse(call(2, 8, "elsewhere").isDone());
    wentOn.clear();
    assertTrue(call(1, 7, "last").isDone());
    all.add("last");
    assertEquals(all, wentOn, "it overtakes none");
  }

  @Test
  void waitingCallsOfAllClientsAreBounded() {
    for (int i = 0; i < WaitingCalls.MAX; i++) {
      assertFalse(call(i, 7, "call").isDone());
    }
    assertTrue(call(WaitingCalls.MAX, 7, "one more").isDone());
    assertEquals(WaitingCalls.MAX, waits.waiting());
  }

  /** As calls arrive: each asks the host itself. */
  @Test
  void callsThatWaitForOneQuestionGoOnInTheirOrder() throws Exception {
    Deque<Runnable> pool = new ArrayDeque<>();
    HostTable host = new HostTable(new FakeAccounts().user(7, "gull"), pool::add, time);
    Export export = new Export(1, "/", Optional.empty(), List.of(), false, Squash.ROOT, true);
    Policy policy =
        new Policy(
            1,
            Optional.empty(),
            new ExportTable(List.of(export)),
            new HostIdentities(new NumberTable(Map.of(), Map.of()), host),
            "");
    Gatekeeper gate = new Gatekeeper(() -> policy, waits);
    for (int xid = 1; xid <= 3; xid++) {
      String name = "call-" + xid;
      var unused = gate.prepare(call(xid)).thenRun(() -> wentOn.add(name));
    }
    while (!pool.isEmpty()) {
      pool.poll().run();
    }
    assertEquals(List.of("call-1", "call-2", "call-3"), wentOn);
  }

  private static RpcCall call(int xid) {
    return new RpcCall(
        xid,
        100_021,
        4,
        2,
        new RpcCredential.Sys(0, "host", 7, 8, List.of()),
        new InetSocketAddress(client(1), 700),
        new InetSocketAddress(client(2), 7_350),
        CallMark.NONE);
  }
}
