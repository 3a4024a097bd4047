package org.weft.client.number;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.NodeType;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.Payload;

/** Calls that read a file beside each other, while it is opened anew. */
class SharedInputTest {
  private static final byte[] CONTENT = {1, 2, 3, 4};

  /** That nothing is granted of. */
  private static final FoundFile FOUND =
      new FoundFile(
          new NodeAttributes(
              NodeId.rootOf(new PartitionId(1)),
              NodeType.FILE,
              0600,
              1,
              "u",
              "g",
              CONTENT.length,
              CONTENT.length,
              0,
              0,
              0,
              0,
              0,
              0,
              0,
              ByteString.EMPTY),
          0,
          false,
          Optional.empty());

  private final CompletableFuture<SharedInput.Input> opening = new CompletableFuture<>();
  private final SharedInput shared = new SharedInput(opening, new AheadMemory(0));

  /** An open file in memory. */
  private static final class Content implements SharedInput.Input {
    private boolean closed;

    @Override
    public CompletableFuture<Payload> read(long positionBytes, int lengthBytes) {
      if (closed) {
        return CompletableFuture.failedFuture(
            new WeftException(ErrorCode.INVALID_ARGUMENT, "the file is closed"));
      }
      int count = Math.min(lengthBytes, CONTENT.length - (int) positionBytes);
      return CompletableFuture.completedFuture(
          Payload.of(ByteBuffer.wrap(CONTENT, (int) positionBytes, count)));
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private CompletableFuture<Payload> read() {
    return shared.read(FOUND, 0, CONTENT.length);
  }

  private static void assertRead(CompletableFuture<Payload> read) {
    assertEquals(List.of(ByteBuffer.wrap(CONTENT)), read.join().buffers());
  }

  private static ErrorCode refusal(CompletableFuture<?> call) {
    assertTrue(call.isCompletedExceptionally());
    return WeftException.of(call.handle((value, thrown) -> thrown).join()).code();
  }

  @Test
  void aWaitingReadSurvivesAReopening() {
    shared.enter();
    shared.enter();
    CompletableFuture<Payload> one = read();
    CompletableFuture<Payload> other = read();
    shared.replaced();
    opening.complete(new Content());
    assertRead(one);
    assertRead(other);
  }

  @Test
  void theLastCallClosesTheInput() {
    Content input = new Content();
    opening.complete(input);
    shared.enter();
    shared.replaced();
    assertRead(read());
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal(input.read(0, 1)));
  }

  @Test
  void anUnusedInputIsClosedAtOnce() {
    Content input = new Content();
    opening.complete(input);
    shared.enter();
    assertRead(read());
    assertEquals(1, input.read(0, 1).join().lengthBytes());
    shared.replaced();
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal(input.read(0, 1)));
  }
}
