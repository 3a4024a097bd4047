package org.weft.protocol.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.protocol.transport.TestWire.await;
import static org.weft.protocol.transport.TestWire.get;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.SegmentFile;
import org.weft.protocol.system.FileSegmentDirectory;
import org.weft.protocol.transport.memory.RequestMemory;
import org.weft.protocol.wire.Empty;

/** The faster side waits for the slower one, and neither side's memory grows meanwhile. */
@Timeout(60)
class BackPressureTest {
  private static final int QUARTER_MIB = 256 << 10;

  private static RpcRequest write(int bytes) {
    return new RpcRequest(
        Opcode.WRITE,
        Empty.getDefaultInstance(),
        Payload.of(ByteBuffer.allocate(bytes)),
        60_000,
        null);
  }

  private static RpcRequest status() {
    return RpcRequest.unsigned(Opcode.OSD_STATUS, Empty.getDefaultInstance(), 60_000);
  }

  private static boolean isStatus(InboundRequest request) {
    return request.opcodeNumber() == Opcode.OSD_STATUS.number();
  }

  /**
   * Gives the only event loop of the server many turns, in which it could read what it should not.
   */
  private static void letTheServerRun(RpcConnection other) throws Exception {
    for (int i = 0; i < 300; i++) {
      get(other.call(status())).payload().release();
    }
  }

  /** Answers status at once and keeps everything else. */
  private static final class Holding implements org.weft.protocol.rpc.RpcService {
    final Queue<InboundRequest> held = new ConcurrentLinkedQueue<>();
    final AtomicInteger seen = new AtomicInteger();
    volatile boolean answersAtOnce;

    @Override
    public void handle(InboundRequest request) {
      if (answersAtOnce || isStatus(request)) {
        request.reply(Empty.getDefaultInstance());
      } else {
        held.add(request);
        seen.incrementAndGet();
      }
    }

    void answerOne() {
      held.remove().reply(Empty.getDefaultInstance());
    }
  }

  /** The channel takes nothing meanwhile, as where a way is cut. */
  @Test
  void aCallGivenUpBeforeSendingReleasesItsPayload() throws Exception {
    Holding service = new Holding();
    ListenOptions oneAtATime = ListenOptions.of(Optional::empty, "osd-1", 1).withMaxRequests(1);
    AtomicInteger released = new AtomicInteger();
    int calls = 200;
    try (TestWire wire = new TestWire(TestWire.options(true, 256 << 20, 5_000, 10_000));
        RpcListener listener = wire.listen(oneAtATime, service)) {
      RpcConnection connection = wire.connect(listener);
      List<CompletableFuture<RpcReply>> all = new ArrayList<>();
      for (int i = 0; i < calls; i++) {
        Payload payload =
            Payload.of(List.of(ByteBuffer.allocate(QUARTER_MIB)), released::incrementAndGet);
        all.add(
            connection.call(
                new RpcRequest(Opcode.WRITE, Empty.getDefaultInstance(), payload, 1_000, null)));
      }
      for (CompletableFuture<RpcReply> each : all) {
        TestWire.failure(ErrorCode.DEADLINE_EXCEEDED, each);
      }
      // What the channel had taken, up to its mark, stays until the socket takes it.
      await("the others", () -> released.get() >= calls - 16);
      assertTrue(connection.isOpen());
      assertEquals(1, service.seen.get());
      // The next one may be let in before the server ends.
      service.answersAtOnce = true;
      service.answerOne();
    }
  }

  @Test
  void callsWaitInOrderForTheWindowOfTheirConnection() throws Exception {
    Holding service = new Holding();
    try (TestWire wire = new TestWire(TestWire.options(true, 1 << 20, 5_000, 10_000));
        RpcListener listener = wire.listen(service)) {
      RpcConnection connection = wire.connect(listener);
      RpcConnection other = wire.connect(listener);
      List<CompletableFuture<RpcReply>> calls = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        calls.add(connection.call(write(QUARTER_MIB)));
      }
      CompletableFuture<RpcReply> behind = connection.call(status());
      await("a window full", () -> service.seen.get() == 4);
      letTheServerRun(other);
      assertEquals(4, service.seen.get());
      assertFalse(behind.isDone());
      for (int i = 5; i <= 12; i++) {
        service.answerOne();
        int expected = i;
        await("call " + i, () -> service.seen.get() == expected);
        get(calls.get(i - 5)).payload().release();
      }
      get(behind).payload().release();
      for (int i = 8; i < 12; i++) {
        service.answerOne();
        get(calls.get(i)).payload().release();
      }
    }
  }

  @Test
  void callLargerThanTheWindowGoesAlone() throws Exception {
    Holding service = new Holding();
    try (TestWire wire = new TestWire(TestWire.options(true, 1_000, 5_000, 10_000));
        RpcListener listener = wire.listen(service)) {
      RpcConnection connection = wire.connect(listener);
      CompletableFuture<RpcReply> first = connection.call(write(QUARTER_MIB));
      CompletableFuture<RpcReply> second = connection.call(write(QUARTER_MIB));
      await("the first", () -> service.seen.get() == 1);
      service.answerOne();
      get(first).payload().release();
      await("the second", () -> service.seen.get() == 2);
      service.answerOne();
      get(second).payload().release();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void slowServiceStopsReadingAndHoldsNoMoreThanItsBound(boolean nativeSockets) throws Exception {
    Holding service = new Holding();
    long boundBytes = 1 << 20;
    ListenOptions bounded =
        new ListenOptions(Optional::empty, "osd-1", 1, 4 << 20, 8 << 20, boundBytes);
    TransportOptions options = TestWire.options(nativeSockets, 1 << 30, 5_000, 10_000);
    try (TestWire wire = new TestWire(options);
        RpcListener listener = wire.listen(bounded, service)) {
      RpcConnection connection = wire.connect(listener);
      RpcConnection other = wire.connect(listener);
      List<CompletableFuture<RpcReply>> calls = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        calls.add(connection.call(write(QUARTER_MIB)));
      }
      RequestMemory memory = wire.server.requestMemory();
      await("the bound", () -> memory.usedBytes() > boundBytes);
      letTheServerRun(other);
      long mostBytes = boundBytes + QUARTER_MIB + (64 << 10);
      for (CompletableFuture<RpcReply> call : calls) {
        await("a request", () -> !service.held.isEmpty());
        assertTrue(memory.usedBytes() <= mostBytes, () -> memory.usedBytes() + " bytes held");
        service.answerOne();
        get(call).payload().release();
      }
      assertEquals(200, service.seen.get());
    }
  }

  @Test
  void memoryOfAllServersIsBoundedTogether() throws Exception {
    Holding service = new Holding();
    long boundBytes = 2 << 20;
    TransportOptions options =
        new TransportOptions(1, true, false, 1 << 30, 1_000, boundBytes, 5_000, 10_000, 64, 200);
    try (TestWire wire = new TestWire(options);
        RpcListener listener = wire.listen(service)) {
      List<CompletableFuture<RpcReply>> calls = new ArrayList<>();
      List<RpcConnection> connections = new ArrayList<>();
      for (int c = 0; c < 20; c++) {
        RpcConnection connection = wire.connect(listener);
        connections.add(connection);
      }
      for (RpcConnection connection : connections) {
        for (int i = 0; i < 10; i++) {
          calls.add(connection.call(write(QUARTER_MIB)));
        }
      }
      // Each connection may have been in the middle of one request when the bound was reached.
      RequestMemory memory = wire.server.requestMemory();
      long mostBytes = boundBytes + 21L * (QUARTER_MIB + 2_048);
      await("the bound", () -> memory.usedBytes() > boundBytes);
      for (int i = 0; i < calls.size(); i++) {
        await("a request", () -> !service.held.isEmpty());
        assertTrue(memory.usedBytes() <= mostBytes, () -> memory.usedBytes() + " bytes held");
        service.answerOne();
      }
      for (CompletableFuture<RpcReply> call : calls) {
        get(call).payload().release();
      }
    }
  }

  @Test
  void clientThatDoesNotReadIsNotReadEither() throws Exception {
    AtomicInteger handled = new AtomicInteger();
    AtomicInteger released = new AtomicInteger();
    long boundBytes = 4 << 20;
    int requests = 300;
    ListenOptions bounded =
        new ListenOptions(Optional::empty, "osd-1", 1, 4 << 20, 8 << 20, boundBytes);
    try (TestWire wire = new TestWire(TestWire.options(true, 1 << 20, 5_000, 10_000));
        RpcListener listener =
            wire.listen(
                bounded,
                request -> {
                  if (isStatus(request)) {
                    request.reply(Empty.getDefaultInstance());
                    return;
                  }
                  handled.incrementAndGet();
                  request.reply(
                      Empty.getDefaultInstance(),
                      Payload.of(List.of(ByteBuffer.allocate(1 << 20)), released::incrementAndGet));
                });
        RawClient slow = RawClient.greeted(listener.address());
        var sending = wire.environment().scheduler().newSerialExecutor("sender")) {
      RpcConnection other = wire.connect(listener);
      sending.execute(
          () -> {
            try {
              // Padded, so that the requests do not all come in with the first few reads.
              for (int i = 1; i <= requests; i++) {
                slow.send(
                    slow.request(
                        Opcode.READ, i, Empty.getDefaultInstance(), new byte[100_000], null));
              }
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
      RequestMemory memory = wire.server.requestMemory();
      await("the bound", () -> memory.usedBytes() > boundBytes);
      letTheServerRun(other);
      assertTrue(
          handled.get() - released.get() <= 6, () -> handled + " handled, " + released + " left");
      for (int i = 1; i <= requests; i++) {
        RawClient.Frame reply = slow.read();
        assertEquals(i, reply.header().requestId());
        assertEquals(1 << 20, reply.payload().length);
        int held = handled.get() - released.get();
        assertTrue(held <= 6, () -> held + " replies held");
      }
      await("all releases", () -> released.get() == requests);
    }
  }

  @Test
  void smallRangesOfFilesThatAreNotTakenStayInTheirFile(@TempDir Path folder) throws Exception {
    int replyBytes = 20_000;
    AtomicInteger handled = new AtomicInteger();
    AtomicInteger released = new AtomicInteger();
    try (SegmentFile file = new FileSegmentDirectory(folder).create("segment");
        TestWire wire = new TestWire(TestWire.options(true, 1 << 20, 5_000, 10_000));
        RpcListener listener =
            wire.listen(
                request -> {
                  handled.incrementAndGet();
                  request.reply(
                      Empty.getDefaultInstance(),
                      file.payload(0, replyBytes, released::incrementAndGet));
                });
        RawClient slow = RawClient.greeted(listener.address())) {
      file.resize(replyBytes);
      int requests = 800;
      for (int i = 1; i <= requests; i++) {
        slow.send(slow.request(Opcode.READ, i, Empty.getDefaultInstance(), new byte[0], null));
      }
      await("all requests", () -> handled.get() == requests);
      RequestMemory memory = wire.server.requestMemory();
      long mostBytes = requests * 2_048L + (3 << 20);
      assertTrue(memory.usedBytes() <= mostBytes, () -> memory.usedBytes() + " bytes held");
      for (int i = 1; i <= requests; i++) {
        assertEquals(replyBytes, slow.read().payload().length);
      }
      await("all releases", () -> released.get() == requests);
    }
  }
}
