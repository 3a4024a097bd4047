package org.weft.nfs.oncrpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Ticker;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.testkit.process.Await;

/** The server as its clients see it: RFC 5531, byte by byte. */
class OncRpcServerTest {
  private static final long DEADLINE_SECONDS = 30;

  /** The message version 2, the program, version 2. */
  private static final String PROGRAM = "00000002" + "20001234" + "00000002";

  private static final String NO_AUTH = "00000000" + "00000000" + "00000000" + "00000000";
  private static final String ACCEPTED = "00000001" + "00000000" + "00000000" + "00000000";

  private final SystemEnvironment system = SystemEnvironment.create();
  private final EchoProgram echo = new EchoProgram();
  private final AtomicInteger refused = new AtomicInteger();
  private OncRpcTransport transport;
  private OncRpcListener listener;

  private void start(OncRpcOptions options) throws Exception {
    start(options, system.environment().ticker());
  }

  private void start(OncRpcOptions options, Ticker ticker) throws Exception {
    Environment environment = system.environment();
    transport =
        new OncRpcTransport(
            options,
            environment.scheduler(),
            ticker,
            environment.random(),
            (call, nanos, wasRefused) -> refused.addAndGet(wasRefused ? 1 : 0));
    listener =
        transport
            .listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), List.of(echo.program()))
            .toCompletableFuture()
            .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  private RawConnection connect() throws IOException {
    return new RawConnection(listener.address());
  }

  @AfterEach
  void nothingIsHeldAtTheEnd() throws Exception {
    if (listener != null) {
      listener.stop().toCompletableFuture().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
      Await.that(() -> transport.usedBytes() == 0 && transport.counters().connections() == 0);
      transport.close();
    }
    system.close();
  }

  private static String call(int xid, int procedure, String arguments) {
    return "%08x".formatted(xid)
        + "00000000"
        + PROGRAM
        + "%08x".formatted(procedure)
        + NO_AUTH
        + arguments;
  }

  private static String accepted(int xid, String rest) {
    return "%08x".formatted(xid) + ACCEPTED + rest;
  }

  @Test
  void aCallIsAnswered() throws Exception {
    start(OncRpcOptions.USUAL);
    try (RawConnection raw = connect()) {
      raw.send(call(0x1234, EchoProgram.ECHO, "00000003" + "61626300"));
      assertEquals(accepted(0x1234, "00000000" + "00000003" + "61626300"), raw.receive());
    }
  }

  @Test
  void procedureZeroDoesNothingInEveryVersion() throws Exception {
    start(OncRpcOptions.USUAL);
    try (RawConnection raw = connect()) {
      raw.send(call(5, 0, ""));
      assertEquals(accepted(5, "00000000"), raw.receive());
    }
  }

  /** Section 9, reply_body; the last column is what follows the number and REPLY. */
  @ParameterizedTest
  @CsvSource({
    // RPC_MISMATCH: version 3 of RPC.
    "00000003200012340000000200000001, '', 0000000100000000" + "0000000200000002",
    // PROG_UNAVAIL.
    "00000002200012350000000200000001, '', 00000000" + "0000000000000000" + "00000001",
    // PROG_MISMATCH: there are versions 2 and 4.
    "00000002200012340000000300000001, '', 00000000"
        + "0000000000000000"
        + "00000002"
        + "0000000200000004",
    // PROC_UNAVAIL.
    "00000002200012340000000200000063, '', 00000000" + "0000000000000000" + "00000003",
    // GARBAGE_ARGS.
    "00000002200012340000000200000001, 00000005, 00000000" + "0000000000000000" + "00000004",
    // SYSTEM_ERR, of a stage and of an exception.
    "00000002200012340000000200000003, '', 00000000" + "0000000000000000" + "00000005",
    "00000002200012340000000200000006, '', 00000000" + "0000000000000000" + "00000005",
  })
  void impossibleCallIsRefused(String head, String arguments, String reply) throws Exception {
    start(OncRpcOptions.USUAL);
    try (RawConnection raw = connect()) {
      raw.send("0000000900000000" + head + NO_AUTH + arguments);
      assertEquals("0000000900000001" + reply, raw.receive());
      raw.send(call(10, 0, ""));
      assertEquals(accepted(10, "00000000"), raw.receive(), "the connection goes on");
      boolean isCall = head.startsWith("00000002");
      assertEquals(isCall ? 1 : 0, refused.get(), "what its observer is told");
    }
  }

  /** auth_stat; 3 is no flavor that is known here, 1 is AUTH_SYS. */
  @ParameterizedTest
  @CsvSource({
    "0000000300000000, 0000000000000000, 00000001",
    // 17 groups.
    "000000010000005800000000000000000000000000000000"
        + "00000011"
        + "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
        + "00000000000000000000000000000000000000000000000000000000, "
        + "0000000000000000, 00000001",
    // A body of 401 bytes.
    "0000000100000191, 0000000000000000, 00000001",
    // A verifier of 401 bytes.
    "0000000000000000, 0000000000000191, 00000003",
  })
  void aCredentialThatCannotBeReadIsRefused(String credential, String verifier, String why)
      throws Exception {
    start(OncRpcOptions.USUAL);
    try (RawConnection raw = connect()) {
      raw.send("0000000900000000" + PROGRAM + "00000000" + credential + verifier);
      assertEquals("0000000900000001" + "00000001" + "00000001" + why, raw.receive());
    }
  }

  @Test
  void repliesLeaveInTheOrderInWhichTheyAreReady() throws Exception {
    start(OncRpcOptions.USUAL);
    try (RawConnection raw = connect()) {
      raw.send(call(1, EchoProgram.HELD, "0000000b"));
      raw.send(call(2, EchoProgram.HELD, "0000000c"));
      EchoProgram.Held first = echo.held.poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
      EchoProgram.Held second = echo.held.poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
      second.answer();
      assertEquals(accepted(2, "00000000" + "0000000c"), raw.receive());
      first.answer();
      assertEquals(accepted(1, "00000000" + "0000000b"), raw.receive());
    }
  }

  @Test
  void aConnectionIsNotReadBeyondItsBoundOfCalls() throws Exception {
    int most = 4;
    int calls = 5_000;
    start(TestOptions.mostUnderWay(most, 1L << 30));
    try (RawConnection raw = connect()) {
      CompletableFuture<Void> sending =
          CompletableFuture.runAsync(
              () -> {
                try {
                  for (int i = 0; i < calls; i++) {
                    raw.send(call(i, EchoProgram.HELD, "%08x".formatted(i)));
                  }
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              });
      for (int i = 0; i < calls; i++) {
        EchoProgram.Held held = echo.held.poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
        assertNotNull(held);
        assertTrue(echo.held.size() < most, "more calls than may be under way");
        held.answer();
        assertEquals(
            accepted(i, "00000000" + "%08x".formatted(i)), raw.receive(), "calls are in order");
      }
      sending.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
      assertEquals(calls, transport.counters().calls());
    }
  }

  @Test
  void aConnectionThatTakesNoRepliesHoldsABoundedNumberOfBytes() throws Exception {
    int replyBytes = 1 << 20;
    // Some megabytes more than the kernel's buffers at both ends and the server's bound.
    int replies = 32;
    start(TestOptions.mostUnderWay(1_000, 4L << 20));
    try (RawConnection deaf = new RawConnection(listener.address(), 256 << 10)) {
      for (int i = 0; i < replies; i++) {
        deaf.send(call(i, EchoProgram.LARGE, "%08x".formatted(replyBytes)));
      }
      // It reads nothing: the kernel's buffers fill, then the server's bound is reached.
      Await.that(() -> echo.payloads.get() >= 4);
      try (RawConnection other = connect()) {
        for (int i = 0; i < 100; i++) {
          other.send(call(i, 0, ""));
          other.receive();
          assertTrue(echo.payloads.get() <= 5, echo.payloads + " replies are held");
        }
      }
      for (int i = 0; i < replies; i++) {
        assertEquals(2 * (24 + 4 + replyBytes), deaf.receive().length());
      }
    }
    Await.that(() -> echo.payloads.get() == 0);
  }

  @Test
  void payloadsAreReleasedWhenTheClientIsGone() throws Exception {
    start(OncRpcOptions.USUAL);
    try (RawConnection raw = connect()) {
      for (int i = 0; i < 20; i++) {
        raw.send(call(i, EchoProgram.LARGE, "00080000"));
        raw.send(call(i, EchoProgram.HELD, "00000001"));
      }
      Await.that(() -> echo.held.size() == 20);
    }
    Await.that(() -> transport.counters().connections() == 0);
    echo.held.forEach(EchoProgram.Held::answer);
    Await.that(() -> echo.payloads.get() == 0);
  }

  @Test
  void aReplyWithoutMemoryClosesItsConnectionAndHoldsNothing() throws Exception {
    start(OncRpcOptions.USUAL);
    try (RawConnection raw = connect()) {
      raw.send(call(1, EchoProgram.OUT_OF_MEMORY, ""));
      assertTrue(raw.isClosedByServer());
    }
    Await.that(() -> echo.payloads.get() == 0);
    Await.that(() -> transport.usedBytes() == 0);
  }

  @Test
  void malformedCallClosesOnlyItsConnection() throws Exception {
    start(OncRpcOptions.USUAL);
    try (RawConnection good = connect()) {
      for (String bad :
          List.of(
              "80000004" + "00000001",
              "80000000",
              "80000008" + "00000001" + "00000001",
              "ffffffff",
              "00000000")) {
        try (RawConnection raw = connect()) {
          raw.sendBytes(bad);
          assertTrue(raw.isClosedByServer(), bad);
        }
      }
      assertEquals(5, transport.counters().malformed());
      good.send(call(1, 0, ""));
      assertEquals(accepted(1, "00000000"), good.receive());
    }
  }

  @Test
  void connectionsBeyondTheBoundAreClosed() throws Exception {
    start(TestOptions.mostConnections(2));
    try (RawConnection one = connect();
        RawConnection two = connect()) {
      for (RawConnection raw : List.of(one, two)) {
        raw.send(call(1, 0, ""));
        raw.receive();
      }
      try (RawConnection three = connect()) {
        assertTrue(three.isClosedByServer());
      }
      assertEquals(1, transport.counters().refusedConnections());
      one.send(call(2, 0, ""));
      assertEquals(accepted(2, "00000000"), one.receive());
    }
    Await.that(() -> transport.counters().connections() == 0);
    try (RawConnection again = connect()) {
      again.send(call(3, 0, ""));
      assertEquals(accepted(3, "00000000"), again.receive());
    }
  }

  @Test
  void oneHostLeavesConnectionsToOthers() throws Exception {
    int share = 64;
    start(TestOptions.mostConnections(2 * share));
    InetSocketAddress other = new InetSocketAddress(InetAddress.getByName("127.0.0.2"), 0);
    List<RawConnection> own = new ArrayList<>();
    try {
      for (int i = 0; i < share; i++) {
        own.add(connect());
        own.get(i).send(call(1, 0, ""));
        own.get(i).receive();
      }
      try (RawConnection beyond = connect()) {
        assertTrue(beyond.isClosedByServer());
      }
      try (RawConnection raw = new RawConnection(listener.address(), other)) {
        raw.send(call(2, 0, ""));
        assertEquals(accepted(2, "00000000"), raw.receive());
      }
      own.remove(0).close();
      Await.that(() -> transport.counters().connections() == share - 1);
      own.add(connect());
      own.get(share - 1).send(call(3, 0, ""));
      assertEquals(accepted(3, "00000000"), own.get(share - 1).receive());
    } finally {
      for (RawConnection raw : own) {
        raw.close();
      }
    }
  }

  @Test
  void callsThatDoNotArriveHoldNeitherMemoryNorOthersForEver() throws Exception {
    int record = 64 << 10;
    start(TestOptions.memory(record, 4L * record, 200));
    List<RawConnection> slow = new ArrayList<>();
    try (RawConnection good = connect()) {
      for (int i = 0; i < 50; i++) {
        RawConnection raw = connect();
        slow.add(raw);
        raw.sendBytes("%08x".formatted(record | 1 << 31) + "00000001");
      }
      Await.that(() -> transport.usedBytes() > 3L * record);
      assertTrue(transport.usedBytes() <= 4L * record, transport.usedBytes() + " bytes");
      for (int i = 0; i < 100; i++) {
        good.send(call(i, 0, ""));
        assertEquals(accepted(i, "00000000"), good.receive());
        assertTrue(transport.usedBytes() <= 4L * record + 1_024, "small calls go on");
      }
      // Those that wait for memory get their turn as others are closed, and are closed then.
      for (RawConnection raw : slow) {
        assertTrue(raw.isClosedByServer());
      }
    } finally {
      for (RawConnection raw : slow) {
        raw.close();
      }
    }
    Await.that(() -> transport.counters().stalled() == 50);
  }

  /** All memory is held by records of which another fragment waits for memory. */
  @Test
  void partialRecordsDoNotHoldMemoryForEver() throws Exception {
    int record = 64 << 10;
    int firstFragment = 50_000;
    int secondFragment = 15_000;
    int holders = 4 * record / firstFragment;
    AtomicLong nowNanos = new AtomicLong();
    int stallMillis = 200;
    start(TestOptions.memory(record, 4L * record, stallMillis), nowNanos::get);
    List<RawConnection> slow = new ArrayList<>();
    try (RawConnection good = connect()) {
      for (int i = 0; i < holders; i++) {
        RawConnection raw = connect();
        slow.add(raw);
        raw.sendBytes("%08x".formatted(firstFragment));
        raw.sendBytes(new byte[firstFragment]);
      }
      Await.that(() -> transport.usedBytes() == (long) holders * firstFragment);
      for (RawConnection raw : slow) {
        raw.sendBytes("%08x".formatted(secondFragment | 1 << 31));
      }
      nowNanos.addAndGet(2 * TimeUnit.MILLISECONDS.toNanos(stallMillis));
      String large = "%08x".formatted(record / 2) + "00".repeat(record / 2);
      good.send(call(1, EchoProgram.ECHO, large));
      assertEquals(accepted(1, "00000000" + large), good.receive());
      for (RawConnection raw : slow) {
        assertTrue(raw.isClosedByServer());
      }
      assertEquals(holders, transport.counters().stalled());
    } finally {
      for (RawConnection raw : slow) {
        raw.close();
      }
    }
  }

  @Test
  void silentConnectionsHoldNoMemory() throws Exception {
    int crowd = 500;
    start(OncRpcOptions.USUAL);
    List<RawConnection> idle = new ArrayList<>();
    try (RawConnection good = connect()) {
      for (int i = 0; i < crowd; i++) {
        RawConnection raw = connect();
        idle.add(raw);
        // Some have begun the mark of a record.
        raw.sendBytes("80".repeat(i % 3));
      }
      Await.that(() -> transport.counters().connections() == crowd + 1);
      for (int i = 0; i < 100; i++) {
        good.send(call(i, 0, ""));
        assertEquals(accepted(i, "00000000"), good.receive());
      }
      Await.that(() -> transport.usedBytes() == 0);
    } finally {
      for (RawConnection raw : idle) {
        raw.close();
      }
    }
  }

  @Test
  void aRepeatOnANewConnectionGetsTheFirstAnswer() throws Exception {
    start(OncRpcOptions.USUAL);
    String once = call(77, EchoProgram.ONCE, "00000001");
    String answer = accepted(77, "00000000" + "00000001");
    try (RawConnection raw = connect()) {
      raw.send(once);
      assertEquals(answer, raw.receive());
    }
    try (RawConnection raw = connect()) {
      raw.send(once);
      assertEquals(answer, raw.receive());
      raw.send(call(77, EchoProgram.ONCE, "00000002"));
      assertEquals(
          accepted(77, "00000000" + "00000002"), raw.receive(), "other arguments, another call");
      raw.send(call(78, EchoProgram.ONCE, "00000001"));
      assertEquals(accepted(78, "00000000" + "00000003"), raw.receive());
    }
    assertEquals(1, transport.counters().repeats());
  }

  @Test
  void stopAnswersOnlyCallsUnderWay() throws Exception {
    start(OncRpcOptions.USUAL);
    try (RawConnection raw = connect()) {
      raw.send(call(1, EchoProgram.HELD, "0000000b"));
      EchoProgram.Held held = echo.held.poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
      CompletableFuture<Void> stopped = listener.stop().toCompletableFuture();
      try (RawConnection late = connect()) {
        assertTrue(late.isClosedByServer());
      } catch (SocketException refused) {
        // It listens no more, or ceased to while this was connecting.
        assertFalse(refused.getMessage().isEmpty());
      }
      assertFalse(stopped.isDone());
      held.answer();
      assertEquals(accepted(1, "00000000" + "0000000b"), raw.receive());
      assertTrue(raw.isClosedByServer());
      stopped.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }
  }

  @Test
  void aTakenPortIsRefusedWithItsAddress() throws Exception {
    start(OncRpcOptions.USUAL);
    ExecutionException failure =
        assertThrows(
            ExecutionException.class,
            () ->
                transport
                    .listen(listener.address(), List.of(echo.program()))
                    .toCompletableFuture()
                    .get(DEADLINE_SECONDS, TimeUnit.SECONDS));
    assertTrue(
        failure.getMessage().contains(String.valueOf(listener.address().getPort())),
        failure.getMessage());
  }

  @Test
  void ourClientUnderstandsResultsAndRefusals() throws Exception {
    start(OncRpcOptions.USUAL);
    OncRpcClient client =
        transport
            .connect(listener.address(), OptionalInt.empty(), 30_000, Runnable::run)
            .toCompletableFuture()
            .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    byte[] echoed =
        client
            .call(
                new OncRpcClient.Target(EchoProgram.NUMBER, 2, EchoProgram.ECHO),
                new RpcCredential.Sys(1, "machine", 2, 3, List.of(4, 5)),
                out -> out.opaque(new byte[] {1, 2, 3}),
                in -> in.opaque(3))
            .toCompletableFuture()
            .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    assertEquals(3, echoed.length);
    ExecutionException refused =
        assertThrows(
            ExecutionException.class,
            () ->
                client
                    .call(
                        new OncRpcClient.Target(EchoProgram.NUMBER, 3, 1),
                        new RpcCredential.None(),
                        out -> {},
                        in -> 0)
                    .toCompletableFuture()
                    .get(DEADLINE_SECONDS, TimeUnit.SECONDS));
    assertTrue(refused.getMessage().contains("versions 2 to 4"), refused.getMessage());
    CompletableFuture<Integer> waiting =
        client
            .call(
                new OncRpcClient.Target(EchoProgram.NUMBER, 2, EchoProgram.HELD),
                new RpcCredential.None(),
                out -> out.int32(1),
                in -> in.int32())
            .toCompletableFuture();
    assertNotNull(echo.held.poll(DEADLINE_SECONDS, TimeUnit.SECONDS)).answer();
    assertEquals(1, waiting.get(DEADLINE_SECONDS, TimeUnit.SECONDS));
    client.close();
  }

  private static <T> T assertNotNull(T value) {
    org.junit.jupiter.api.Assertions.assertNotNull(value);
    return value;
  }

  /** Whole and damaged calls over real sockets: the server goes on and holds nothing. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void damagedCallsDoNoHarm(long seed) throws Exception {
    start(OncRpcOptions.USUAL);
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      try (RawConnection raw = connect()) {
        byte[] stream = new byte[0];
        for (int i = 0; i < 5; i++) {
          byte[] arguments = new byte[random.nextInt(64) * 4];
          String hex =
              call(
                  random.nextInt(),
                  List.of(0, 1, 4, 5, 99).get(random.nextInt(5)),
                  "%08x".formatted(arguments.length)
                      + java.util.HexFormat.of().formatHex(arguments));
          byte[] record =
              java.util.HexFormat.of().parseHex("%08x".formatted(hex.length() / 2 | 1 << 31) + hex);
          stream = java.util.Arrays.copyOf(stream, stream.length + record.length);
          System.arraycopy(record, 0, stream, stream.length - record.length, record.length);
        }
        for (int i = random.nextInt(6); i > 0; i--) {
          stream[random.nextInt(stream.length)] ^= (byte) (1 << random.nextInt(8));
        }
        raw.sendBytes(java.util.Arrays.copyOf(stream, random.nextInt(stream.length)));
      } catch (IOException e) {
        // The server may close it while the rest is on its way.
        assertTrue(transport.counters().malformed() > 0, e::toString);
      }
    }
    try (RawConnection raw = connect()) {
      raw.send(call(1, 0, ""));
      assertEquals(accepted(1, "00000000"), raw.receive());
    }
    Await.that(() -> echo.payloads.get() == 0);
  }
}
