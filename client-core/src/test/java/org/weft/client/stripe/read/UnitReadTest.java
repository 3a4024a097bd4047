package org.weft.client.stripe.read;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.weft.client.stripe.base.References;

/** Bytes of a unit that stay in their payload as long as they lie there in one piece. */
class UnitReadTest {
  private static final int LENGTH = 100;

  private final byte[] content = new byte[300];
  private final ByteBuffer payload = ByteBuffer.wrap(content).asReadOnlyBuffer();
  private final AtomicInteger released = new AtomicInteger();
  private final References references = new References(released::incrementAndGet);
  private final AtomicInteger sinks = new AtomicInteger();
  private final UnitRead want =
      new UnitRead(
          1,
          50,
          LENGTH,
          () -> {
            sinks.incrementAndGet();
            return ByteBuffer.allocate(LENGTH);
          },
          true);

  UnitReadTest() {
    new Random(3).nextBytes(content);
  }

  private void complete() {
    want.complete(1_000, 0, false, List.of());
  }

  private byte[] range(int from, int to) {
    return Arrays.copyOfRange(content, from, to);
  }

  @Test
  void bytesInOnePieceStayInThePayload() {
    want.fill(40, payload, 100, 40, references);
    want.fill(80, payload, 140, 80, references);
    complete();
    ArrivedBytes bytes = want.takeArrived();
    byte[] seen = new byte[LENGTH];
    bytes.buffer().get(bytes.index(), seen);
    assertArrayEquals(range(110, 210), seen);
    assertEquals(LENGTH, bytes.lengthBytes());
    assertEquals(0, sinks.get());
    want.drop();
    references.release();
    assertEquals(0, released.get());
    bytes.release();
    assertEquals(1, released.get());
  }

  @Test
  void separatedBytesAreCopied() {
    want.fill(50, payload, 0, 40, references);
    want.fill(90, payload, 140, 60, references);
    assertCopied(range(0, 40), range(140, 200));
  }

  @Test
  void bytesInAnotherBufferAreCopied() {
    want.fill(50, payload, 0, 40, references);
    want.fill(90, ByteBuffer.wrap(content), 40, 60, references);
    assertCopied(range(0, 40), range(40, 100));
  }

  @Test
  void besideAHoleItIsCopied() {
    want.fill(50, payload, 0, 40, references);
    want.fill(100, payload, 40, 30, references);
    assertCopied(range(0, 40), new byte[10], range(40, 70), new byte[20]);
  }

  @Test
  void bytesBehindAHoleAreCopied() {
    want.fill(60, payload, 0, 90, references);
    assertCopied(new byte[10], range(0, 90));
  }

  @Test
  void bytesThatEndInAHoleAreCopied() {
    want.fill(50, payload, 0, 90, references);
    assertCopied(range(0, 90), new byte[10]);
  }

  @Test
  void bytesWantedInTheSinkGoThere() {
    want.fill(50, payload, 20, LENGTH, references);
    complete();
    want.sink();
    assertCopied(range(20, 120));
  }

  @Test
  void bytesThatAreNotTakenAreReleased() {
    want.fill(50, payload, 20, LENGTH, references);
    references.release();
    assertEquals(0, released.get());
    want.drop();
    want.drop();
    assertEquals(1, released.get());
    assertEquals(0, sinks.get());
  }

  private void assertCopied(byte[]... parts) {
    complete();
    assertNull(want.takeArrived());
    ByteBuffer right = ByteBuffer.allocate(LENGTH);
    for (byte[] part : parts) {
      right.put(part);
    }
    assertArrayEquals(right.array(), want.sink().array());
    assertEquals(1, sinks.get());
    references.release();
    assertEquals(1, released.get(), "the payload is not held");
  }
}
