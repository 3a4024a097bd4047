package org.weft.osd.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.wire.Empty;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;

/** An OSD that is alone with one member of SysMgr still finds out of a connection to nowhere. */
class SysmgrConnectionTest {
  private static final Endpoint SYSMGR = new Endpoint("sysmgr", 7300);
  private static final ClusterId CLUSTER = new ClusterId("1".repeat(32));
  private static final int TIMEOUT_MILLIS = 2_000;

  private final VirtualTime time = new VirtualTime(1);
  private final VirtualWire wire = new VirtualWire(time, 1);
  private final SysmgrConnection link = new SysmgrConnection(wire);
  private boolean silent;
  private ErrorCode refusal;

  SysmgrConnectionTest() {
    time.await(
        wire.listen(
                SYSMGR, ListenOptions.of(() -> Optional.of(CLUSTER), "sysmgr-1", 1), this::answer)
            .toCompletableFuture());
  }

  private void answer(InboundRequest request) {
    if (silent) {
      return;
    }
    if (refusal == null) {
      request.reply(Empty.getDefaultInstance());
    } else {
      request.fail(new WeftException(refusal, "not now"));
    }
  }

  private ErrorCode call() {
    CompletableFuture<RpcReply> call =
        link.call(
            SYSMGR,
            Optional.of(CLUSTER),
            "osd-1",
            RpcRequest.unsigned(Opcode.HEARTBEAT, Empty.getDefaultInstance(), TIMEOUT_MILLIS));
    time.runUntil("it is over", call::isDone);
    return call.handle((reply, thrown) -> thrown == null ? null : WeftException.of(thrown).code())
        .join();
  }

  @Test
  void aConnectionOnWhichNothingIsAnsweredIsMadeAnew() {
    assertEquals(null, call());
    assertEquals(null, call());
    assertEquals(1, wire.connects());
    silent = true;
    assertEquals(ErrorCode.DEADLINE_EXCEEDED, call());
    silent = false;
    assertEquals(null, call());
    assertEquals(2, wire.connects());
  }

  @Test
  void aRefusalDoesNotCloseTheConnection() {
    refusal = ErrorCode.NOT_LEADER;
    assertEquals(ErrorCode.NOT_LEADER, call());
    assertEquals(ErrorCode.NOT_LEADER, call());
    assertEquals(1, wire.connects());
  }
}
