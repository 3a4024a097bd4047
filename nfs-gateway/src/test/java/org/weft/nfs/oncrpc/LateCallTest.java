package org.weft.nfs.oncrpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.protocol.system.SystemEnvironment;

/** Calls that wait in sockets while the process stands still are not carried out (P 6.5c.6.23). */
class LateCallTest {
  private static final long DEADLINE_SECONDS = 30;
  private static final String REPLY =
      "00000001" + "00000000" + "00000000" + "00000000" + "00000000";

  private final SystemEnvironment system = SystemEnvironment.create();
  private final EchoProgram echo = new EchoProgram();
  private final AtomicLong nowNanos = new AtomicLong();
  private final AtomicLong lostSessions = new AtomicLong();
  private final CountDownLatch awake = new CountDownLatch(1);
  private OncRpcTransport transport;
  private OncRpcListener listener;

  @BeforeEach
  void aServerWithOneThread() throws Exception {
    OncRpcOptions usual = OncRpcOptions.USUAL;
    transport =
        new OncRpcTransport(
            new OncRpcOptions(
                1,
                usual.mostConnections(),
                usual.mostRecordBytes(),
                usual.mostCallsUnderWay(),
                usual.mostBytesUnderWay(),
                usual.memoryBytes(),
                usual.stallMillis(),
                usual.stopGraceMillis(),
                usual.keptReplies()),
            system.environment().scheduler(),
            nowNanos::get,
            system.environment().random());
    transport.suspectAfter(lostSessions::get);
    listener =
        transport
            .listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), List.of(echo.program()))
            .toCompletableFuture()
            .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  @AfterEach
  void nothingIsHeldAtTheEnd() throws Exception {
    listener.stop().toCompletableFuture().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    transport.close();
    system.close();
    assertEquals(0, transport.usedBytes());
  }

  private RawConnection connect() throws IOException {
    return new RawConnection(listener.address());
  }

  private static String call(int xid, int procedure, String arguments) {
    return "%08x".formatted(xid)
        + "00000000"
        + ("00000002" + "20001234" + "00000002")
        + "%08x".formatted(procedure)
        + "00000000".repeat(4)
        + arguments;
  }

  private static void served(RawConnection raw, int xid) throws IOException {
    raw.send(call(xid, 0, ""));
    assertEquals("%08x".formatted(xid) + REPLY, raw.receive());
  }

  /** From now on the only event loop does nothing. */
  private void freeze(RawConnection raw) throws Exception {
    raw.send(call(1, EchoProgram.HELD, "00000001"));
    EchoProgram.Held held = echo.held.poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
    CountDownLatch frozen = new CountDownLatch(1);
    assertNotNull(held)
        .reply()
        .completeAsync(
            () ->
                out -> {
                  frozen.countDown();
                  await(awake);
                  out.int32(1);
                });
    await(frozen);
  }

  private static <T> T assertNotNull(T value) {
    org.junit.jupiter.api.Assertions.assertNotNull(value);
    return value;
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(DEADLINE_SECONDS, TimeUnit.SECONDS), "waited too long");
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void wake(long frozenMillis, int sessionsLost) {
    nowNanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(frozenMillis));
    lostSessions.addAndGet(sessionsLost);
    awake.countDown();
  }

  /** A client connects and calls until it has its reply, as a kernel does. */
  private String repeated(String call) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
    while (true) {
      try (RawConnection raw = connect()) {
        raw.send(call);
        return raw.receive();
      } catch (EOFException | SocketException e) {
        assertTrue(System.nanoTime() < deadline, "a client that connects anew is not served");
        // The test's clock passes for the gateway, too: so long it doubts new connections.
        nowNanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(SocketGuard.SETTLE_MILLIS / 5));
      }
    }
  }

  /** The clock has stood still with a suspended guest: a manager has ended its session. */
  @ParameterizedTest
  @CsvSource({"10000, 0", "751, 0", "100, 1"})
  void callsThatWaitedAreRepeatedByTheirClients(long millis, int sessionsLost) throws Exception {
    try (RawConnection idle = connect();
        RawConnection busy = connect();
        RawConnection waiting = connect()) {
      served(idle, 1);
      served(waiting, 1);
      freeze(busy);
      String late = call(77, EchoProgram.ONCE, "00000001");
      waiting.send(late);
      try (RawConnection made = connect()) {
        made.send(call(78, EchoProgram.ONCE, "00000002"));
        wake(millis, sessionsLost);
        assertTrue(waiting.isClosedByServer());
        assertTrue(made.isClosedByServer(), "made meanwhile");
      }
      assertEquals("00000001" + REPLY + "00000001", busy.receive(), "it was taken before");
      assertEquals("0000004d" + REPLY + "00000001", repeated(late), "carried out for once");
      served(idle, 2);
      assertTrue(transport.counters().late() >= 2);
    }
  }

  /** Its rest arrives long after: the call is as old as its first bytes. */
  @Test
  void aCallThatHadArrivedInPartIsNotCarriedOut() throws Exception {
    try (RawConnection busy = connect();
        RawConnection waiting = connect()) {
      served(waiting, 1);
      freeze(busy);
      String late = call(77, EchoProgram.ONCE, "00000001");
      waiting.sendBytes("%08x".formatted(late.length() / 2 | 1 << 31) + late.substring(0, 40));
      wake(10_000, 0);
      repeated(call(5, 0, ""));
      waiting.sendBytes(late.substring(40));
      assertTrue(waiting.isClosedByServer());
      assertEquals(0, echo.carriedOut.get());
    }
  }

  @Test
  void aShortPauseRefusesNothing() throws Exception {
    try (RawConnection busy = connect();
        RawConnection waiting = connect()) {
      served(waiting, 1);
      freeze(busy);
      waiting.send(call(77, EchoProgram.ONCE, "00000001"));
      wake(SocketGuard.GAP_MILLIS, 0);
      assertEquals("0000004d" + REPLY + "00000001", waiting.receive());
      assertEquals(0, transport.counters().late());
    }
  }
}
