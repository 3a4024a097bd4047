package org.weft.osd.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.harness.Refusals.refused;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
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
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Ticker;

/** What the service does before and around its handlers; DESIGN 7, rules 6 to 8. */
class OsdCommandServiceTest {
  private static final long NOW_NANOS = 1_000;
  private static final StoreStatus STATUS = new StoreStatus(100, 10, 90, 5, 0, 1, 2, 1, List.of());

  private final Queue<Runnable> held = new ArrayDeque<>();

  private static OsdCommandService service(StubStore store, Executor pool) {
    return service(store, pool, () -> NOW_NANOS);
  }

  private static OsdCommandService service(StubStore store, Executor pool, Ticker ticker) {
    var environment = new Environment(() -> 5, ticker, null, null, null, null);
    var service =
        new OsdCommandService(
            store, environment, pool, Durability.WRITE_BACK, new byte[32], ClientGate.OPEN);
    service.open();
    return service;
  }

  private static OsdCommandService service(Executor pool) {
    return service(new StubStore(() -> STATUS), pool);
  }

  private static FakeInbound request(int opcodeNumber) {
    return new FakeInbound(opcodeNumber, new byte[0], new byte[0], true)
        .deadlineNanos(NOW_NANOS + 1);
  }

  private static FakeInbound status() {
    return request(Opcode.OSD_STATUS.number());
  }

  private static String refusal(ErrorCode code, FakeInbound request) {
    assertTrue(request.answer().isDone(), "the request was not answered");
    return refused(code, () -> OsdCaller.wait(request.answer()));
  }

  @ParameterizedTest
  @EnumSource(
      value = Opcode.class,
      names = {"OPEN_SESSION", "CREATE_FILE", "GET_TABLE", "JOIN_OSD"})
  void namesCommandsThatItDoesNotAnswer(Opcode opcode) {
    FakeInbound request = request(opcode.number());
    service(Runnable::run).handle(request);
    String text = refusal(ErrorCode.UNSUPPORTED, request);
    assertTrue(text.contains(opcode.name()), text);
  }

  @Test
  void namesUnknownOpcodesByTheirNumber() {
    FakeInbound request = request(0x7abc);
    service(Runnable::run).handle(request);
    String text = refusal(ErrorCode.UNSUPPORTED, request);
    assertTrue(text.contains("0x7abc"), text);
  }

  @Test
  void answersNothingUntilItIsOpen() throws Exception {
    OsdCommandService service = service(Runnable::run);
    service.shut();
    FakeInbound early = status();
    service.handle(early);
    refusal(ErrorCode.UNAVAILABLE, early);
    service.open();
    FakeInbound later = status();
    service.handle(later);
    OsdCaller.wait(later.answer());
  }

  @Test
  void aCommandWithoutAWaitingCallerIsSkipped() {
    OsdCommandService service =
        service(
            new StubStore(
                () -> {
                  throw new AssertionError("the store was asked");
                }),
            Runnable::run);
    FakeInbound cancelled = status().cancel();
    service.handle(cancelled);
    refusal(ErrorCode.CANCELLED, cancelled);
    FakeInbound late = status().deadlineNanos(NOW_NANOS);
    service.handle(late);
    refusal(ErrorCode.DEADLINE_EXCEEDED, late);
  }

  /** Time that passes while it is looked at, as it does on a disk that keeps a writer waiting. */
  private static final class PassingTime implements Ticker {
    private long nowNanos = NOW_NANOS;
    private long eachNanos;

    @Override
    public long nowNanos() {
      long now = nowNanos;
      nowNanos += eachNanos;
      return now;
    }
  }

  @Test
  void aSlowChangeKeepsSmallChangesOffEventLoops() {
    PassingTime time = new PassingTime();
    OsdCommandService service = service(new StubStore(() -> STATUS), held::add, time);
    long waitNanos = 50_000_000;
    assertFalse(isLeftToThePool(service));
    long waits = time.nowNanos;
    time.eachNanos = waitNanos;
    assertFalse(isLeftToThePool(service));
    time.eachNanos = 0;
    assertTrue(isLeftToThePool(service));
    long rested = waits + waitNanos + 20 * waitNanos;
    time.nowNanos = rested - 1;
    assertTrue(isLeftToThePool(service));
    time.nowNanos = rested;
    assertFalse(isLeftToThePool(service));
  }

  /** A command that its handler refuses: it has no capability. */
  private boolean isLeftToThePool(OsdCommandService service) {
    int before = held.size();
    FakeInbound request =
        new FakeInbound(Opcode.COMPLETE.number(), new byte[0], new byte[0], true)
            .deadlineNanos(Long.MAX_VALUE);
    service.handle(request);
    assertTrue(held.size() == before + 1 || request.answer().isDone(), "it is nowhere");
    return held.size() > before;
  }

  @Test
  void leavesLargeChangesToThePool() {
    OsdCommandService service = service(new StubStore(() -> STATUS), held::add);
    byte[] large = new byte[(64 << 10) + 1];
    service.handle(
        new FakeInbound(Opcode.WRITE.number(), new byte[0], large, true)
            .deadlineNanos(NOW_NANOS + 1));
    assertEquals(1, held.size());
  }

  @Test
  void leavesLargeBodiesToThePoolUnparsed() {
    OsdCommandService service = service(new StubStore(() -> STATUS), held::add);
    byte[] large = new byte[(64 << 10) + 1];
    FakeInbound request =
        new FakeInbound(Opcode.READ.number(), large, new byte[0], true)
            .deadlineNanos(NOW_NANOS + 1);
    service.handle(request);
    assertEquals(1, held.size());
    assertFalse(request.answer().isDone());
    held.remove().run();
    refusal(ErrorCode.MALFORMED, request);
  }

  @Test
  void boundsTheBytesOfBodiesUnderWay() {
    OsdCommandService service = service(held::add);
    byte[] large = new byte[4 << 20];
    FakeInbound refused = null;
    while (refused == null) {
      FakeInbound request =
          new FakeInbound(Opcode.BATCH.number(), large, new byte[0], true)
              .deadlineNanos(NOW_NANOS + 1);
      service.handle(request);
      refused = request.answer().isDone() ? request : null;
      assertTrue(held.size() < 100, "there is no bound");
    }
    refusal(ErrorCode.OVERLOADED, refused);
  }

  @Test
  void commandsBeyondThePoolAreRefused() {
    OsdCommandService service =
        service(
            task -> {
              throw new RejectedExecutionException("full");
            });
    for (int i = 0; i < 10_000; i++) {
      FakeInbound request = status();
      service.handle(request);
      refusal(ErrorCode.OVERLOADED, request);
    }
  }

  /** The transport answers for it. */
  @Test
  void aCommandWithoutAThreadFreesItsRoom() throws Exception {
    boolean[] without = {true};
    OsdCommandService service =
        service(
            task -> {
              if (without[0]) {
                throw new OutOfMemoryError("unable to create native thread");
              }
              task.run();
            });
    for (int i = 0; i < 10_000; i++) {
      assertThrows(OutOfMemoryError.class, () -> service.handle(status()));
    }
    without[0] = false;
    FakeInbound next = status();
    service.handle(next);
    OsdCaller.wait(next.answer());
  }

  @Test
  void refusesMoreCommandsThanItsBoundAndRecovers() throws Exception {
    OsdCommandService service = service(held::add);
    FakeInbound refused = null;
    int taken = 0;
    while (refused == null) {
      FakeInbound request = status();
      service.handle(request);
      if (request.answer().isDone()) {
        refused = request;
      } else {
        taken++;
      }
      assertTrue(taken < 100_000, "there is no bound");
    }
    refusal(ErrorCode.OVERLOADED, refused);
    assertEquals(taken, held.size());
    held.remove().run();
    FakeInbound next = status();
    service.handle(next);
    assertFalse(next.answer().isDone());
    held.forEach(Runnable::run);
    OsdCaller.wait(next.answer());
  }

  @Test
  void boundsTheBytesOfPayloadsUnderWay() {
    OsdCommandService service = service(held::add);
    FakeInbound first = withPayload(200 << 20);
    FakeInbound second = withPayload(200 << 20);
    service.handle(first);
    service.handle(second);
    assertFalse(first.answer().isDone());
    refusal(ErrorCode.OVERLOADED, second);
    held.remove().run();
    FakeInbound third = withPayload(200 << 20);
    service.handle(third);
    assertFalse(third.answer().isDone());
  }

  private static FakeInbound withPayload(int lengthBytes) {
    Payload claimed =
        new Payload() {
          @Override
          public int lengthBytes() {
            return lengthBytes;
          }

          @Override
          public List<ByteBuffer> buffers() {
            return List.of();
          }

          @Override
          public void release() {}
        };
    return new FakeInbound(Opcode.OSD_STATUS.number(), new byte[0], claimed, true)
        .deadlineNanos(NOW_NANOS + 1);
  }

  @Test
  void aBrokenStoreIsAnsweredInternalAndTheNextCommandIsServed() throws Exception {
    boolean[] broken = {true};
    OsdCommandService service =
        service(
            new StubStore(
                () -> {
                  if (broken[0]) {
                    throw new IllegalStateException("broken");
                  }
                  return STATUS;
                }),
            Runnable::run);
    FakeInbound request = status();
    service.handle(request);
    refusal(ErrorCode.INTERNAL, request);
    broken[0] = false;
    FakeInbound next = status();
    service.handle(next);
    OsdCaller.wait(next.answer());
  }
}
