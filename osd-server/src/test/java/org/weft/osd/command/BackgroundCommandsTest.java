package org.weft.osd.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.harness.Refusals.refused;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.weft.osd.command.request.ClientGate;
import org.weft.osd.harness.FakeInbound;
import org.weft.osd.harness.OsdCaller;
import org.weft.osd.harness.StubStore;
import org.weft.osd.store.Durability;
import org.weft.osd.store.StoreStatus;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RpcPeer;
import org.weft.protocol.seam.Environment;
import org.weft.testkit.rpc.FakePeer;
import org.weft.testkit.sim.VirtualTime;

/** Commands of managers that copy, beside those of clients (P 6.8). */
class BackgroundCommandsTest {
  private static final StoreStatus STATUS = new StoreStatus(100, 10, 90, 5, 0, 1, 2, 1, List.of());
  private static final byte[] LARGE = new byte[(64 << 10) + 1];

  private final VirtualTime time = new VirtualTime(1);
  private final Queue<Runnable> held = new ArrayDeque<>();
  private final RpcPeer manager = FakePeer.background(50);
  private final OsdCommandService service =
      new OsdCommandService(
          new StubStore(() -> STATUS),
          new Environment(time, time, time, null, null, null),
          held::add,
          Durability.WRITE_BACK,
          new byte[32],
          ClientGate.OPEN);

  BackgroundCommandsTest() {
    service.open();
  }

  private FakeInbound ask(Opcode opcode, RpcPeer peer, Payload payload) {
    FakeInbound request =
        new FakeInbound(opcode.number(), LARGE, payload, true)
            .deadlineNanos(time.nowNanos() + TimeUnit.MINUTES.toNanos(1))
            .from(peer);
    service.handle(request);
    return request;
  }

  private FakeInbound ask(Opcode opcode, RpcPeer peer) {
    return ask(opcode, peer, Payload.EMPTY);
  }

  private void clientReads() {
    FakeInbound read = ask(Opcode.READ, FakePeer.client());
    held.remove().run();
    assertTrue(read.answer().isDone());
  }

  private static void assertRefused(ErrorCode code, FakeInbound request) {
    assertTrue(request.answer().isDone(), "the request was not answered");
    var unused = refused(code, () -> OsdCaller.wait(request.answer()));
  }

  @ParameterizedTest
  @EnumSource(
      value = Opcode.class,
      names = {"READ", "READ_DELTA", "WRITE", "XOR_READ_WRITE", "XOR_WRITE", "TRUNCATE", "PUNCH"})
  void clientReadsAndWritesDelayManagersCommands(Opcode opcode) {
    var unused = ask(opcode, FakePeer.client());
    var first = ask(Opcode.READ, manager);
    var second = ask(Opcode.READ, manager);
    assertEquals(2, held.size());
    assertEquals(1, service.background().waiting());
    assertFalse(first.answer().isDone() || second.answer().isDone());
  }

  @ParameterizedTest
  @EnumSource(
      value = Opcode.class,
      names = {"BATCH", "WRITE_BLOCKS", "GET_ATTRIBUTES", "LIST", "FLUSH", "SET_ATTRIBUTES"})
  void metadataCommandsDoNotDelayManagersCommands(Opcode opcode) {
    var unused = ask(opcode, FakePeer.client());
    var first = ask(Opcode.READ, manager);
    var second = ask(Opcode.READ, manager);
    assertEquals(3, held.size());
    assertFalse(first.answer().isDone() || second.answer().isDone());
  }

  @Test
  void aRefusalEndsTheTurnOfItsCommand() {
    clientReads();
    for (int i = 0; i < 3; i++) {
      FakeInbound request = ask(Opcode.READ, manager);
      time.pass(1_000L << i);
      assertEquals(1, held.size(), "the command before has its turn still");
      held.remove().run();
      assertRefused(ErrorCode.MALFORMED, request);
    }
  }

  @Test
  void aClientsCommandIsCarriedOutWhileThoseOfManagersWait() {
    clientReads();
    var first = ask(Opcode.READ, manager);
    var second = ask(Opcode.READ, manager);
    held.remove();
    clientReads();
    assertFalse(first.answer().isDone() || second.answer().isDone());
  }

  @Test
  void waitingCommandsOfAClosedConnectionFreeTheirMemory() {
    clientReads();
    AtomicInteger released = new AtomicInteger();
    var running = ask(Opcode.READ, manager);
    RpcPeer other = FakePeer.background(50);
    FakeInbound waiting =
        ask(
            Opcode.WRITE,
            other,
            Payload.of(List.of(ByteBuffer.allocate(4_096)), released::incrementAndGet));
    assertEquals(0, released.get());
    service.disconnected(other);
    assertEquals(1, released.get());
    assertRefused(ErrorCode.CANCELLED, waiting);
    held.remove().run();
    assertRefused(ErrorCode.MALFORMED, running);
    time.pass(TimeUnit.SECONDS.toNanos(10));
    assertTrue(held.isEmpty(), "it is carried out though its caller has given it up");
  }

  @Test
  void aCommandThatWaitsTooLongIsRefusedAndNotExecuted() {
    clientReads();
    var running = ask(Opcode.READ, manager);
    FakeInbound late =
        new FakeInbound(Opcode.READ.number(), LARGE, new byte[0], true)
            .deadlineNanos(time.nowNanos() + TimeUnit.MILLISECONDS.toNanos(1_500))
            .from(manager);
    service.handle(late);
    for (int i = 0; i < 30; i++) {
      clientReadsBehind(running);
      time.pass(TimeUnit.MILLISECONDS.toNanos(100));
    }
    assertRefused(ErrorCode.DEADLINE_EXCEEDED, late);
    assertEquals(1, held.size());
  }

  private void clientReadsBehind(FakeInbound running) {
    Runnable first = held.remove();
    clientReads();
    held.add(first);
    assertFalse(running.answer().isDone());
  }

  @Test
  void waitingCommandsAreRefusedWhenTheOsdStops() {
    clientReads();
    var running = ask(Opcode.READ, manager);
    FakeInbound waiting = ask(Opcode.READ, manager);
    service.shut();
    assertRefused(ErrorCode.UNAVAILABLE, waiting);
    assertFalse(running.answer().isDone());
  }
}
