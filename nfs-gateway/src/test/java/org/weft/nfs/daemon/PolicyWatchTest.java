package org.weft.nfs.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.client.cluster.ClusterView;
import org.weft.client.cluster.ClusterViewOptions;
import org.weft.client.cluster.NfsAdmin;
import org.weft.nfs.host.FakeAccounts;
import org.weft.nfs.host.HostTable;
import org.weft.protocol.capability.JoinSecret;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.ClusterTable;
import org.weft.protocol.wire.GetTableReply;
import org.weft.protocol.wire.NfsGatewayReply;
import org.weft.protocol.wire.NfsGatewayRequest;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;

/** When a gateway that starts waits for SysMgr, and when it does not. */
class PolicyWatchTest {
  private static final ClusterId CLUSTER = new ClusterId("0123456789abcdef0123456789abcdef");
  private static final Endpoint SYSMGR = new Endpoint("sysmgr", 7300);
  private static final byte[] SECRET = JoinSecret.of(new byte[] {1, 2, 3});

  private final VirtualTime time = new VirtualTime(11);
  private final VirtualWire wire = new VirtualWire(time, 11);
  private final Executor home = time.newSerialExecutor("home");
  private Optional<ErrorCode> refusal = Optional.empty();

  private void serve(InboundRequest request) {
    if (request.opcodeNumber() == Opcode.GET_TABLE.number()) {
      request.reply(
          GetTableReply.newBuilder()
              .setTable(ClusterTable.newBuilder().setVersion(1).setClusterId(CLUSTER.value()))
              .build());
      return;
    }
    // Nothing counts that is not signed.
    assertEquals(true, request.signedWith(SECRET));
    refusal.ifPresentOrElse(
        code -> request.fail(code, "refused"),
        () -> request.reply(NfsGatewayReply.getDefaultInstance()));
  }

  /** A gateway that has begun to ask. */
  private PolicyWatch begun() {
    var unused =
        wire.listen(SYSMGR, ListenOptions.of(() -> Optional.of(CLUSTER), "sysmgr", 0), this::serve)
            .toCompletableFuture()
            .join();
    Environment environment =
        new Environment(time, time, time, new SplittableRandom(11), wire, () -> "boot");
    CompletableFuture<ClusterView> opening =
        ClusterView.open(
            ClusterViewOptions.of(List.of(SYSMGR), Optional.of(CLUSTER), "gateway"),
            environment,
            home);
    time.runUntil("the table is there", opening::isDone);
    PolicyWatch watch =
        new PolicyWatch(
            new NfsAdmin(opening.join()),
            SECRET,
            NfsGatewayRequest::newBuilder,
            reply -> {},
            path -> new CompletableFuture<>(),
            new HostTable(new FakeAccounts(), Runnable::run, time),
            false,
            environment,
            home);
    watch.start();
    time.pass(TimeUnit.SECONDS.toNanos(2));
    return watch;
  }

  /** A setting or a release has to be changed first: the start ends with that reason at once. */
  @Test
  void startFailsWhenSysmgrRefusesTheGateway() {
    for (ErrorCode code :
        List.of(
            ErrorCode.WRONG_CLUSTER,
            ErrorCode.VERSION_MISMATCH,
            ErrorCode.UNAUTHENTICATED,
            ErrorCode.UNSUPPORTED,
            ErrorCode.INVALID_ARGUMENT,
            ErrorCode.MALFORMED)) {
      PolicyWatchTest one = new PolicyWatchTest();
      one.refusal = Optional.of(code);
      CompletableFuture<Void> known = one.begun().known().toCompletableFuture();
      CompletionException thrown =
          assertThrows(CompletionException.class, () -> known.getNow(null), code::toString);
      assertEquals(code, WeftException.of(thrown).code());
    }
  }

  @Test
  void aStartWaitsWhereSysmgrHasNoLeaderOrRoom() {
    for (ErrorCode code : List.of(ErrorCode.NOT_LEADER, ErrorCode.OVERLOADED, ErrorCode.BUSY)) {
      PolicyWatchTest one = new PolicyWatchTest();
      one.refusal = Optional.of(code);
      CompletableFuture<Void> known = one.begun().known().toCompletableFuture();
      assertFalse(known.isDone(), code::toString);
      one.refusal = Optional.empty();
      one.time.runUntil("SysMgr has answered", known::isDone);
      known.join();
    }
  }
}
