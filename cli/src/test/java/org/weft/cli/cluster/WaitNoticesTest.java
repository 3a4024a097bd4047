package org.weft.cli.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.OsdStatusRequest;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;

/** A command says what it waits for, and not too often. */
class WaitNoticesTest {
  private static final ClusterId CLUSTER = new ClusterId("0123456789abcdef0123456789abcdef");
  private static final int ATTEMPT_MILLIS = 10_000;

  private final VirtualTime time = new VirtualTime(1);
  private final VirtualWire wire = new VirtualWire(time, 1);
  private final FakeOsd osd =
      FakeOsd.start(new OsdId(3), CLUSTER, wire, time.newPool("osd", 1, 100), new byte[32]);
  private final List<String> lines = new ArrayList<>();
  private WaitNotices notices;
  private RpcConnection connection;

  @BeforeEach
  void connect() {
    notices =
        WaitNotices.start(
            new Environment(time, time, time, new Random(1), wire, () -> "boot"),
            lines::add,
            ZoneOffset.UTC);
    ConnectOptions options =
        new ConnectOptions(Optional.of(CLUSTER), "test", 1_000, false, (opcode, body) -> {});
    connection =
        time.await(
            notices
                .environment()
                .transport()
                .connect(osd.address(), options)
                .toCompletableFuture());
  }

  private CompletableFuture<RpcReply> ask() {
    return connection.call(
        RpcRequest.unsigned(
            Opcode.OSD_STATUS, OsdStatusRequest.getDefaultInstance(), ATTEMPT_MILLIS));
  }

  private void passSeconds(long seconds) {
    time.pass(TimeUnit.SECONDS.toNanos(seconds));
  }

  @Test
  void silentServerIsNamedAfterThreeSecondsThenEveryTen() {
    osd.faults(opcode -> Fault.hold(new CompletableFuture<>()));
    for (int attempt = 0; attempt < 3; attempt++) {
      CompletableFuture<RpcReply> reply = ask();
      if (attempt == 0) {
        passSeconds(2);
        assertEquals(List.of(), lines);
        passSeconds(2);
        assertEquals(1, lines.size());
        String server = "waiting for osd-3 at " + osd.address() + ", silent for ";
        assertTrue(lines.get(0).startsWith(server), lines.get(0));
        assertTrue(lines.get(0).contains(" (since "), lines.get(0));
      }
      time.runUntil("the attempt is over", reply::isDone);
    }
    assertEquals(3, lines.size(), lines.toString());
    assertTrue(lines.get(2).contains("silent for 2"), "since the first attempt: " + lines);
    passSeconds(30);
    assertEquals(3, lines.size(), "nothing is asked any more: " + lines);
  }

  @Test
  void aServerThatAnswersOthersIsNotNamed() {
    CompletableFuture<Void> never = new CompletableFuture<>();
    boolean[] first = {true};
    osd.faults(
        opcode -> {
          Fault fault = first[0] ? Fault.hold(never) : Fault.NONE;
          first[0] = false;
          return fault;
        });
    CompletableFuture<RpcReply> held = ask();
    for (int second = 0; second < 9; second++) {
      var unused = time.await(ask());
      passSeconds(1);
    }
    assertEquals(List.of(), lines);
    held.cancel(false);
  }

  @Test
  void noNoticeAppearsAfterTheClose() {
    osd.faults(opcode -> Fault.hold(new CompletableFuture<>()));
    var unused = ask();
    notices.close();
    passSeconds(9);
    assertEquals(List.of(), lines);
  }
}
