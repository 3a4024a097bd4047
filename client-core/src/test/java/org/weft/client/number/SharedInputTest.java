package org.weft.client.number;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/** Calls that read a file beside each other, while it is opened anew. */
class SharedInputTest {
  private static final byte[] CONTENT = {1, 2, 3, 4};

  private final CompletableFuture<SharedInput.Input> opening = new CompletableFuture<>();
  private final SharedInput shared = new SharedInput(opening);

  /** An open file in memory. */
  private static final class Content implements SharedInput.Input {
    private boolean closed;

    @Override
    public CompletableFuture<Integer> read(long positionBytes, ByteBuffer target) {
      if (closed) {
        return CompletableFuture.failedFuture(
            new RpcException(ErrorCode.INVALID_ARGUMENT, "the file is closed"));
      }
      int count = Math.min(target.remaining(), CONTENT.length - (int) positionBytes);
      target.put(CONTENT, (int) positionBytes, count);
      return CompletableFuture.completedFuture(count);
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private CompletableFuture<Integer> read(byte[] target) {
    return shared.read(0, ByteBuffer.wrap(target));
  }

  private static ErrorCode refusal(CompletableFuture<?> call) {
    assertTrue(call.isCompletedExceptionally());
    return RpcException.of(call.handle((value, thrown) -> thrown).join()).code();
  }

  @Test
  void aCallThatWaitsForTheOpeningReadsAlthoughTheFileWasOpenedAnewMeanwhile() {
    byte[] first = new byte[CONTENT.length];
    byte[] second = new byte[CONTENT.length];
    shared.enter();
    shared.enter();
    CompletableFuture<Integer> one = read(first);
    CompletableFuture<Integer> other = read(second);
    shared.replaced();
    opening.complete(new Content());
    assertEquals(CONTENT.length, one.join());
    assertEquals(CONTENT.length, other.join());
    assertArrayEquals(CONTENT, first);
    assertArrayEquals(CONTENT, second);
  }

  @Test
  void itIsClosedWhenTheLastCallIsOver() {
    Content input = new Content();
    opening.complete(input);
    shared.enter();
    shared.replaced();
    assertEquals(CONTENT.length, read(new byte[CONTENT.length]).join());
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal(input.read(0, ByteBuffer.allocate(1))));
  }

  @Test
  void itIsClosedAtOnceWhereNoCallUsesIt() {
    Content input = new Content();
    opening.complete(input);
    shared.enter();
    assertEquals(CONTENT.length, read(new byte[CONTENT.length]).join());
    assertEquals(1, input.read(0, ByteBuffer.allocate(1)).join());
    shared.replaced();
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal(input.read(0, ByteBuffer.allocate(1))));
  }
}
