package org.weft.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.callback.Callbacks;
import org.weft.client.file.FileSink;
import org.weft.client.file.MemoryData;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.FileLimits;

/** Writing a file: what is handed on, how it ends, and that the first failure ends it. */
class OutputTest {
  private final MemoryData data = new MemoryData();
  private final WeftOutput output =
      new WeftOutput(WeftPath.of("/f"), data, data, 0, new Callbacks(Runnable::run));

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void theStreamHandsOnEveryByteInOrder(long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    try (WeftOutputStream stream = new WeftOutputStream(output)) {
      for (int step = 0; step < 60; step++) {
        if (random.nextInt(3) == 0) {
          int single = random.nextInt(256);
          stream.write(single);
          expected.write(single);
        } else {
          byte[] bytes = new byte[random.nextInt(3) * random.nextInt(400_000)];
          random.nextBytes(bytes);
          int offset = bytes.length == 0 ? 0 : random.nextInt(bytes.length);
          stream.write(bytes, offset, bytes.length - offset);
          expected.write(bytes, offset, bytes.length - offset);
        }
        assertEquals(expected.size(), stream.positionBytes());
      }
      stream.flush();
    }
    assertArrayEquals(expected.toByteArray(), data.written.toByteArray());
    assertEquals(
        List.of("finish", "closed at " + expected.size() + ", complete up to 7"), data.events);
  }

  @Test
  void closingTwiceClosesOnceAndKnowsTheFile() throws IOException {
    WeftOutputStream stream = new WeftOutputStream(output);
    stream.write(new byte[10]);
    stream.close();
    stream.close();
    assertEquals(10, stream.status().sizeBytes());
    assertEquals(2, data.events.size());
    assertThrows(IOException.class, () -> stream.write(1));
    assertEquals(10, output.close().join().sizeBytes());
  }

  @Test
  void theFirstFailureGivesTheGrantBackAndMeetsEveryLaterCall() {
    data.failAtBytes = 5;
    CompletableFuture<Void> failed = output.write(ByteBuffer.allocate(6));
    WeftException first = WeftException.of(assertThrows(Exception.class, failed::get));
    assertEquals(ErrorCode.UNAVAILABLE, first.code());
    assertEquals("/f: OSD 3 made to fail", first.getMessage());
    assertEquals(List.of("sink abandoned", "grant abandoned"), data.events);

    WeftException later =
        WeftException.of(
            assertThrows(Exception.class, () -> output.write(ByteBuffer.allocate(1)).get()));
    assertEquals(first.getMessage(), later.getMessage());
    WeftException closed =
        WeftException.of(assertThrows(Exception.class, () -> output.close().get()));
    assertEquals(first.getMessage(), closed.getMessage());
    assertEquals(2, data.events.size());
  }

  @Test
  void aFileThatDoesNotReachEveryComponentIsNotPublished() {
    data.failFinish = true;
    assertThrows(Exception.class, () -> output.close().get());
    assertEquals(List.of("finish", "sink abandoned", "grant abandoned"), data.events);
  }

  @Test
  void aStreamWhoseWriteFailedFailsToClose() throws IOException {
    data.failAtBytes = 5;
    WeftOutputStream stream = new WeftOutputStream(output);
    stream.write(new byte[10]);
    assertThrows(WeftException.class, stream::close);
    assertThrows(WeftException.class, stream::close);
    assertFalse(data.events.stream().anyMatch(event -> event.startsWith("closed")));
  }

  /** With room for ten bytes up to the longest file that can be. */
  private WeftOutputStream almostFull() {
    return new WeftOutputStream(
        new WeftOutput(
            WeftPath.of("/f"),
            data,
            data,
            FileLimits.MAX_FILE_BYTES - 10,
            new Callbacks(Runnable::run)));
  }

  @Test
  void aStreamDoesNotCloseWithoutBytesThatWereRefused() throws IOException {
    WeftOutputStream stream = almostFull();
    stream.write(new byte[11]);
    WeftException refused = assertThrows(WeftException.class, stream::hflush);
    assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
    for (int i = 0; i < 2; i++) {
      WeftException closed = assertThrows(WeftException.class, stream::close);
      assertEquals(refused.getMessage(), closed.getMessage());
    }
    assertEquals(List.of("sink abandoned", "grant abandoned"), data.events);
    assertEquals(0, data.written.size());
  }

  @Test
  void aStreamThatFindsOutWhenItClosesGivesTheFileUp() throws IOException {
    WeftOutputStream stream = almostFull();
    stream.write(new byte[11]);
    assertThrows(WeftException.class, stream::close);
    assertThrows(WeftException.class, stream::close);
    assertEquals(List.of("sink abandoned", "grant abandoned"), data.events);
  }

  @Test
  void noWriteFollowsARefusedLargeWrite() throws IOException {
    WeftOutputStream stream = almostFull();
    stream.write(new byte[5]);
    assertThrows(WeftException.class, () -> stream.write(new byte[300_000]));
    assertThrows(WeftException.class, () -> stream.write(1));
    assertThrows(WeftException.class, stream::close);
    assertFalse(data.events.stream().anyMatch(event -> event.startsWith("closed")));
  }

  @Test
  void noBytesAreWrittenAfterTheSessionIsLost() {
    data.live = false;
    WeftException lost =
        WeftException.of(
            assertThrows(Exception.class, () -> output.write(ByteBuffer.allocate(1)).get()));
    assertEquals(ErrorCode.SESSION_EXPIRED, lost.code());
    assertTrue(lost.getMessage().startsWith("/f: the session"), lost.getMessage());
    assertEquals(0, data.written.size());
  }

  @Test
  void anAbortGivesUpOnceWithoutClosing() throws IOException {
    WeftOutputStream stream = new WeftOutputStream(output);
    stream.write(1);
    stream.abort();
    stream.abort();
    stream.close();
    assertEquals(List.of("sink abandoned", "grant abandoned"), data.events);
    assertThrows(Exception.class, () -> output.write(ByteBuffer.allocate(1)).get());
  }

  @Test
  void abortingAClosedFileDoesNothing() throws IOException {
    WeftOutputStream stream = new WeftOutputStream(output);
    stream.close();
    stream.abort();
    output.abort().join();
    assertEquals(2, data.events.size());
  }

  @Test
  void theStreamHandsOverWhatItHasGatheredBeforeItFlushes() throws IOException {
    WeftOutputStream stream = new WeftOutputStream(output);
    stream.write(new byte[10]);
    stream.hflush();
    stream.hflush();
    stream.write(new byte[5]);
    stream.hsync();
    assertEquals(
        List.of("flushed", "published at 10", "flushed", "synced", "published at 15"), data.events);
    stream.close();
    assertThrows(IOException.class, stream::hflush);
  }

  @Test
  void aFlushThatFailsEndsTheWriting() {
    data.failFinish = true;
    CompletableFuture<Void> failed = output.hflush();
    WeftException first = WeftException.of(assertThrows(Exception.class, failed::get));
    assertEquals(ErrorCode.UNAVAILABLE, first.code());
    assertEquals(List.of("flushed", "sink abandoned", "grant abandoned"), data.events);
  }

  /** A sink whose writes take until they are let go on. */
  private class Slow implements FileSink {
    private final List<Runnable> held = new ArrayList<>();
    private boolean goesOn;

    void goOn() {
      goesOn = true;
      held.forEach(Runnable::run);
    }

    @Override
    public CompletableFuture<Void> write(ByteBuffer bytes) {
      if (goesOn) {
        return data.write(bytes);
      }
      CompletableFuture<Void> written = new CompletableFuture<>();
      held.add(() -> data.write(bytes).thenAccept(written::complete));
      return written;
    }

    @Override
    public CompletableFuture<Written> flush(boolean onStableStorage) {
      return data.flush(onStableStorage);
    }

    @Override
    public CompletableFuture<Written> finish() {
      return data.finish();
    }

    @Override
    public void drop() {
      data.drop();
    }
  }

  /** A mistake of the program, too, is a failure, and not a call that never ends. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whateverASinkThrowsEndsTheCall(boolean noMemory) {
    Slow slow =
        new Slow() {
          @Override
          public CompletableFuture<Void> write(ByteBuffer bytes) {
            if (noMemory) {
              throw new OutOfMemoryError("none left");
            }
            throw new IllegalStateException("a mistake");
          }
        };
    WeftOutput output =
        new WeftOutput(WeftPath.of("/f"), slow, data, 0, new Callbacks(Runnable::run));
    CompletableFuture<Void> write = output.write(ByteBuffer.allocate(1));
    assertTrue(write.isCompletedExceptionally());
    assertTrue(output.close().isCompletedExceptionally());
    assertEquals(List.of("sink abandoned", "grant abandoned"), data.events);
  }

  /** It goes on, and reads its buffer: the caller is not to think that it is over. */
  @Test
  void aWriteCannotBeCancelled() {
    Slow slow = new Slow();
    WeftOutput output =
        new WeftOutput(WeftPath.of("/f"), slow, data, 0, new Callbacks(Runnable::run));
    CompletableFuture<Void> write = output.write(ByteBuffer.allocate(3));
    assertFalse(write.cancel(true));
    assertFalse(write.isDone());
    slow.goOn();
    write.join();
    assertEquals(3, data.written.size());
  }

  @Test
  void aSecondWriteMustWaitForTheFirst() {
    CompletableFuture<Void> never = new CompletableFuture<>();
    FileSink slow =
        new FileSink() {
          @Override
          public CompletableFuture<Void> write(ByteBuffer bytes) {
            return never;
          }

          @Override
          public CompletableFuture<Written> flush(boolean onStableStorage) {
            return finish();
          }

          @Override
          public CompletableFuture<Written> finish() {
            return new CompletableFuture<>();
          }

          @Override
          public void drop() {}
        };
    WeftOutput busy =
        new WeftOutput(WeftPath.of("/f"), slow, data, 0, new Callbacks(Runnable::run));
    var unused = busy.write(ByteBuffer.allocate(1));
    assertThrows(IllegalStateException.class, () -> busy.write(ByteBuffer.allocate(1)));
    assertThrows(IllegalStateException.class, busy::close);
    never.complete(null);
    assertEquals(1, busy.positionBytes());
  }
}
