package org.weft.osd.command.turn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.weft.protocol.rpc.FilePayload;
import org.weft.protocol.rpc.Payload;

/** Bytes that leave with their turn (P 6.8). */
class TurnPayloadTest {
  @Test
  void aTurnLastsUntilThePayloadOfItsAnswerHasLeft() {
    AtomicInteger ended = new AtomicInteger();
    AtomicInteger released = new AtomicInteger();
    Payload payload =
        TurnPayload.of(
            Payload.of(List.of(ByteBuffer.allocate(7)), released::incrementAndGet),
            ended::incrementAndGet);
    assertEquals(7, payload.lengthBytes());
    assertEquals(7, payload.buffers().get(0).remaining());
    assertEquals(0, ended.get());
    payload.release();
    assertEquals(1, ended.get());
    assertEquals(1, released.get());
  }

  @Test
  void bytesOfFilesLeaveByTheShortestWayWithTheirTurnToo() {
    FilePayload file =
        new FilePayload() {
          @Override
          public List<Range> ranges() {
            return List.of(new Range(null, 3, 7));
          }

          @Override
          public int lengthBytes() {
            return 7;
          }

          @Override
          public List<ByteBuffer> buffers() {
            return List.of(ByteBuffer.allocate(7));
          }

          @Override
          public void release() {
            throw new IllegalStateException("its file is closed");
          }
        };
    AtomicInteger ended = new AtomicInteger();
    Payload payload = TurnPayload.of(file, ended::incrementAndGet);
    FilePayload leaving = assertInstanceOf(FilePayload.class, payload);
    assertEquals(file.ranges(), leaving.ranges());
    assertThrows(IllegalStateException.class, payload::release);
    assertEquals(1, ended.get(), "a turn is lost with the failure to end a pin");
  }
}
