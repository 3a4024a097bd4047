package org.weft.testkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcPeer;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.wire.GetTableRequest;
import org.weft.testkit.sim.WireFaults.Fate;
import org.weft.testkit.sim.WireFaults.FrameKind;
import org.weft.testkit.sim.WireFaults.Harm;

/** What frames and processes may go through. */
final class VirtualWireTest {
  private static final int TIMEOUT_MILLIS = 60_000;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final VirtualTime time = new VirtualTime(1);
  private final VirtualWire wire = new VirtualWire(time, 1);
  private final SimProcess server = new SimProcess(time, wire, "server", 1);
  private final SimProcess client = new SimProcess(time, wire, "client", 2);
  private final List<Long> versions = new ArrayList<>();
  private final RpcConnection connection;
  private boolean answering = true;
  private int disconnected;

  VirtualWireTest() {
    Endpoint address = new Endpoint("server", 1);
    var unused =
        server
            .environment()
            .transport()
            .listen(address, ListenOptions.of(Optional::empty, "server", 0), new Service());
    connection =
        time.await(
            client
                .environment()
                .transport()
                .connect(address, ConnectOptions.to(Optional.empty(), "client"))
                .toCompletableFuture());
  }

  private final class Service implements RpcService {
    @Override
    public void handle(InboundRequest request) {
      VirtualWireTest.this.handle(request);
    }

    @Override
    public void disconnected(RpcPeer peer) {
      disconnected++;
    }
  }

  private void handle(InboundRequest request) {
    try {
      versions.add(request.parse(GetTableRequest.parser()).getKnownVersion());
    } catch (WeftException e) {
      throw new AssertionError(e);
    }
    if (answering) {
      request.reply(GetTableRequest.getDefaultInstance());
    }
  }

  private CompletableFuture<RpcReply> call(long version) {
    return connection.call(
        RpcRequest.unsigned(
            Opcode.GET_TABLE,
            GetTableRequest.newBuilder().setKnownVersion(version).build(),
            TIMEOUT_MILLIS));
  }

  private ErrorCode failure(CompletableFuture<RpcReply> call) {
    return WeftException.of(assertThrows(CompletionException.class, () -> time.await(call))).code();
  }

  private void harm(FrameKind what, Fate fate) {
    wire.faults(
        new WireFaults() {
          @Override
          public Fate fate(FrameKind kind, String from, String to) {
            return kind == what ? fate : Fate.USUAL;
          }
        });
  }

  private void cut(boolean isCut) {
    wire.faults(
        new WireFaults() {
          @Override
          public boolean isCut(String from, String to) {
            return isCut && from.equals("client");
          }
        });
    wire.linksChanged();
  }

  @Test
  void anOrphanedRequestArrivesAfterItsCallerHasGivenUpTheConnection() {
    harm(FrameKind.REQUEST, new Fate(Harm.ORPHANED, SECOND));
    assertEquals(ErrorCode.CONNECTION_LOST, failure(call(1)));
    assertFalse(connection.isOpen());
    assertEquals(List.of(), versions);
    time.pass(2 * SECOND);
    assertEquals(List.of(1L), versions);
  }

  @Test
  void theCalledSideMayHearOfTheEndLongAfterTheRequest() {
    answering = false;
    harm(FrameKind.REQUEST, new Fate(Harm.OUTLIVING, SECOND));
    assertEquals(ErrorCode.CONNECTION_LOST, failure(call(1)));
    time.pass(SECOND + SECOND / 2);
    assertEquals(List.of(1L), versions);
    assertEquals(0, disconnected);
    time.pass(2 * SECOND);
    assertEquals(1, disconnected);
  }

  @Test
  void aLostReplyEndsTheConnection() {
    harm(FrameKind.REPLY, new Fate(Harm.LOST, 0));
    assertEquals(ErrorCode.CONNECTION_LOST, failure(call(1)));
    assertEquals(List.of(1L), versions);
  }

  @Test
  void aStoppedProcessTakesWhatHasWaitedInItsOrder() {
    server.pause();
    List<CompletableFuture<RpcReply>> calls = List.of(call(1), call(2), call(3));
    time.pass(SECOND);
    assertEquals(List.of(), versions);
    server.resume();
    calls.forEach(time::await);
    assertEquals(List.of(1L, 2L, 3L), versions);
  }

  @Test
  void aProcessThatIsStoppedForLongIsTakenForDead() {
    server.pause();
    CompletableFuture<RpcReply> call = call(1);
    time.pass(50 * SECOND);
    assertEquals(ErrorCode.CONNECTION_LOST, failure(call));
    server.resume();
    time.pass(SECOND);
    assertEquals(List.of(1L), versions);
  }

  @Test
  void aKilledProcessRunsNoMoreAndItsPeerHearsOfIt() {
    answering = false;
    CompletableFuture<RpcReply> call = call(1);
    time.pass(SECOND);
    boolean[] ran = new boolean[1];
    var unused =
        server.environment().scheduler().schedule(SECOND, server::run, () -> ran[0] = true);
    server.kill();
    assertEquals(ErrorCode.CONNECTION_LOST, failure(call));
    time.pass(2 * SECOND);
    assertFalse(ran[0]);
  }

  @Test
  void callsOfAKilledProcessDoNotComplete() {
    answering = false;
    CompletableFuture<RpcReply> call = call(1);
    client.kill();
    time.pass(2 * TIMEOUT_MILLIS * 1_000_000L);
    assertFalse(call.isDone());
    assertEquals(List.of(1L), versions);
  }

  @Test
  void theEndOfAConnectionGivesBackWhatNeverArrived() {
    server.vanish();
    boolean[] released = new boolean[1];
    Payload payload = Payload.of(List.of(ByteBuffer.allocate(10)), () -> released[0] = true);
    CompletableFuture<RpcReply> call =
        connection.call(
            new RpcRequest(
                Opcode.GET_TABLE, GetTableRequest.getDefaultInstance(), payload, 1, null));
    assertEquals(ErrorCode.DEADLINE_EXCEEDED, failure(call));
    time.pass(40 * SECOND);
    assertFalse(connection.isOpen());
    assertTrue(released[0]);
  }

  @Test
  void framesOfACutLinkWaitUntilItIsWhole() {
    cut(true);
    CompletableFuture<RpcReply> call = call(1);
    time.pass(10 * SECOND);
    assertEquals(List.of(), versions);
    cut(false);
    time.await(call).payload().release();
    assertEquals(List.of(1L), versions);
  }

  @Test
  void aConnectionOverALinkThatStaysCutEnds() {
    cut(true);
    CompletableFuture<RpcReply> call = call(1);
    time.pass(50 * SECOND);
    assertTrue(call.isCompletedExceptionally());
    assertFalse(connection.isOpen());
  }
}
