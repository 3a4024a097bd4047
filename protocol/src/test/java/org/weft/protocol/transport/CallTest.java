package org.weft.protocol.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.protocol.transport.TestWire.await;
import static org.weft.protocol.transport.TestWire.failure;
import static org.weft.protocol.transport.TestWire.get;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.frame.FrameKind;
import org.weft.protocol.rpc.ConnectOptions;
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
import org.weft.protocol.wire.RpcError;

@Timeout(60)
class CallTest {
  /** Answers body and payload back. */
  static void echo(InboundRequest request) {
    ByteBuffer copy = ByteBuffer.allocate(request.payload().lengthBytes());
    request.payload().buffers().forEach(copy::put);
    try {
      request.reply(request.parse(RpcError.parser()), Payload.of(copy.flip()));
    } catch (WeftException e) {
      request.fail(e);
    }
  }

  static RpcRequest text(String text, int timeoutMillis) {
    return RpcRequest.unsigned(
        Opcode.READ, RpcError.newBuilder().setMessage(text).build(), timeoutMillis);
  }

  static String text(RpcReply reply) throws WeftException {
    return reply.parse(RpcError.parser()).getMessage();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void answersComeBackToTheirCalls(boolean nativeSockets) throws Exception {
    TransportOptions options = TestWire.options(nativeSockets, 32 << 20, 5_000, 10_000);
    try (TestWire wire = new TestWire(options);
        RpcListener listener = wire.listen(CallTest::echo)) {
      RpcConnection connection = wire.connect(listener);
      assertEquals("osd-1", connection.peer().name());
      assertEquals(7, connection.peer().incarnation());
      assertEquals(listener.address(), connection.peer().address());
      SplittableRandom random = new SplittableRandom(5);
      List<byte[]> payloads = new ArrayList<>();
      List<CompletableFuture<RpcReply>> calls = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        byte[] payload = new byte[random.nextInt(10) == 0 ? random.nextInt(200_000) : i % 100];
        random.nextBytes(payload);
        payloads.add(payload);
        calls.add(
            connection.call(
                new RpcRequest(
                    Opcode.WRITE,
                    RpcError.newBuilder().setMessage("call " + i).build(),
                    Payload.of(ByteBuffer.wrap(payload)),
                    20_000,
                    null)));
      }
      for (int i = 0; i < calls.size(); i++) {
        RpcReply reply = get(calls.get(i));
        ByteBuffer payload = ByteBuffer.allocate(reply.payload().lengthBytes());
        reply.payload().buffers().forEach(payload::put);
        assertEquals(ByteBuffer.wrap(payloads.get(i)), payload.flip());
        assertEquals("call " + i, text(reply));
      }
    }
  }

  @Test
  void aRefusalTellsWhatWasLookedAtUnlessThatIsTooMuch() throws Exception {
    try (TestWire wire = new TestWire();
        RpcListener listener =
            wire.listen(
                request ->
                    request.fail(
                        new WeftException(ErrorCode.NOT_FOUND, "none")
                            .with(
                                ByteString.copyFrom(new byte[request.payload().lengthBytes()]))))) {
      RpcConnection connection = wire.connect(listener);
      for (int bytes : new int[] {1, 16 << 10, (16 << 10) + 1}) {
        RpcRequest request =
            new RpcRequest(
                Opcode.WRITE,
                Empty.getDefaultInstance(),
                Payload.of(ByteBuffer.allocate(bytes)),
                20_000,
                null);
        WeftException failure = failure(ErrorCode.NOT_FOUND, connection.call(request));
        assertEquals(bytes > 16 << 10 ? 0 : bytes, failure.detail().size());
        assertEquals(
            failure.detail(), new WeftException(failure.code(), "again", failure).detail());
      }
    }
  }

  @Test
  void aServerKnowsWhichConnectionIsForTheBackground() throws Exception {
    Queue<Integer> percents = new ConcurrentLinkedQueue<>();
    try (TestWire wire = new TestWire();
        RpcListener listener =
            wire.listen(
                request -> {
                  percents.add(request.peer().backgroundPercent());
                  echo(request);
                })) {
      ConnectOptions usual = ConnectOptions.to(Optional.empty(), "manager-1");
      for (ConnectOptions options : List.of(usual, usual.withBackground(30))) {
        RpcConnection connection = get(wire.client.connect(listener.address(), options));
        get(connection.call(text("hello", 20_000))).payload().release();
      }
    }
    assertEquals(List.of(0, 30), List.copyOf(percents));
  }

  @Test
  void callsFromManyThreadsShareAConnection() throws Exception {
    try (TestWire wire = new TestWire();
        RpcListener listener = wire.listen(CallTest::echo);
        var threads = wire.environment().scheduler().newPool("callers", 8, 8)) {
      RpcConnection connection = wire.connect(listener);
      List<CompletableFuture<Integer>> counts = new ArrayList<>();
      for (int thread = 0; thread < 8; thread++) {
        int id = thread;
        counts.add(
            CompletableFuture.supplyAsync(
                () -> {
                  int right = 0;
                  for (int i = 0; i < 200; i++) {
                    String text = id + ":" + i;
                    try {
                      right += text(get(connection.call(text(text, 20_000)))).equals(text) ? 1 : 0;
                    } catch (Exception e) {
                      throw new AssertionError(e);
                    }
                  }
                  return right;
                },
                threads));
      }
      for (CompletableFuture<Integer> count : counts) {
        assertEquals(200, get(count));
      }
    }
  }

  @Test
  void unknownOpcodeReachesTheService() throws Exception {
    try (TestWire wire = new TestWire();
        RpcListener listener =
            wire.listen(
                request ->
                    request.fail(
                        ErrorCode.UNSUPPORTED,
                        "opcode "
                            + request.opcodeNumber()
                            + " "
                            + Opcode.of(request.opcodeNumber())));
        RawClient raw = RawClient.greeted(listener.address())) {
      raw.send(
          raw.frame(FrameKind.REQUEST, 0x7fff, 4, Empty.getDefaultInstance(), new byte[0], null));
      RpcError error = raw.read().error();
      assertEquals(ErrorCode.UNSUPPORTED.number(), error.getCode());
      assertEquals("opcode 32767 Optional.empty", error.getMessage());
    }
  }

  @Test
  void aFailureNamesTheProcessThatItCameFrom() throws Exception {
    try (TestWire wire = new TestWire();
        RpcListener listener =
            wire.listen(request -> request.fail(ErrorCode.NO_SPACE, "disk is full"))) {
      WeftException failure =
          failure(ErrorCode.NO_SPACE, wire.connect(listener).call(text("x", 5_000)));
      assertEquals("osd-1 at " + listener.address() + ": disk is full", failure.getMessage());
    }
  }

  @Test
  void bodyThatIsNoMessageIsMalformed() throws Exception {
    try (TestWire wire = new TestWire();
        RpcListener listener = wire.listen(CallTest::echo);
        RawClient raw = RawClient.greeted(listener.address())) {
      byte[] frame =
          raw.request(
              Opcode.WRITE,
              4,
              RpcError.newBuilder().setMessageBytes(ByteString.copyFromUtf8("abc")).build(),
              new byte[0],
              null);
      frame[frame.length - 4] = 100;
      raw.send(frame);
      RpcError error = raw.read().error();
      assertEquals(ErrorCode.MALFORMED.number(), error.getCode());
      assertTrue(error.getMessage().startsWith("the body of WRITE"), error.getMessage());
      assertThrows(
          InvalidProtocolBufferException.class, () -> RpcError.parseFrom(new byte[] {18, 100}));
    }
  }

  @Test
  void serviceThatThrowsIsAnsweredInternal() throws Exception {
    try (TestWire wire = new TestWire();
        RpcListener listener =
            wire.listen(
                request -> {
                  throw new IllegalStateException("boom");
                })) {
      RpcConnection connection = wire.connect(listener);
      WeftException failure = failure(ErrorCode.INTERNAL, connection.call(text("x", 5_000)));
      assertTrue(failure.getMessage().contains("boom"), failure::toString);
      failure(ErrorCode.INTERNAL, connection.call(text("x", 5_000)));
    }
  }

  @Test
  void onlyTheFirstReplyCounts() throws Exception {
    AtomicInteger released = new AtomicInteger();
    try (TestWire wire = new TestWire();
        RpcListener listener =
            wire.listen(
                request -> {
                  CallTest.echo(request);
                  request.fail(ErrorCode.INTERNAL, "late");
                  request.reply(
                      Empty.getDefaultInstance(),
                      Payload.of(List.of(ByteBuffer.allocate(10)), released::incrementAndGet));
                })) {
      RpcConnection connection = wire.connect(listener);
      assertEquals("a", text(get(connection.call(text("a", 5_000)))));
      assertEquals("b", text(get(connection.call(text("b", 5_000)))));
      assertEquals(2, released.get());
    }
  }

  @Test
  void unansweredCallFailsAtItsDeadlineAndTheServerLearnsOfIt() throws Exception {
    Queue<InboundRequest> requests = new ConcurrentLinkedQueue<>();
    try (TestWire wire = new TestWire();
        RpcListener listener = wire.listen(requests::add)) {
      RpcConnection connection = wire.connect(listener);
      WeftException failure = failure(ErrorCode.DEADLINE_EXCEEDED, connection.call(text("x", 60)));
      assertEquals(
          "osd-1 at " + listener.address() + ": READ got no reply within 60 ms",
          failure.getMessage());
      InboundRequest request = requests.remove();
      assertTrue(request.deadlineNanos() - wire.environment().ticker().nowNanos() < 60_000_000);
      await("the cancellation", request::cancelled);
      AtomicInteger released = new AtomicInteger();
      request.reply(
          Empty.getDefaultInstance(),
          Payload.of(List.of(ByteBuffer.allocate(10)), released::incrementAndGet));
      await("the reply's release", () -> released.get() == 1);
      assertTrue(connection.isOpen());
    }
  }

  @Test
  void cancelledCallIsCancelledOverThere() throws Exception {
    Queue<InboundRequest> requests = new ConcurrentLinkedQueue<>();
    try (TestWire wire = new TestWire();
        RpcListener listener = wire.listen(requests::add)) {
      RpcConnection connection = wire.connect(listener);
      CompletableFuture<RpcReply> cancelled = connection.call(text("x", 60_000));
      CompletableFuture<RpcReply> kept = connection.call(text("y", 60_000));
      await("both requests", () -> requests.size() == 2);
      cancelled.cancel(false);
      InboundRequest first = requests.remove();
      InboundRequest second = requests.remove();
      await("the cancellation", first::cancelled);
      assertFalse(second.cancelled());
      first.reply(Empty.getDefaultInstance());
      echo(second);
      assertEquals("y", text(get(kept)));
    }
  }

  @Test
  void pushesArriveInOrder() throws Exception {
    Queue<RpcPeer> peers = new ConcurrentLinkedQueue<>();
    Queue<String> pushed = new ConcurrentLinkedQueue<>();
    RpcService service =
        new RpcService() {
          @Override
          public void handle(InboundRequest request) {
            echo(request);
          }

          @Override
          public void connected(RpcPeer peer) {
            peers.add(peer);
          }

          @Override
          public void disconnected(RpcPeer peer) {
            peers.remove(peer);
          }
        };
    try (TestWire wire = new TestWire();
        RpcListener listener = wire.listen(service)) {
      RpcConnection connection =
          get(
              wire.client.connect(
                  listener.address(),
                  new ConnectOptions(
                      Optional.empty(),
                      "client-9",
                      5_000,
                      true,
                      (opcode, body) -> pushed.add(opcode + " " + parse(body)))));
      await("the peer", () -> !peers.isEmpty());
      RpcPeer peer = peers.peek();
      assertTrue(peer.control());
      assertEquals("client-9", peer.info().name());
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        peer.push(Opcode.RECALL, RpcError.newBuilder().setMessage("push " + i).build());
        expected.add(Opcode.RECALL.number() + " push " + i);
      }
      await("all pushes", () -> pushed.size() == 500);
      assertEquals(expected, List.copyOf(pushed));
      connection.close();
      await("the end", peers::isEmpty);
      peer.push(Opcode.RECALL, Empty.getDefaultInstance());
    }
  }

  private static String parse(ByteBuffer body) {
    try {
      return RpcError.parseFrom(body).getMessage();
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void lostConnectionFailsAllCallsAndTellsTheServer() throws Exception {
    Queue<InboundRequest> requests = new ConcurrentLinkedQueue<>();
    try (TestWire wire = new TestWire();
        RpcListener listener = wire.listen(requests::add)) {
      RpcConnection connection = wire.connect(listener);
      List<CompletableFuture<RpcReply>> calls = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        calls.add(connection.call(text("x", 60_000)));
      }
      await("the requests", () -> requests.size() == 100);
      requests.peek().peer().close();
      for (CompletableFuture<RpcReply> call : calls) {
        WeftException failure = failure(ErrorCode.CONNECTION_LOST, call);
        assertTrue(
            failure.getMessage().startsWith("osd-1 at " + listener.address()), failure::toString);
      }
      get(connection.closed());
      assertFalse(connection.isOpen());
      failure(ErrorCode.CONNECTION_LOST, connection.call(text("x", 5_000)));
      for (InboundRequest request : requests) {
        await("the end at the server", request::cancelled);
        request.reply(Empty.getDefaultInstance());
      }
    }
  }

  @Test
  void closingHereFailsCallsUnderWay() throws Exception {
    Queue<InboundRequest> requests = new ConcurrentLinkedQueue<>();
    try (TestWire wire = new TestWire();
        RpcListener listener = wire.listen(requests::add)) {
      RpcConnection connection = wire.connect(listener);
      CompletableFuture<RpcReply> call = connection.call(text("x", 60_000));
      await("the request", () -> !requests.isEmpty());
      connection.close();
      WeftException failure = failure(ErrorCode.CONNECTION_LOST, call);
      assertTrue(failure.getMessage().endsWith("it was closed here"), failure::toString);
      requests.remove().fail(ErrorCode.INTERNAL, "nothing listens");
    }
  }

  @Test
  void stoppingListenerLetsRepliesOutAndTakesNothingNew() throws Exception {
    Queue<InboundRequest> requests = new ConcurrentLinkedQueue<>();
    TransportOptions patient =
        new TransportOptions(1, true, false, 1 << 20, 100, 1 << 28, 5_000, 10_000, 100, 20_000);
    try (TestWire wire = new TestWire(patient)) {
      RpcListener listener = wire.listen(requests::add);
      RpcConnection connection = wire.connect(listener);
      CompletableFuture<RpcReply> early = connection.call(text("early", 60_000));
      await("the request", () -> !requests.isEmpty());
      CompletableFuture<Void> stopped = listener.stop().toCompletableFuture();
      WeftException failure = failure(ErrorCode.UNAVAILABLE, connection.call(text("late", 60_000)));
      assertTrue(failure.getMessage().endsWith("osd-1 is stopping"), failure::toString);
      assertFalse(stopped.isDone());
      echo(requests.remove());
      assertEquals("early", text(get(early)));
      get(stopped);
      get(connection.closed());
      failure(
          ErrorCode.UNAVAILABLE,
          wire.client.connect(listener.address(), ConnectOptions.to(Optional.empty(), "client")));
    }
  }

  @Test
  void tooManyCallsAreRefusedAtOnce() throws Exception {
    Queue<InboundRequest> requests = new ConcurrentLinkedQueue<>();
    TransportOptions few =
        new TransportOptions(1, true, false, 1 << 20, 3, 1 << 28, 5_000, 10_000, 100, 100);
    try (TestWire wire = new TestWire(few);
        RpcListener listener = wire.listen(requests::add)) {
      RpcConnection connection = wire.connect(listener);
      List<CompletableFuture<RpcReply>> calls = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        calls.add(connection.call(text("x", 60_000)));
      }
      WeftException refusal = failure(ErrorCode.OVERLOADED, connection.call(text("x", 60_000)));
      assertTrue(refusal.getMessage().contains("3 calls"), refusal::toString);
      await("the requests", () -> requests.size() == 3);
      requests.forEach(CallTest::echo);
      for (CompletableFuture<RpcReply> call : calls) {
        get(call).payload().release();
      }
      CompletableFuture<RpcReply> again = connection.call(text("x", 60_000));
      await("one more", () -> requests.size() == 4);
      requests.forEach(CallTest::echo);
      get(again).payload().release();
    }
  }
}
