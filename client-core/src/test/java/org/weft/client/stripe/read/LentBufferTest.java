package org.weft.client.stripe.read;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.stripe.StripeWorld.UNIT_BYTES;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Opcode;
import org.weft.testkit.osd.Fault;
import org.weft.testkit.process.Await;

/** A buffer that its caller has taken back gets no byte of a read that goes on. */
@Timeout(60)
class LentBufferTest {
  /** Of files that are whole, lack a component, are small, or are written meanwhile. */
  @ParameterizedTest
  @CsvSource({
    "11, -1, false",
    "11, 1, false",
    "11, -1, true",
    "11, 1, true",
    "1, -1, false",
    "1, 0, false"
  })
  void noBytesReachABufferThatWasTakenBack(int units, int missing, boolean beingWritten) {
    StripeWorld world = new StripeWorld(5, 6);
    StripedFile file = world.newFile(StripeWorld.layout(4, 1));
    byte[] content = world.bytes(units * UNIT_BYTES - 100);
    world.writeAll(file, content);
    StripedFile read = missing < 0 ? file : StripeWorld.missing(file, missing);
    CompletableFuture<Void> gate = new CompletableFuture<>();
    world.osds.forEach(
        osd -> osd.faults(opcode -> opcode == Opcode.READ ? Fault.hold(gate) : Fault.NONE));
    byte[] memory = new byte[content.length];
    LentBuffer target = new LentBuffer(ByteBuffer.wrap(memory));
    CompletableFuture<Integer> count =
        world.engine.read(read, content.length, beingWritten, world.failures::add).read(0, target);
    world.time.pass(TimeUnit.MILLISECONDS.toNanos(1));
    target.takeBack();
    gate.complete(null);
    CompletionException thrown =
        assertThrows(CompletionException.class, () -> world.time.await(count));
    assertEquals(ErrorCode.CANCELLED, WeftException.of(thrown).code());
    assertArrayEquals(new byte[content.length], memory);
    assertEquals(List.of(), world.failures, "no component has failed");
    world.assertNothingLeaks();
  }

  @Test
  void takingTheBufferBackWaitsForThreadsThatWriteNow() throws Exception {
    LentBuffer target = new LentBuffer(ByteBuffer.allocate(10));
    assertTrue(target.enter());
    FutureTask<Boolean> taking =
        new FutureTask<>(
            () -> {
              Thread.currentThread().interrupt();
              target.takeBack();
              return Thread.interrupted();
            });
    new Thread(taking).start();
    Await.until(
        "no more threads may write",
        () -> {
          boolean entered = target.enter();
          if (entered) {
            target.leave();
          }
          return !entered;
        });
    assertFalse(taking.isDone());
    target.leave();
    assertTrue(taking.get(), "the thread stays interrupted");
  }
}
