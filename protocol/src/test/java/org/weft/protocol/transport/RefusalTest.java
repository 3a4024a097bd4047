package org.weft.protocol.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.protocol.transport.TestWire.failure;
import static org.weft.protocol.transport.TestWire.get;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.frame.FrameHeader;
import org.weft.protocol.frame.FrameKind;
import org.weft.protocol.frame.Handshake;
import org.weft.protocol.frame.VersionRange;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.rpc.ConnectOptions;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.ListenOptions;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcListener;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.wire.Empty;

/** What does not fit is refused with a clear word, and harms no other request. */
@Timeout(60)
class RefusalTest {
  private static final ClusterId ONE = new ClusterId("1".repeat(32));
  private static final ClusterId TWO = new ClusterId("2".repeat(32));

  private static void assertServes(TestWire wire, RpcListener listener) throws Exception {
    RpcConnection connection = wire.connect(listener);
    get(connection.call(RpcRequest.unsigned(Opcode.OSD_STATUS, Empty.getDefaultInstance(), 10_000)))
        .payload()
        .release();
    connection.close();
  }

  private static void answerEmpty(InboundRequest request) {
    request.reply(Empty.getDefaultInstance());
  }

  @Test
  void otherClusterIsRefusedWithBothIdsAndTheAddress() throws Exception {
    try (TestWire wire = new TestWire();
        RpcListener listener =
            wire.listen(
                ListenOptions.of(() -> Optional.of(ONE), "osd-1", 1), RefusalTest::answerEmpty)) {
      WeftException refusal =
          failure(
              ErrorCode.WRONG_CLUSTER,
              wire.client.connect(
                  listener.address(), ConnectOptions.to(Optional.of(TWO), "client")));
      for (Object part : List.of(ONE, TWO, listener.address())) {
        assertTrue(refusal.getMessage().contains(part.toString()), refusal::toString);
      }
      assertServes(wire, listener);
    }
  }

  @Test
  void otherVersionIsRefusedWithBothRanges() throws Exception {
    TransportOptions options = TransportOptions.defaults();
    try (TestWire wire =
            new TestWire(options, options, new VersionRange(4, 6), new VersionRange(1, 2));
        RpcListener listener = wire.listen(RefusalTest::answerEmpty)) {
      WeftException refusal =
          failure(
              ErrorCode.VERSION_MISMATCH,
              wire.client.connect(
                  listener.address(), ConnectOptions.to(Optional.empty(), "client")));
      assertTrue(refusal.getMessage().contains("4 to 6"), refusal::toString);
      assertTrue(refusal.getMessage().contains("1 to 2"), refusal::toString);
    }
  }

  /** In the same words whatever sockets the platform has. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anAddressWithoutAListenerIsUnavailable(boolean nativeSockets) throws Exception {
    try (TestWire wire = new TestWire(TestWire.options(nativeSockets, 1 << 20, 5_000, 10_000))) {
      Endpoint free;
      try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        free = new Endpoint("127.0.0.1", socket.getLocalPort());
      }
      WeftException refusal =
          failure(
              ErrorCode.UNAVAILABLE,
              wire.client.connect(free, ConnectOptions.to(Optional.empty(), "client")));
      assertEquals(
          free
              + ": cannot connect: connection refused; nothing listens there: start what should, or"
              + " correct the address",
          refusal.getMessage());
    }
  }

  @Test
  void unknownHostIsUnavailable() throws Exception {
    try (TestWire wire = new TestWire()) {
      WeftException refusal =
          failure(
              wire.client.connect(
                  new Endpoint("no-such-host.invalid", 1),
                  new ConnectOptions(
                      Optional.empty(), "client", 20_000, false, (opcode, body) -> {})));
      assertTrue(refusal.getMessage().startsWith("no-such-host.invalid:1"), refusal::toString);
    }
  }

  @Test
  void serverThatSaysNothingIsGivenUpAtTheDeadline() throws Exception {
    try (TestWire wire = new TestWire();
        ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Endpoint address = new Endpoint("127.0.0.1", silent.getLocalPort());
      WeftException refusal =
          failure(
              ErrorCode.DEADLINE_EXCEEDED,
              wire.client.connect(
                  address,
                  new ConnectOptions(Optional.empty(), "client", 50, false, (opcode, body) -> {})));
      assertTrue(refusal.getMessage().contains(address.toString()), refusal::toString);
      assertTrue(refusal.getMessage().contains("50 ms"), refusal::toString);
    }
  }

  @Test
  void serverOfAnotherProtocolIsToldApart() throws Exception {
    try (TestWire wire = new TestWire();
        ServerSocket web = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletionStage<RpcConnection> connecting =
          wire.client.connect(
              new Endpoint("127.0.0.1", web.getLocalPort()),
              ConnectOptions.to(Optional.empty(), "client"));
      try (Socket socket = web.accept()) {
        socket
            .getOutputStream()
            .write(
                "HTTP/1.1 400 Bad Request\r\n\r\n".repeat(5).getBytes(StandardCharsets.US_ASCII));
        failure(ErrorCode.VERSION_MISMATCH, connecting);
      }
      CompletionStage<RpcConnection> again =
          wire.client.connect(
              new Endpoint("127.0.0.1", web.getLocalPort()),
              ConnectOptions.to(Optional.empty(), "client"));
      web.accept().close();
      WeftException refusal = failure(ErrorCode.UNAVAILABLE, again);
      assertTrue(refusal.getMessage().contains("is this a port of Weft?"), refusal::toString);
    }
  }

  @Test
  void silentClientIsEndedAfterTheHandshakeTime() throws Exception {
    try (TestWire wire = new TestWire(TestWire.options(true, 1 << 20, 50, 10_000));
        RpcListener listener = wire.listen(RefusalTest::answerEmpty);
        RawClient silent = new RawClient(listener.address())) {
      RawClient.Frame error = silent.read();
      assertEquals(ErrorCode.DEADLINE_EXCEEDED.number(), error.error().getCode());
      assertTrue(error.error().getMessage().contains("50 ms"));
      assertTrue(silent.endedByServer());
    }
  }

  @Test
  void requestBeforeTheHandshakeIsRefused() throws Exception {
    try (TestWire wire = new TestWire();
        RpcListener listener = wire.listen(RefusalTest::answerEmpty);
        RawClient rude = new RawClient(listener.address())) {
      rude.send(rude.request(Opcode.OSD_STATUS, 1, Empty.getDefaultInstance(), new byte[0], null));
      assertTrue(rude.read().error().getMessage().contains("expected HELLO first"));
      assertTrue(rude.endedByServer());
    }
  }

  @Test
  void tooManyConnectionsAreRefused() throws Exception {
    TransportOptions few =
        new TransportOptions(1, true, false, 1 << 20, 100, 1 << 28, 5_000, 10_000, 2, 100);
    try (TestWire wire = new TestWire(few);
        RpcListener listener = wire.listen(RefusalTest::answerEmpty)) {
      RpcConnection first = wire.connect(listener);
      RpcConnection second = wire.connect(listener);
      WeftException refusal =
          failure(
              ErrorCode.OVERLOADED,
              wire.client.connect(
                  listener.address(), ConnectOptions.to(Optional.empty(), "client")));
      assertTrue(refusal.getMessage().contains("2 connections"), refusal::toString);
      assertTrue(first.isOpen() && second.isOpen());
    }
  }

  @Test
  void aNewConnectionEndsAnIdleOneAndNoBusyOne() throws Exception {
    TransportOptions few =
        new TransportOptions(1, true, false, 1 << 20, 100, 1 << 28, 5_000, 10_000, 2, 100);
    Queue<InboundRequest> held = new ConcurrentLinkedQueue<>();
    AtomicBoolean answers = new AtomicBoolean();
    try (TestWire wire = new TestWire(few);
        RpcListener listener =
            wire.listen(
                request -> {
                  if (answers.get()) {
                    answerEmpty(request);
                  } else {
                    held.add(request);
                  }
                })) {
      RpcRequest status =
          RpcRequest.unsigned(Opcode.OSD_STATUS, Empty.getDefaultInstance(), 60_000);
      RpcConnection waiting = wire.connect(listener);
      CompletableFuture<RpcReply> reply = waiting.call(status);
      TestWire.await("the request", () -> !held.isEmpty());
      answers.set(true);
      RpcConnection idle = wire.connect(listener);
      get(idle.call(status)).payload().release();
      TestWire.await("room for a third connection", () -> isTaken(wire, listener));
      get(idle.closed());
      assertTrue(waiting.isOpen());
      answerEmpty(held.remove());
      get(reply).payload().release();
    }
  }

  private static boolean isTaken(TestWire wire, RpcListener listener) {
    try {
      wire.connect(listener);
      return true;
    } catch (ExecutionException e) {
      return false;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void takenPortIsNamed() throws Exception {
    try (TestWire wire = new TestWire();
        RpcListener listener = wire.listen(RefusalTest::answerEmpty)) {
      WeftException refusal =
          failure(
              ErrorCode.UNAVAILABLE,
              wire.server.listen(
                  listener.address(),
                  ListenOptions.of(Optional::empty, "osd-2", 1),
                  RefusalTest::answerEmpty));
      assertTrue(
          refusal.getMessage().startsWith("cannot listen on " + listener.address()),
          refusal::toString);
    }
  }

  @Test
  void requestPastTheServersLimitNeverLeaves() throws Exception {
    ListenOptions small = new ListenOptions(Optional::empty, "osd-1", 1, 1_000, 2_000, 1 << 20);
    try (TestWire wire = new TestWire();
        RpcListener listener = wire.listen(small, RefusalTest::answerEmpty)) {
      RpcConnection connection = wire.connect(listener);
      WeftException refusal =
          failure(
              ErrorCode.INVALID_ARGUMENT,
              connection.call(
                  new RpcRequest(
                      Opcode.WRITE,
                      Empty.getDefaultInstance(),
                      org.weft.protocol.rpc.Payload.of(ByteBuffer.allocate(2_001)),
                      1_000,
                      null)));
      assertTrue(refusal.getMessage().contains("at most 1000 and 2000"), refusal::toString);
      assertServes(wire, listener);
    }
  }

  @Test
  void frameThatLiesIsAnsweredAndEndsItsConnectionAlone() throws Exception {
    ListenOptions small = new ListenOptions(Optional::empty, "osd-1", 1, 1_000, 2_000, 1 << 20);
    try (TestWire wire = new TestWire();
        RpcListener listener = wire.listen(small, RefusalTest::answerEmpty)) {
      RpcConnection other = wire.connect(listener);
      for (int variant = 0; variant < 6; variant++) {
        try (RawClient liar = RawClient.greeted(listener.address())) {
          byte[] frame =
              liar.request(Opcode.WRITE, 77, Empty.getDefaultInstance(), new byte[100], null);
          ByteBuffer bytes = ByteBuffer.wrap(frame);
          switch (variant) {
            case 0 -> bytes.putInt(36, 2_001).putInt(0, 52 + 2_001);
            case 1 -> bytes.putInt(32, 1_001).putInt(0, 52 + 1_101);
            case 2 -> bytes.putInt(0, 5);
            case 3 -> bytes.put(5, (byte) FrameKind.RESPONSE.number());
            case 4 -> bytes.putLong(20, 1);
            default -> bytes.putShort(10, (short) 1);
          }
          liar.send(frame);
          RawClient.Frame answer = liar.read();
          assertEquals(FrameKind.ERROR, answer.header().kind());
          assertEquals(variant == 3 ? 0 : 77, answer.header().requestId());
          assertEquals(ErrorCode.MALFORMED.number(), answer.error().getCode());
          assertTrue(liar.endedByServer());
        }
      }
      assertTrue(other.isOpen());
      assertServes(wire, listener);
    }
  }

  @Test
  void damagedConnectionsLeaveTheServerSound() throws Exception {
    SplittableRandom random = new SplittableRandom(20);
    try (TestWire wire = new TestWire();
        RpcListener listener = wire.listen(RefusalTest::answerEmpty)) {
      for (int i = 0; i < 150; i++) {
        try (RawClient vandal =
            random.nextInt(4) == 0
                ? new RawClient(listener.address())
                : RawClient.greeted(listener.address())) {
          byte[] payload = new byte[random.nextInt(50_000)];
          byte[] frame = vandal.request(Opcode.WRITE, 1 + i, hello(), payload, null);
          frame[random.nextInt(FrameHeader.BYTES)] ^= (byte) (1 << random.nextInt(8));
          vandal.send(frame);
          if (random.nextBoolean()) {
            byte[] more = new byte[random.nextInt(10_000)];
            random.nextBytes(more);
            vandal.send(more);
          }
        } catch (java.net.SocketException e) {
          // The server had enough of it before all was written.
          assertTrue(e.getMessage() != null);
        }
      }
      assertServes(wire, listener);
    }
  }

  private static org.weft.protocol.wire.Hello hello() {
    return Handshake.hello(
        VersionRange.SUPPORTED, ConnectOptions.to(Optional.empty(), "raw"), new byte[16]);
  }
}
