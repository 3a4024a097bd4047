package org.weft.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FileKind;

/** Calls that read a file beside each other, while it is opened anew. */
class SharedInputTest {
  private static final byte[] CONTENT = {1, 2, 3, 4};

  private final CompletableFuture<WeftInput> opening = new CompletableFuture<>();
  private final SharedInput shared = new SharedInput(opening);

  private static WeftInput input() {
    MemoryData data = new MemoryData();
    data.content = CONTENT;
    FileAttributes attributes =
        FileAttributes.newBuilder()
            .setKind(FileKind.FILE)
            .setObjectId(70_000)
            .setSize(CONTENT.length)
            .build();
    return new WeftInput(
        new WeftInput.Opened(FileStatus.fromMessage(WeftPath.of("/f"), attributes), data),
        () -> CompletableFuture.failedFuture(new AssertionError("is opened again")),
        new Callbacks(Runnable::run));
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
    opening.complete(input());
    assertEquals(CONTENT.length, one.join());
    assertEquals(CONTENT.length, other.join());
    assertArrayEquals(CONTENT, first);
    assertArrayEquals(CONTENT, second);
  }

  @Test
  void itIsClosedWhenTheLastCallIsOver() {
    WeftInput input = input();
    opening.complete(input);
    shared.enter();
    shared.replaced();
    assertEquals(CONTENT.length, read(new byte[CONTENT.length]).join());
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal(input.read(0, ByteBuffer.allocate(1))));
  }

  @Test
  void itIsClosedAtOnceWhereNoCallUsesIt() {
    WeftInput input = input();
    opening.complete(input);
    shared.enter();
    assertEquals(CONTENT.length, read(new byte[CONTENT.length]).join());
    assertEquals(1, input.read(0, ByteBuffer.allocate(1)).join());
    shared.replaced();
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal(input.read(0, ByteBuffer.allocate(1))));
  }
}
