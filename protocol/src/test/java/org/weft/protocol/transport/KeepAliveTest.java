package org.weft.protocol.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.protocol.transport.TestWire.await;
import static org.weft.protocol.transport.TestWire.get;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.frame.FrameHeader;
import org.weft.protocol.frame.FrameKind;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcPeer;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.rpc.RpcService;
import org.weft.protocol.wire.Empty;

/** Connections whose other end is gone without a word. All time here is made by the tests. */
@Timeout(60)
class KeepAliveTest {
  private static final int INTERVAL_MILLIS = 10_000;

  /** The silence after which a connection is ended, and the interval in which that is noticed. */
  private static final int PATIENCE_INTERVALS = 4;

  private final AtomicLong pings = new AtomicLong();
  private final TransportMetrics countPings =
      new TransportMetrics() {
        @Override
        public void received(long bytes) {
          if (bytes == FrameHeader.BYTES) {
            pings.incrementAndGet();
          }
        }
      };

  private TestWire wire() {
    return new TestWire(TestWire.options(true, 1 << 20, 5_000, INTERVAL_MILLIS), countPings);
  }

  private static void answerEmpty(InboundRequest request) {
    request.reply(Empty.getDefaultInstance());
  }

  private static RpcRequest status() {
    return RpcRequest.unsigned(Opcode.OSD_STATUS, Empty.getDefaultInstance(), 3_600_000);
  }

  private static byte[] ping(RawClient from) {
    return from.frame(FrameKind.PING, 0, 0, Empty.getDefaultInstance(), new byte[0], null);
  }

  @Test
  void idleConnectionStaysOpenByPingsOfBothSides() throws Exception {
    try (TestWire wire = wire();
        RpcListener listener = wire.listen(KeepAliveTest::answerEmpty)) {
      RpcConnection idle = wire.connect(listener);
      for (int i = 1; i <= 10; i++) {
        wire.time.advanceMillis(INTERVAL_MILLIS);
        long expected = 2L * i;
        await("pings both ways", () -> pings.get() >= expected);
        assertTrue(idle.isOpen());
      }
      wire.time.advanceMillis(1);
      get(idle.call(status())).payload().release();
    }
  }

  @Test
  void slowServiceIsNotTakenForADeadOne() throws Exception {
    Queue<InboundRequest> held = new ConcurrentLinkedQueue<>();
    try (TestWire wire = wire();
        RpcListener listener = wire.listen(held::add)) {
      RpcConnection connection = wire.connect(listener);
      CompletableFuture<RpcReply> call = connection.call(status());
      await("the request", () -> held.size() == 1);
      for (int i = 1; i <= 10; i++) {
        wire.time.advanceMillis(INTERVAL_MILLIS);
        long expected = 2L * i;
        await("pings both ways", () -> pings.get() >= expected);
      }
      assertTrue(connection.isOpen());
      answerEmpty(held.remove());
      get(call).payload().release();
    }
  }

  @Test
  void clientThatFellSilentIsEnded() throws Exception {
    Queue<RpcPeer> gone = new ConcurrentLinkedQueue<>();
    RpcService service =
        new RpcService() {
          @Override
          public void handle(InboundRequest request) {
            answerEmpty(request);
          }

          @Override
          public void disconnected(RpcPeer peer) {
            gone.add(peer);
          }
        };
    try (TestWire wire = wire();
        RpcListener listener = wire.listen(service);
        RawClient silent = RawClient.greeted(listener.address())) {
      for (int i = 1; i < PATIENCE_INTERVALS; i++) {
        wire.time.advanceMillis(INTERVAL_MILLIS);
        assertEquals(FrameKind.PING, silent.read().header().kind());
      }
      assertTrue(gone.isEmpty());
      wire.time.advanceMillis(INTERVAL_MILLIS);
      assertTrue(silent.endedByServer());
      await("the end", () -> gone.size() == 1);
      assertEquals("raw", gone.remove().info().name());
    }
  }

  @Test
  void serverThatFellSilentIsGivenUp() throws Exception {
    Queue<InboundRequest> held = new ConcurrentLinkedQueue<>();
    try (TestWire wire = wire();
        TestWire elsewhere = wire();
        RpcListener listener = elsewhere.listen(held::add)) {
      // The server's time is never moved on: it sends no pings, as if its process were stopped.
      RpcConnection connection = wire.connect(listener);
      CompletableFuture<RpcReply> call = connection.call(status());
      await("the request", () -> held.size() == 1);
      for (int i = 0; i < PATIENCE_INTERVALS; i++) {
        assertTrue(connection.isOpen());
        long before = pings.get();
        wire.time.advanceMillis(INTERVAL_MILLIS);
        if (i < PATIENCE_INTERVALS - 1) {
          await("a ping that no peer answers", () -> pings.get() > before);
        }
      }
      TestWire.failure(ErrorCode.CONNECTION_LOST, call);
      assertFalse(connection.isOpen());
      answerEmpty(held.remove());
    }
  }

  @Test
  void clientThatSpeaksButReadsNothingIsEndedSoThatPinsEnd() throws Exception {
    AtomicInteger released = new AtomicInteger();
    try (TestWire wire = wire();
        RpcListener listener =
            wire.listen(
                request ->
                    request.reply(
                        Empty.getDefaultInstance(),
                        Payload.of(
                            List.of(ByteBuffer.allocate(8 << 20)), released::incrementAndGet)));
        RawClient stuck = RawClient.greeted(listener.address())) {
      for (int i = 1; i <= 5; i++) {
        stuck.send(stuck.request(Opcode.READ, i, Empty.getDefaultInstance(), new byte[0], null));
      }
      await("replies", () -> wire.server.requestMemory().usedBytes() > 16 << 20);
      await("the first one on its way", stuck::hasArrivals);
      assertTrue(released.get() < 5);
      for (int i = 0; i < PATIENCE_INTERVALS; i++) {
        long before = pings.get();
        stuck.send(ping(stuck));
        await("the client's ping", () -> pings.get() > before);
        wire.time.advanceMillis(INTERVAL_MILLIS);
      }
      await("all releases", () -> released.get() == 5);
    } catch (IOException e) {
      // The last ping met a connection that had ended.
      assertEquals(5, released.get());
    }
  }
}
